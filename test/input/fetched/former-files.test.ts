/** Inputs that were fetched under another symbol. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bringInputs, saveInputs } from "../../../builder/fetch/kept/bucket.ts";
import { type Fetched, formatFetched } from "../../../builder/input/fetched/fetched.ts";
import { adoptFormerFiles } from "../../../builder/input/fetched/former-files.ts";
import { takeFileLock } from "../../../builder/lib/files/lock.ts";
import { scratchFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";

const contract = `0x${"70".repeat(20)}`;
const record: Fetched = {
  schema: 2,
  chainId: 1,
  contract,
  terms: { events: "erc20" },
  asOf: "2026-11-02T00:00:00.000Z",
  files: [],
};

function machine() {
  const folder = scratchFolder();
  const source = { chainId: 1, firstBlock: 0, events: "erc20", labels: "none" } as const;
  const asset = { path: join(folder, "DOGE.json"), symbol: "DOGE", was: ["PUP", "DOG"], contract, source };
  const inputs = (symbol: string) => join(folder, "inputs", symbol);
  const fetched = (symbol: string, of = record) => {
    mkdirSync(join(inputs(symbol), "transfers"), { recursive: true });
    writeFileSync(join(inputs(symbol), "fetch.json"), formatFetched(of));
    writeFileSync(join(inputs(symbol), "corrections.csv"), "timestamp,price_usd,reason,recorded\n");
  };
  return { asset, inputs, fetched };
}

it("are those of the asset under its new one, once", async () => {
  const { asset, inputs, fetched } = machine();
  expect(await adoptFormerFiles(asset)).toEqual([]);
  fetched("DOG");
  expect(await adoptFormerFiles(asset)).toEqual(["inputs/DOG is inputs/DOGE now: DOG has become DOGE."]);
  expect([existsSync(inputs("DOG")), readdirSync(inputs("DOGE")).sort()]).toEqual([
    false,
    [".part", "corrections.csv", "fetch.json", "transfers"],
  ]);
  expect(await adoptFormerFiles(asset)).toEqual([]);
});

it("of another contract stay where they are", async () => {
  const { asset, inputs, fetched } = machine();
  fetched("DOG", { ...record, contract: `0x${"71".repeat(20)}` });
  expect(await adoptFormerFiles(asset)).toEqual([]);
  expect(existsSync(inputs("DOG"))).toBe(true);
});

it("are refused beside a folder of the new one, and while they are fetched", async () => {
  const { asset, inputs, fetched } = machine();
  fetched("DOG");
  mkdirSync(inputs("DOGE"));
  await expect(adoptFormerFiles(asset)).rejects.toThrow(
    `${inputs("DOG")} was fetched when DOGE was called DOG, but there is ${inputs("DOGE")}, too: move what you need of it, and remove it.`,
  );
  const other = machine();
  other.fetched("DOG");
  const release = await takeFileLock(join(other.inputs("DOG"), ".part", "lock"), () => new Error());
  await expect(adoptFormerFiles(other.asset)).rejects.toThrow(/is fetching DOG: wait for it, then run this again/);
  await release();
});

it("in a bucket are brought from there, and saved under the new one", async () => {
  const [before, after, store] = [machine(), machine(), new MemoryStore()];
  before.fetched("DOG");
  await saveInputs(
    store,
    "DOG",
    before.inputs("DOG"),
    (await bringInputs(store, { symbol: "DOG" }, before.inputs("DOG"))).inBucket,
  );
  const folder = after.inputs("DOGE");
  const { inBucket } = await bringInputs(store, after.asset, folder);
  await saveInputs(store, "DOGE", folder, inBucket);
  const files = (symbol: string) => {
    const prefix = `inputs/${symbol}/`;
    return [...store.objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  };
  expect(files("DOGE").sort()).toEqual(files("DOG").sort());
  // From then on, what is under the old one counts for nothing.
  await store.delete([...store.objects.keys()].filter((key) => key.startsWith("inputs/DOG/")));
  await bringInputs(store, after.asset, after.inputs("DOGE"));
});
