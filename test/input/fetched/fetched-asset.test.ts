/** What a build makes of fetch.json, and what it refuses. */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { digestInput } from "../../../builder/input/digest-input.ts";
import { type Fetched, formatFetched } from "../../../builder/input/fetched/fetched.ts";
import { readAssetToBuild } from "../../../builder/input/fetched/fetched-asset.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { readInput } from "../../in-memory/input.ts";
import { ALICE, csv, EVENTS, events, Folder, TEXTS, TOKEN } from "../folder.ts";

const SOURCE = { chainId: 5, firstBlock: 10, events: "erc20", prices: { defillama: true } };
const HASH = `0x${"12".repeat(32)}`;
const AS_OF = "2020-01-02T00:00:00.000Z";
const CHECK = { status: "passed", block: 20, hash: HASH, holders: 2, of: 3, supply: "1000", at: AS_OF } as const;

/** A folder as a fetch leaves it: a month with rows, and a day without. */
async function fetchedFolder(changes: Partial<Fetched> = {}, keys: object = {}) {
  const folder = new Folder();
  const inputs = "inputs/TST";
  mkdirSync(join(folder.path, inputs, "transfers"), { recursive: true });
  const columns = `block_number::BIGINT AS block_number, log_index::INTEGER AS log_index,
    block_timestamp::BIGINT AS block_timestamp, unhex(from_address[3:]) AS from_address, unhex(to_address[3:]) AS to_address,
    unhex(lpad(to_hex(value::UHUGEINT), 64, '0')) AS value_binary`;
  await folder.parquet(`${inputs}/transfers/2019-12.parquet`, `SELECT ${columns} FROM ${TEXTS}`);
  await folder.parquet(
    `${inputs}/transfers/2020-01-01.parquet`,
    `SELECT ${columns} FROM ${TEXTS} WHERE log_index > '8'`,
  );
  const file = (name: string, from: number, to: number, rows: number): Fetched["files"][number] => {
    const bytes = readFileSync(join(folder.path, inputs, "transfers", name));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { file: `transfers/${name}`, from, to, lastHash: HASH, rows, bytes: bytes.length, sha256, source: "rpc" };
  };
  const fetched: Fetched = {
    schema: 2,
    chainId: 5,
    contract: TOKEN,
    terms: { events: "erc20" },
    asOf: AS_OF,
    files: [file("2019-12.parquet", 10, 15, 3), file("2020-01-01.parquet", 16, 19, 0)],
    check: CHECK,
    ...changes,
  };
  folder.write(`${inputs}/prices.csv`, csv("timestamp,price_usd"));
  folder.write(`${inputs}/contracts.csv`, csv("address", ALICE));
  folder.write(`${inputs}/exchanges.csv`, csv("address,exchange"));
  folder.write(`${inputs}/fetch.json`, formatFetched(fetched));
  const path = folder.asset({ transfers: undefined, source: SOURCE, ...keys });
  const build = async (asOf?: number) => readAssetToBuild(path, asOf);
  /** The sentence with which a build refuses, without the folder. */
  const refusal = async (asOf?: number) => {
    const refused = await build(asOf)
      .then((asset) => digestInput(asset))
      .catch((error) => error);
    expect(refused).toBeInstanceOf(Failure);
    return refused.message.replaceAll(`${folder.path}/`, "");
  };
  return { folder, path, inputs, build, refusal };
}

const seconds = (time: string) => Date.parse(time) / 1000;

test("the build takes files, time, check and the version of the labels from fetch.json", async () => {
  const { build } = await fetchedFolder({ labels: "goerli-2026-11" });
  const asset = await build();
  expect(asset).toMatchObject({ asOf: seconds(AS_OF), checked: { block: 20, holders: 2, of: 3 } });
  expect(asset.labelsVersion).toBe("goerli-2026-11");
  const input = await readInput(asset);
  expect(events(input)).toEqual(EVENTS);
  expect(input.asOf).toBe(seconds(AS_OF));
  expect(input.report.notices).toEqual([
    "No prices: every price is 0, and so is every amount in dollars.",
    'No exchanges: no address counts as an exchange, and every cex_* is 0. Name a list as "exchanges" in ASSET.json; docs/labels.md says what ships.',
  ]);
});

test("without a price so far there is no file of prices, and the build does without", async () => {
  const none = { until: AS_OF, source: "0".repeat(16), rows: 0 };
  const { folder, inputs, build } = await fetchedFolder({ prices: none });
  rmSync(join(folder.path, inputs, "prices.csv"));
  const asset = await build();
  expect(asset).not.toHaveProperty("prices");
  expect((await readInput(asset)).report.notices.join()).toContain("No prices");
  const own = await fetchedFolder({ prices: none }, { prices: "mine.csv" });
  expect((await own.build()).prices).toEqual(["mine.csv"]);
});

const fetchedWith = (flags = "") => `\`soprano fetch asset.json${flags}\` (with --store if a bucket keeps the inputs)`;

test("an earlier time may be given, a later one has not been fetched", async () => {
  const { build, refusal } = await fetchedFolder({ check: undefined! });
  const asset = await build(seconds("2020-01-01"));
  expect(asset.asOf).toBe(seconds("2020-01-01"));
  expect(asset).not.toHaveProperty("checked");
  expect(await refusal(seconds("2020-01-03"))).toBe(
    `asset.json: the transfers are fetched up to ${AS_OF}, not up to 2020-01-03T00:00:00.000Z. Run ${fetchedWith()}, or give an earlier time.`,
  );
  const later = await fetchedFolder({}, { asOf: "2020-01-02T00:00:01Z" });
  expect(await later.refusal()).toMatch(/^asset.json: the transfers are fetched up to /);
});

test("what was not fetched, or failed its check, is not built", async () => {
  const never = await fetchedFolder();
  rmSync(join(never.folder.path, never.inputs), { recursive: true });
  expect(await never.refusal()).toBe(`asset.json: nothing has been fetched yet. Run ${fetchedWith()} first.`);
  const problems = ["Run `soprano fetch asset.json --repair`: 1 balance differs.", "0x12… holds 5, the chain says 6."];
  const failed = await fetchedFolder({ check: { ...CHECK, status: "failed", problems } });
  expect(await failed.refusal()).toBe(
    `TST: the last check against the chain failed, so nothing is built until ${fetchedWith()} succeeds. ${problems[0]}`,
  );
});

test("another chain or contract is refused", async () => {
  const chain = await fetchedFolder({ chainId: 6 });
  expect(await chain.refusal()).toBe(
    `asset.json: chainId is 5, but what inputs/TST holds was fetched for 6. Correct it, or remove that folder, and inputs/TST/ in the bucket if --store keeps it there, and run ${fetchedWith()}.`,
  );
  const contract = await fetchedFolder({ contract: ALICE });
  expect(await contract.refusal()).toContain(
    `contract is ${TOKEN}, but what inputs/TST holds was fetched for ${ALICE}.`,
  );
});

test("files that are not those of fetch.json are refused", async () => {
  const day = "inputs/TST/transfers/2020-01-01.parquet";
  const repair = `Restore it, or run ${fetchedWith(" --repair")}.`;
  const lost = await fetchedFolder();
  rmSync(join(lost.folder.path, day));
  expect(await lost.refusal()).toBe(`${day} is missing, but fetch.json lists it. ${repair}`);
  const longer = await fetchedFolder();
  longer.folder.write(day, "PAR1");
  expect(await longer.refusal()).toBe(`${day} has changed since it was fetched. ${repair}`);
  const flipped = await fetchedFolder();
  const bytes = readFileSync(join(flipped.folder.path, day));
  bytes[10]! ^= 1;
  flipped.folder.write(day, bytes);
  expect(await flipped.refusal()).toBe(`${day} has changed since it was fetched. ${repair}`);
  const foreign = await fetchedFolder();
  foreign.folder.write("inputs/TST/transfers/2020-01-02.parquet", "").write("inputs/TST/transfers/.2020.tmp", "");
  expect(await foreign.refusal()).toBe(
    "inputs/TST/transfers/2020-01-02.parquet is not a file that was fetched: fetch.json does not list it. Remove it.",
  );
});

test("with transfers of the user's own, fetch.json says nothing about them", async () => {
  const { build } = await fetchedFolder(
    { asOf: "2019-01-01T00:00:00Z" },
    { transfers: "inputs/TST/transfers/2019-*.parquet" },
  );
  const asset = await build();
  expect(asset).not.toHaveProperty("asOf");
  expect(asset).not.toHaveProperty("digests");
});
