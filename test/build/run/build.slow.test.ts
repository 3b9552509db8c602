/** Builds that resume and builds that can't, what they say, and that they publish what a full build publishes. */

import { describe, expect, it } from "vitest";
import { dryRunBuild } from "../../../builder/build/run/dry-run.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import type { Transfer } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpack } from "../../store/unpacked.ts";
import { runBuild } from "../checkpoint/nights.ts";
import {
  ALICE,
  AS_OF,
  BOB,
  DAY,
  EARLY,
  firstNight,
  LATE,
  newTokenFolder,
  PRICES,
  START,
  secondNight,
  TOKENS,
  token,
  transfer,
  ZERO,
} from "../checkpoint/two-nights.ts";

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
    const folder = newTokenFolder();
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
};

describe("a build is a full one when", () => {
  it.each(Object.entries(CHANGES))("%s", async (_, [change, reason, keys]) => {
    const night = await firstNight();
    await change(night);
    const { start } = await secondNight(night.store, keys);
    expect("reason" in start && start.reason).toMatch(typeof reason === "string" ? plain(reason) : reason);
  });

  it("it is told to", async () => {
    const { store } = await firstNight();
    expect((await secondNight(store, {}, { full: true })).start).toEqual({ reason: "--full" });
  });

  it("an address was emptied, and gets a label later", async () => {
    const folder = newTokenFolder({ ...token, exchanges: {} });
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

  it("new rows can't be read; its message names the row", async () => {
    const { folder, store } = await firstNight();
    folder.csv("transfers-2.csv", [...LATE, { ...LATE[1]!, block: 2000, value: -1n }]);
    const notes: string[] = [];
    const progress = { ...silentProgress(), note: (line: string) => notes.push(line) };
    await expect(runBuild(store, folder.asset({ asOf: AS_OF.second }), { progress })).rejects.toThrow(
      'transfers-2.csv, row 3, column value: "-1"',
    );
    expect(notes).toContain("TOK: full build: the new rows can't be read");
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

/** Two nights: 1,000 tokens are minted on the first, and nearly all of them burned before it ends. */
function burning() {
  const folder = newTokenFolder();
  folder.csv("transfers-1.csv", [EARLY[0]!, transfer(1, ALICE, ZERO, 995n * TOKENS), transfer(4, ALICE, BOB, TOKENS)]);
  folder.prices(PRICES);
  const more = () => folder.csv("transfers-2.csv", [transfer(5, BOB, ALICE, TOKENS)]);
  return { folder, more };
}

describe("a supply over maxSupply", () => {
  const sentence = /^"maxSupply" is 500, but the supply was 1,000 on 2024-01-30, 2 times as much; /;

  it("is told by a full build and by one that resumes, however little is left of it", async () => {
    const { folder, more } = burning();
    const store = new MemoryStore();
    const keys = { maxSupply: "500" };
    const full = await runBuild(store, folder.asset({ ...keys, asOf: AS_OF.first }));
    more();
    const resumed = await runBuild(store, folder.asset({ ...keys, asOf: AS_OF.second }));
    expect(resumed.start).toHaveProperty("from");
    for (const { details } of [full, resumed])
      expect(details!.input.notices).toEqual([expect.stringMatching(sentence)]);
  });

  it("1,000 times as large is refused by both, before anything is written, and by a dry run", async () => {
    const { folder, more } = burning();
    const store = new MemoryStore();
    const keys = { maxSupply: "0.9" };
    const refusal = 'ASSET.json: "maxSupply" is 0.9, but the supply was 1,000 on 2024-01-30, 1,111.11 times as much; ';
    const strict = { allowSupply: false };
    await expect(runBuild(store, folder.asset({ ...keys, asOf: AS_OF.first }), strict)).rejects.toThrow(refusal);
    expect([...store.objects.keys()].filter((key) => /^(packs|series|checkpoints|current)/.test(key))).toEqual([]);
    await runBuild(store, folder.asset({ ...keys, asOf: AS_OF.first }), { allowSupply: true });
    more();
    const asset = folder.asset({ ...keys, asOf: AS_OF.second });
    const { size } = store.objects;
    await expect(dryRunBuild(asset, store, { threads: 1 })).rejects.toThrow(refusal);
    const notes: string[] = [];
    const progress = { ...silentProgress(), note: (line: string) => notes.push(line) };
    await expect(runBuild(store, asset, { ...strict, progress })).rejects.toThrow(refusal);
    expect(notes.filter((note) => note.includes("full build"))).toEqual([]);
    expect(store.objects.size).toBe(size);
    expect(await runBuild(store, asset, { allowSupply: true })).toMatchObject({ start: { from: START + 4 * DAY } });
  });
});

describe("prices that are stamped with the open of candles", () => {
  const JANUARY = Date.UTC(2024, 0, 1) / 1000;
  /** 1,000 tokens on 1 January; 100 of them move at noon of the next day. */
  const moves = [
    { ...transfer(0, ZERO, ALICE, 1_000n * TOKENS), timestamp: JANUARY + 10 * 3_600 },
    { ...transfer(1, ALICE, BOB, 100n * TOKENS), timestamp: JANUARY + 36 * 3_600 },
  ];
  const keys = { asOf: "2024-01-04T00:00:00Z", exchanges: undefined, contracts: undefined };
  const stamped = { prices: { file: "prices.csv", stamp: "open", period: "1d" } };
  const daily = (first: number): [number, number][] => [0, 1, 2].map((n) => [JANUARY + (first + n) * DAY, n + 1]);
  const series = (store: MemoryStore) => [...store.objects].filter(([key]) => key.startsWith("series/"));

  it("give what stamps of the close give", async () => {
    const folder = newTokenFolder();
    folder.csv("transfers-1.csv", moves);
    const [opens, closes] = [new MemoryStore(), new MemoryStore()];
    folder.prices(daily(0));
    await runBuild(opens, folder.asset({ ...keys, ...stamped }));
    folder.prices(daily(1));
    await runBuild(closes, folder.asset(keys));
    for (const store of [opens, closes]) await unpack(store);
    const texts = (store: MemoryStore) => series(store).map(([key, { bytes }]) => [key, bytes.toString()]);
    expect(texts(opens)).toEqual(texts(closes));
    const dayOf = (metric: string) => {
      const object = series(opens).find(([key]) => key.startsWith(`series/TOK/day/${metric}/`))?.[1];
      const run = object && decodeSeries(object.bytes).find(({ selector }) => selector === "total");
      return run && [...run.v];
    };
    // Bought at no price, and moved at the close of 1 January, $1.
    expect(dayOf("sopr")).toBeUndefined();
    expect(dayOf("volume_dollar")).toEqual([100]);
  });

  it("are other prices: the whole history is built again, once", async () => {
    const folder = newTokenFolder();
    folder.csv("transfers-1.csv", moves);
    folder.prices(daily(0));
    const store = new MemoryStore();
    const { build } = await runBuild(store, folder.asset(keys));
    const asset = folder.asset({ ...keys, ...stamped });
    const why = "prices before 2024-01-04 have changed";
    expect(await dryRunBuild(asset, store, { threads: 1 })).toMatch(`TOK: full build: ${why}`);
    const next = await runBuild(store, asset);
    expect(next.build).not.toBe(build);
    expect(next.start).toEqual({ reason: expect.stringContaining(why) });
    expect(await runBuild(store, asset)).toMatchObject({ isUnchanged: true, build: next.build });
  });
});

const plain = (text: string) => new RegExp(`^${text.replaceAll(/[.()]/g, "\\$&")}$`);
