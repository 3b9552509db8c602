/**
 * Builds that resume from the one before, and those that can't: what they say, and that they publish what a full build
 * publishes. What is decided before anything is read is tested in test/pipeline/plan.test.ts.
 */

import { afterEach, describe, expect, it } from "vitest";
import { decodeCheckpoint, encodeCheckpoint } from "../../builder/incremental/checkpoint-file.ts";
import { dryRun } from "../../builder/pipeline/dry-run.ts";
import { silentProgress } from "../../builder/terminal/progress.ts";
import { buildKey, checkpointKey, currentKey } from "../../data-schema/objects.ts";
import type { Token, Transfer } from "../reference/reference.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { inForce, runBuild, TokenFolder } from "./nights.ts";

const DAY = 86_400;
const START = Date.UTC(2024, 0, 30) / 1000;
const ZERO = `0x${"0".repeat(40)}`;
const [ALICE, BOB, CAROL] = ["a1", "b0", "ca"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];

/** A transfer on a day, counted from 0, in a block of its own. */
const transfer = (day: number, from: string, to: string, value: bigint): Transfer => ({
  ...{ block: 1000 + 10 * day, logIndex: 0, timestamp: START + day * DAY + 3_600 },
  ...{ from, to, value },
});

const TOKENS = 10n ** 18n;
const EARLY = [
  transfer(0, ZERO, ALICE, 1_000n * TOKENS),
  transfer(1, ALICE, BOB, 100n * TOKENS),
  transfer(3, BOB, CAROL, 30n * TOKENS),
  transfer(4, ALICE, CAROL, 5n * TOKENS),
];
const LATE = [transfer(5, CAROL, ALICE, 4n * TOKENS), transfer(6, ALICE, BOB, 7n * TOKENS)];
const PRICES: [number, number][] = Array.from({ length: 9 }, (_, day) => [START + day * DAY, 1 + day / 7]);

const token: Token = {
  ...{ decimals: 18, maxSupply: "1000000", asOf: START + 7 * DAY, prices: PRICES },
  ...{ exchanges: { [CAROL]: "binance" }, contracts: [], transfers: [...EARLY, ...LATE] },
};

const AS_OF = { first: "2024-02-03T12:00:00Z", second: "2024-02-06T00:00:00Z" };

let folder: TokenFolder | undefined;
afterEach(() => {
  folder?.close();
  folder = undefined;
});

/** A token of which a first night is built. */
async function firstNight() {
  folder = new TokenFolder(token, "TOK");
  folder.csv("transfers-1.csv", EARLY);
  folder.prices(PRICES.slice(0, 5));
  const store = new MemoryStore();
  await runBuild(store, folder.asset({ asOf: AS_OF.first }));
  folder.csv("transfers-2.csv", LATE);
  folder.prices(PRICES);
  return { folder, store };
}

/** Builds the second night, and holds it against a build from the first transfer. */
async function secondNight(store: MemoryStore, keys: Record<string, unknown> = {}, options = {}) {
  const asset = folder!.asset({ asOf: AS_OF.second, ...keys });
  const report = await runBuild(store, asset, options);
  const whole = new MemoryStore();
  await runBuild(whole, asset);
  expect(await inForce(store, "TOK")).toEqual(await inForce(whole, "TOK"));
  for (const [key, { bytes }] of whole.objects) {
    if (key.startsWith("series/")) expect(store.objects.get(key)?.bytes).toEqual(bytes);
  }
  return report;
}

describe("a build resumes", () => {
  it("when files were added", async () => {
    const { store } = await firstNight();
    const { start, replayed, details } = await secondNight(store);
    expect(start).toEqual({ from: START + 4 * DAY });
    // The last transfer of the first night was of a day that was not complete.
    expect(replayed).toBe(3);
    expect(details?.input.rowsRead).toBe(3);
  });

  it("when a CSV has grown, and when a file has another name", async () => {
    const { folder, store } = await firstNight();
    folder.csv("transfers-2.csv", []);
    folder.remove("transfers-1.csv");
    folder.csv("transfers-renamed.csv", EARLY);
    expect((await secondNight(store, { asOf: "2024-02-04T00:00:00Z" })).start).toHaveProperty("from");
    folder.csv("transfers-renamed.csv", [...EARLY, ...LATE]);
    const { start, replayed } = await secondNight(store, { asOf: "2024-02-07T00:00:00Z" });
    expect(start).toHaveProperty("from");
    expect(replayed).toBe(2);
  });

  it("to the time that the command names", async () => {
    const { folder, store } = await firstNight();
    folder.remove("transfers-2.csv");
    const asset = folder.asset();
    const asOf = Date.parse(AS_OF.second) / 1000;
    await runBuild(store, asset, { asOf });
    const { asOf: published, resolutions } = await inForce(store, "TOK");
    expect(published).toBe("2024-02-06T00:00:00.000Z");
    expect(resolutions.day.last).toBe(asOf - DAY);
    expect(await dryRun(asset, store, { threads: 1, asOf: asOf + DAY })).toBe(
      "TOK: resume from 2024-02-06, 0 events to replay",
    );
    expect(await dryRun(asset, store, { threads: 1 })).toMatch(/^TOK: full build: the last transfer, /);
  });

  it("with as many events as --dry-run says, and not those at or after asOf", async () => {
    const { folder, store } = await firstNight();
    const asset = folder.asset();
    const asOf = START + 5 * DAY;
    // The night before, this day was not complete. Two more rows are there, which are of later days.
    expect(await dryRun(asset, store, { threads: 1, asOf })).toBe("TOK: resume from 2024-02-03, 1 event to replay");
    expect(await runBuild(store, asset, { asOf })).toMatchObject({
      replayed: 1,
      details: { input: { skippedAfterAsOf: 2 } },
    });
  });

  it("and tells replayed events that count nowhere from those that do", async () => {
    const { folder, store } = await firstNight();
    const [fifth, sixth] = LATE as [Transfer, Transfer];
    const idle = [
      { ...fifth, logIndex: 1, to: fifth.from },
      { ...fifth, logIndex: 2, value: 0n },
    ];
    folder.csv("transfers-2.csv", [fifth, ...idle, sixth]);
    const night = await secondNight(store);
    expect(night).toMatchObject({ replayed: 5, details: { ofNoEffect: 2, counts: { transfers: 5, mints: 1 } } });
    const whole = await runBuild(new MemoryStore(), folder.asset());
    expect(whole).toMatchObject({ replayed: 8, details: { ofNoEffect: 2 } });
  });

  it("and writes nothing when nothing is new", async () => {
    const { store } = await firstNight();
    await secondNight(store);
    const objects = store.objects.size;
    const report = await secondNight(store);
    expect(report).toMatchObject({ isUnchanged: true, published: { written: 0 } });
    expect(store.objects.size).toBe(objects);
  });

  it("and completes a build that was killed between its two manifests", async () => {
    const { store } = await firstNight();
    await secondNight(store);
    const { build } = await inForce(store, "TOK");
    for (const lose of [
      () => store.delete([buildKey("TOK", build)]),
      () => store.write(buildKey("TOK", build), "{}"),
    ]) {
      await lose();
      await secondNight(store);
      const recorded = await store.get(buildKey("TOK", build));
      expect(recorded?.bytes).toEqual((await store.get(currentKey("TOK")))?.bytes);
    }
  });

  it("when an address that is new gets a label, and one that never held the token", async () => {
    const { folder, store } = await firstNight();
    const dave = `0x${"da".repeat(20)}`;
    folder.csv("transfers-2.csv", [...LATE, { ...transfer(6, BOB, dave, TOKENS), logIndex: 1 }]);
    folder.write("contracts.csv", `address\n${dave}\n0x${"ee".repeat(20)}\n`);
    expect((await secondNight(store)).start).toEqual({ from: START + 4 * DAY });
    // Its label counts from now on.
    folder.write("contracts.csv", "address\n");
    const { start } = await secondNight(store, { asOf: "2024-02-08T00:00:00Z" });
    expect(start).toEqual({ reason: `the label of ${dave} has changed (none, was contract)` });
  });

  it("when the resolution block is left out, and when a day passes without a transfer", async () => {
    folder = new TokenFolder(token, "TOK");
    folder.csv("transfers-1.csv", [...EARLY, ...LATE]);
    folder.prices(PRICES);
    const store = new MemoryStore();
    const keys = { resolutions: ["day", "hour"] };
    await runBuild(store, folder.asset({ ...keys, asOf: AS_OF.second }));
    const { start, replayed } = await secondNight(store, { ...keys, asOf: "2024-02-20T07:00:00Z" });
    expect(start).toEqual({ from: START + 7 * DAY });
    expect(replayed).toBe(0);
  });
});

/** Transfers without a time, and files of blocks that have it. */
describe("of transfers whose times are in files of blocks, a build", () => {
  const blocksOf = (transfers: readonly Transfer[]) => transfers.map(({ block, timestamp }) => [block, timestamp]);
  const timeless = (folder: TokenFolder, name: string, transfers: readonly Transfer[]) =>
    folder.write(
      name,
      [
        "block_number,log_index,from_address,to_address,value",
        ...transfers.map(({ block, logIndex, from, to, value }) => [block, logIndex, from, to, value].join(",")),
      ].join("\n"),
    );
  const blocks = (folder: TokenFolder, name: string, rows: readonly number[][]) =>
    folder.write(name, ["number,timestamp", ...rows.map((row) => row.join(","))].join("\n"));
  const keys = { blocks: "blocks-*" };

  async function nightWithBlocks() {
    folder = new TokenFolder(token, "TOK");
    timeless(folder, "transfers-1.csv", EARLY);
    blocks(folder, "blocks-1.csv", blocksOf(EARLY));
    folder.prices(PRICES);
    const store = new MemoryStore();
    await runBuild(store, folder.asset({ ...keys, asOf: AS_OF.first }));
    return { folder, store };
  }

  it("resumes, also over nights without a transfer", async () => {
    const { folder, store } = await nightWithBlocks();
    blocks(folder, "blocks-2.csv", [[1045, START + 4 * DAY + 7_200]]);
    const quiet = await secondNight(store, { ...keys, asOf: "2024-02-04T00:00:00Z" });
    expect(quiet.start).toHaveProperty("from");
    expect(quiet.details?.input.notices).toEqual([]);
    expect(quiet.details?.input.files.find(({ file }) => file === "blocks-2.csv")?.rows).toBe(1);
    timeless(folder, "transfers-2.csv", LATE);
    blocks(folder, "blocks-2.csv", [[1045, START + 4 * DAY + 7_200], ...blocksOf(LATE)]);
    const { start, replayed } = await secondNight(store, { ...keys, asOf: "2024-02-07T00:00:00Z" });
    expect([start, replayed]).toEqual([{ from: START + 5 * DAY }, 2]);
  });

  it.each([
    ["a new file", "blocks-3.csv", [[1010, START + DAY + 3_600]]],
    ["a file that has grown", "blocks-1.csv", [...blocksOf(EARLY), [1010, START + DAY + 3_600]]],
  ])("is a full one when %s has a block that was read before", async (_, name, rows) => {
    const { folder, store } = await nightWithBlocks();
    blocks(folder, name, rows);
    const { start } = await secondNight(store, { ...keys, asOf: "2024-02-04T00:00:00Z" });
    expect(start).toEqual({ reason: `${name} has 1 new row of blocks that were read before, up to 1030` });
  });

  it("fails when a new file says another time of a block that was read before", async () => {
    const { folder, store } = await nightWithBlocks();
    blocks(folder, "blocks-2.csv", [[1010, START + DAY]]);
    const build = runBuild(store, folder.asset({ ...keys, asOf: "2024-02-04T00:00:00Z" }));
    await expect(build).rejects.toThrow(/block 1010 has two times/);
  });
});

type Change = (night: Awaited<ReturnType<typeof firstNight>>) => Promise<void> | void;

/** What is changed between the nights, what the build says of it, and keys of ASSET.json that change. */
const CHANGES: Record<string, [change: Change, reason: string | RegExp, keys?: Record<string, unknown>]> = {
  "an earlier row comes late, in a new file": [
    ({ folder }) => folder.csv("transfers-3.csv", [transfer(2, ALICE, BOB, 1n)]),
    "transfers-3.csv has 1 new row of blocks that were read before, up to 1030: 2024-02 (2 rows, were 1)",
  ],
  "a row comes late, of a block after the last one and a day that is closed": [
    ({ folder }) => folder.csv("transfers-3.csv", [{ ...transfer(3, ALICE, BOB, 1n), block: 1031 }]),
    "new transfers of 2024-02-02T01:00:00Z lie before the end of the last build's last day: 2024-02 (2 rows, were 1)",
  ],
  "an earlier row is corrected": [
    ({ folder }) =>
      folder.csv("transfers-1.csv", [EARLY[0]!, transfer(1, ALICE, BOB, 99n * TOKENS), ...EARLY.slice(2)]),
    "transfers-1.csv has changed: 2024-01 (2 rows, were 2)",
  ],
  "a file is gone, and its rows are in another": [
    ({ folder }) => {
      folder.remove("transfers-1.csv");
      folder.csv("transfers-2.csv", [...EARLY, ...LATE]);
    },
    "transfers-1.csv is missing",
  ],
  "a holder gets a label": [
    ({ folder }) => folder.write("contracts.csv", `address\n${BOB}\n`),
    `the label of ${BOB} has changed (contract, was none)`,
  ],
  "an earlier price is another": [
    ({ folder }) => folder.prices(PRICES.map(([time, usd], i) => [time, i === 2 ? usd + 1 : usd])),
    "prices before 2024-02-03 have changed",
  ],
  "the block series are left out": [
    () => {},
    "resolutions has changed (day,hour, was day,hour,block)",
    { resolutions: ["day", "hour"] },
  ],
  "the checkpoint is missing": [
    async ({ store }) => store.delete([...(await store.list("checkpoints/")).keys()]),
    /^checkpoints\/TOK\/\w+\.parquet is missing$/,
  ],
  "the checkpoint is damaged": [
    async ({ store }) => damage(store, [...(await store.list("checkpoints/")).keys()][0]!),
    /^checkpoints\/TOK\/\w+\.parquet is damaged$/,
  ],
  "the checkpoint can't be read": [
    async ({ store }) => rewriteCheckpoint(store, (stored) => (stored.checkpoint.totals.mints = -1)),
    "the last build's checkpoint is of another version",
  ],
  "an open object is damaged": [
    async ({ store }) => damage(store, [...(await store.list("series/TOK/hour/volume/")).keys()][0]!),
    /^series\/TOK\/hour\/volume\/2024\.\w+\.parquet is damaged$/,
  ],
  "an open object of days is damaged": [
    async ({ store }) => damage(store, [...(await store.list("series/TOK/day/supply/")).keys()][0]!),
    /^series\/TOK\/day\/supply\/all\.\w+\.parquet is damaged$/,
  ],
  "the manifest can't be read": [
    ({ store }) => store.write(currentKey("TOK"), "{}"),
    "the last build's manifest is of another version",
  ],
};

function damage(store: MemoryStore, key: string): Promise<void> {
  return store.write(
    key,
    store.objects.get(key)!.bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte)),
  );
}

/** Puts another checkpoint in the place of the one that the active manifest names. */
async function rewriteCheckpoint(store: MemoryStore, change: (stored: ReturnType<typeof decodeCheckpoint>) => unknown) {
  const current = await store.get(currentKey("TOK"));
  const manifest = JSON.parse(new TextDecoder().decode(current!.bytes));
  const stored = decodeCheckpoint((await store.get(checkpointKey("TOK", manifest.checkpoint.hash)))!.bytes);
  change(stored);
  const bytes = encodeCheckpoint(stored);
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes.slice()));
  manifest.checkpoint = { hash: digest.toString("hex").slice(0, 32), size: bytes.length };
  await store.write(checkpointKey("TOK", manifest.checkpoint.hash), bytes);
  await store.write(currentKey("TOK"), manifest);
}

describe("a build is a full one when", () => {
  it.each(Object.entries(CHANGES))("%s", async (_, [change, reason, keys]) => {
    const night = await firstNight();
    await change(night);
    const { start } = await secondNight(night.store, keys);
    expect("reason" in start && start.reason).toMatch(typeof reason === "string" ? plain(reason) : reason);
  });

  it("an object is gone of a year that is over", async () => {
    const { folder, store } = await firstNight();
    folder.csv("transfers-0.csv", [transfer(-40, ZERO, BOB, TOKENS)]);
    await secondNight(store);
    const [key] = [...(await store.list("series/TOK/hour/inflow_cohort/2023.")).keys()] as [string];
    await store.delete([key]);
    const { start } = await secondNight(store, { asOf: "2024-02-07T00:00:00Z" });
    expect(start).toEqual({ reason: `${key} is missing` });
  });

  it("it is told to", async () => {
    const { store } = await firstNight();
    expect((await secondNight(store, {}, { full: true })).start).toEqual({ reason: "--full" });
  });

  it("an address was emptied, and gets a label later", async () => {
    folder = new TokenFolder({ ...token, exchanges: {} }, "TOK");
    const emptied = [...EARLY, { ...transfer(3, BOB, ALICE, 70n * TOKENS), logIndex: 1 }];
    folder.csv("transfers-1.csv", emptied);
    folder.prices(PRICES);
    const store = new MemoryStore();
    await runBuild(store, folder.asset({ asOf: AS_OF.first }));
    folder.csv("transfers-2.csv", LATE);
    folder.write("exchanges.csv", `address,exchange\n${BOB},kraken\n`);
    const { start } = await secondNight(store);
    expect(start).toEqual({ reason: `the label of ${BOB} has changed (kraken, was none)` });
  });

  it("and says so before it reads", async () => {
    const { folder, store } = await firstNight();
    folder.csv("transfers-3.csv", [transfer(2, ALICE, BOB, 1n)]);
    const told: string[] = [];
    const progress = {
      ...silentProgress(),
      step: (title: string) => told.push(title),
      note: (line: string) => told.push(line),
    };
    await runBuild(store, folder.asset(), { progress });
    const why = "full build: transfers-3.csv has 1 new row of blocks that were read before, up to 1030";
    expect(told.slice(0, 3)).toEqual(["read", `TOK: ${why}`, "replay"]);
  });
});

const plain = (text: string) => new RegExp(`^${text.replaceAll(/[.()]/g, "\\$&")}$`);
