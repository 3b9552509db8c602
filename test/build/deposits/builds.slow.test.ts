/** Builds that detect deposit addresses: what they publish, when they compute the table, and where it is kept. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LocalFolder } from "../../../builder/build/folder/local-folder.ts";
import { reportDeposits } from "../../../builder/build/run/deposit-report.ts";
import { dryRunBuild } from "../../../builder/build/run/dry-run.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { verify } from "../../../builder/published/verify/verify.ts";
import { changePrefix, currentKey, depositsKey } from "../../../data-schema/stored/objects.ts";
import { catalogEntry, type Manifest, parseManifest } from "../../../data-schema/stored.ts";
import { scratchFolder } from "../../folders.ts";
import type { Token, Transfer } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpacked } from "../../store/unpacked.ts";
import { activeManifest, runBuild } from "../checkpoint/nights.ts";
import { newTokenFolder } from "../checkpoint/two-nights.ts";
import { StagedBuild } from "../run/staged-build.ts";

const address = (digits: string) => `0x${digits.repeat(20)}`;
const ZERO = address("00");
const [ALICE, BOB, HOT, FIRST, SECOND, POOL] = ["a1", "b0", "e1", "d1", "d2", "c0"].map(address) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const DAY = 86_400;
const START = Date.UTC(2024, 0, 25) / 1000;
const TOKENS = 10n ** 18n;

/** An event of a day and a minute of it. */
const event = (day: number, minute: number, from: string, to: string, value: bigint): Transfer => ({
  block: 1000 + 10_000 * day + minute,
  logIndex: 0,
  timestamp: START + day * DAY + 60 * minute,
  from,
  to,
  value,
});

/** The first address is one of deposits; the second passes its first deposit on in February, but breaks a rule in March. */
const JANUARY = [
  event(0, 0, ZERO, ALICE, 1_000n * TOKENS),
  event(1, 0, ALICE, FIRST, 100n * TOKENS),
  event(1, 10, FIRST, HOT, 100n * TOKENS),
  event(2, 0, ALICE, POOL, 10n * TOKENS),
  event(3, 0, ALICE, BOB, 50n * TOKENS),
];
const FEBRUARY = [
  event(8, 0, BOB, SECOND, 5n * TOKENS),
  event(8, 10, SECOND, HOT, 5n * TOKENS),
  event(9, 0, ALICE, HOT, 20n * TOKENS),
];
const MARCH = [event(40, 0, BOB, FIRST, 5n * TOKENS), event(43, 0, FIRST, HOT, 5n * TOKENS)];

const token: Token = {
  decimals: 18,
  maxSupply: "1000000",
  asOf: START + 60 * DAY,
  prices: [[START, 1]],
  exchanges: { [HOT]: "binance" },
  contracts: [POOL],
  transfers: [...JANUARY, ...FEBRUARY, ...MARCH],
};

const AS_OF = { january: "2024-01-30T00:00:00Z", february: "2024-02-05T00:00:00Z", later: "2024-02-20T00:00:00Z" };
const MARCH_AS_OF = "2024-03-20T00:00:00Z";
const HEADER = "address,exchange,since,sends,tokens\n";
const ROW = `${FIRST},binance,2024-01-26T00:00:00Z,1,100\n`;
const SECOND_ROW = `${SECOND},binance,2024-02-02T00:00:00Z,1,5\n`;

function january() {
  const folder = newTokenFolder(token);
  folder.csv("transfers-1.csv", JANUARY);
  folder.prices(token.prices);
  const store = new MemoryStore();
  const table = join(folder.path, "TOK.deposits.csv");
  const asset = (asOf: string | undefined, keys = {}) =>
    folder.asset({ ...(asOf && { asOf }), deposits: "detect", ...keys });
  return {
    folder,
    store,
    table,
    asset,
    build: (asOf: string | undefined, options = {}) => runBuild(store, asset(asOf), options),
  };
}

async function causes(store: MemoryStore) {
  const [last] = [...(await store.list(changePrefix("TOK"))).keys()].sort().reverse();
  return JSON.parse(Buffer.from((await store.get(last!))!.bytes).toString()).causes;
}

const reasonOf = async (store: MemoryStore) =>
  parseManifest(Buffer.from((await store.get(currentKey("TOK")))!.bytes).toString()).reason;

/** What a manifest lists, but for a metric. */
const othersThan = (metric: string, { resolutions }: Manifest): unknown =>
  JSON.parse(JSON.stringify(resolutions, (key, value) => (key === metric ? undefined : value)));

describe("a build that detects deposit addresses", () => {
  it("publishes what one does whose own labels are the table", async () => {
    const { folder, store, table, build } = january();
    folder.csv("transfers-2.csv", FEBRUARY);
    const report = await build(AS_OF.february);
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW + SECOND_ROW);
    expect(report.start).toEqual({ reason: "it is the first build; 2 deposit addresses came, 0 went" });
    const labelled = new MemoryStore();
    folder.labels({ ...token, exchanges: { ...token.exchanges, [FIRST]: "binance", [SECOND]: "binance" } });
    await runBuild(labelled, folder.asset({ asOf: AS_OF.february }));
    const [detected, own] = [await activeManifest(store, "TOK"), await activeManifest(labelled, "TOK")];
    expect(othersThan("deposit_addresses", detected)).toEqual(othersThan("deposit_addresses", own));
    expect(detected.resolutions).not.toEqual(own.resolutions);
    expect(detected.labels!.exchanges).toMatchObject({ addresses: 3, held: 3, holders: 1 });
    const [ours, theirs] = await Promise.all([unpacked(store), unpacked(labelled)]);
    for (const [key, { bytes }] of theirs.objects) {
      if (key.startsWith("series/")) expect(ours.objects.get(key)?.bytes, key).toEqual(bytes);
    }
    const { deposits } = detected;
    // 105 of 125 tokens arrive at them.
    expect(deposits).toMatchObject({ asOf: "2024-02-05T00:00:00.000Z", exchanges: { binance: 2 }, inflowShare: 0.84 });
    expect(catalogEntry(detected).deposits).toEqual({
      asOf: "2024-02-05T00:00:00.000Z",
      exchanges: { binance: 2 },
      inflowShare: 0.84,
    });
    expect(Buffer.from((await store.get(depositsKey("TOK", deposits!.table!.hash)))!.bytes).toString()).toBe(
      HEADER + ROW + SECOND_ROW,
    );
    expect((await verify(store, "TOK", silentProgress())).problems).toEqual([]);
  });

  it("freezes the table until a month has ended, and says how many came and went", async () => {
    const { folder, store, table, build } = january();
    await build(AS_OF.january);
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW);
    expect((await build(AS_OF.january)).isUnchanged).toBe(true);

    // A night of the same month: the second address has not passed anything on.
    folder.csv("transfers-2.csv", [event(5, 0, BOB, SECOND, TOKENS), event(5, 9, SECOND, HOT, TOKENS)]);
    const night = await build("2024-01-31T00:00:00Z");
    expect(night.start).toMatchObject({ from: expect.any(Number) });
    expect(night.start).not.toHaveProperty("deposits");
    expect((await activeManifest(store, "TOK")).deposits).toMatchObject({ asOf: "2024-01-30T00:00:00.000Z" });
    expect(await causes(store)).toEqual([{ kind: "new-events", from: expect.any(String) }]);
    await build("2024-01-31T00:00:00Z", { full: true });
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW);

    // The next month.
    folder.csv("transfers-3.csv", FEBRUARY);
    expect((await build(AS_OF.february)).start).toEqual({
      reason: "1 deposit address came, 0 went",
    });
    expect(await reasonOf(store)).toBe("full build: 1 deposit address came, 0 went");
    expect(await causes(store)).toMatchObject([
      { kind: "deposits", addresses: 2, came: 1, went: 0 },
      { kind: "labels", count: 1 },
    ]);
    const whole = new MemoryStore();
    await runBuild(whole, join(folder.path, "ASSET.json"), { full: true });
    expect((await activeManifest(store, "TOK")).resolutions).toEqual((await activeManifest(whole, "TOK")).resolutions);

    // An address that ceases to fit leaves the table.
    folder.csv("transfers-4.csv", MARCH);
    await build(MARCH_AS_OF);
    expect(await reasonOf(store)).toBe("full build: 0 deposit addresses came, 1 went");
    expect(readFileSync(table, "utf8")).toContain(SECOND);
    expect(readFileSync(table, "utf8")).not.toContain(FIRST);
  });

  it("resumes where nothing has changed for an address that held the token before", async () => {
    const { folder, store, build } = january();
    await build("2024-02-01T12:00:00Z");
    const quiet = [event(40, 0, ALICE, BOB, TOKENS)];
    folder.csv("transfers-2.csv", quiet);
    expect((await build(MARCH_AS_OF)).start).toEqual({ from: Date.UTC(2024, 1, 1) / 1000 });
    expect((await activeManifest(store, "TOK")).deposits?.asOf).toBe("2024-03-20T00:00:00.000Z");
    // The share goes on over nights, and is that of a build from the start.
    const [share] = [(await activeManifest(store, "TOK")).deposits?.inflowShare];
    await build(MARCH_AS_OF, { full: true });
    expect((await activeManifest(store, "TOK")).deposits?.inflowShare).toBe(share);
    expect(share).toBe(1);
  });

  it("goes by the last transfer where ASSET.json says no end", async () => {
    const { folder, store, table, build } = january();
    await build(undefined);
    expect((await activeManifest(store, "TOK")).deposits?.asOf).toBe("2024-01-28T00:00:01.000Z");
    folder.csv("transfers-2.csv", FEBRUARY);
    const path = join(folder.path, "ASSET.json");
    expect(await dryRunBuild(path, store, { threads: 1, allowSupply: true })).toBe(
      "TOK: resume from 2024-01-28, 4 events to replay",
    );
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW);
    await build(undefined);
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW + SECOND_ROW);
    expect(await reasonOf(store)).toBe("resumed from 2024-01-28; 1 deposit address came, 0 went");
    expect(await causes(store)).toMatchObject([{ kind: "new-events" }, { kind: "deposits", came: 1, went: 0 }]);
  });

  it("finds the table in the store where the file is missing, or an old one", async () => {
    const { folder, store, table, build, asset } = january();
    await build(AS_OF.january);
    const old = readFileSync(table);
    rmSync(table);
    expect((await build(AS_OF.january)).isUnchanged).toBe(true);
    expect(readFileSync(table)).toEqual(old);
    folder.csv("transfers-2.csv", FEBRUARY);
    await build(AS_OF.february);
    // Another machine still has the one before.
    writeFileSync(table, old);
    expect((await build(AS_OF.later)).start).toMatchObject({ from: expect.any(Number) });
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW + SECOND_ROW);
    // Without the object, it is computed.
    const { deposits } = await activeManifest(store, "TOK");
    store.objects.delete(depositsKey("TOK", deposits!.table!.hash));
    rmSync(table);
    await build("2024-02-21T00:00:00Z");
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW + SECOND_ROW);
    expect(existsSync(asset(AS_OF.later))).toBe(true);
  });

  it("takes a table that an operator has corrected, until a month has ended", async () => {
    const { folder, store, table, build } = january();
    await build(AS_OF.january);
    writeFileSync(table, HEADER);
    await build("2024-01-31T00:00:00Z");
    expect(await reasonOf(store)).toBe("full build: 0 deposit addresses came, 1 went");
    expect((await activeManifest(store, "TOK")).deposits).toMatchObject({
      asOf: "2024-01-31T00:00:00.000Z",
      exchanges: {},
      inflowShare: 0,
    });
    folder.csv("transfers-2.csv", FEBRUARY);
    await build(AS_OF.february);
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW + SECOND_ROW);
  });

  it("leaves the file as it was if it fails", async () => {
    const { folder, table, build } = january();
    await build(AS_OF.january);
    folder.csv("transfers-1.csv", JANUARY.slice(0, 2));
    await expect(build(AS_OF.february, { allowShorter: false })).rejects.toThrow("fewer than the active build");
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW);
  });

  it("is the same in stages, night by night", async () => {
    const { folder, store, table, build, asset } = january();
    const shared = scratchFolder();
    const staged = new StagedBuild((path, use) => use(new LocalFolder(shared, path, true)));
    await build(AS_OF.january);
    rmSync(table);
    await staged.all(asset(AS_OF.january));
    await staged.expectSame(store);
    // No task but the plan needs the file, which the next plan finds in the store.
    expect(existsSync(table)).toBe(false);
    folder.csv("transfers-2.csv", FEBRUARY);
    await build(AS_OF.february);
    rmSync(table);
    await staged.all(asset(AS_OF.february));
    await staged.expectSame(store);
  });

  it("in stages, is planned again with the end that only the transfers tell, if a month has ended by then", async () => {
    const { folder, asset } = january();
    const shared = scratchFolder();
    const staged = new StagedBuild((path, use) => use(new LocalFolder(shared, path, true)));
    await staged.all(asset(undefined));
    folder.csv("transfers-2.csv", FEBRUARY);
    const path = asset(undefined);
    await expect(staged.all(path)).rejects.toThrow(
      `A month has ended since the deposit addresses were computed: plan the build again, with \`soprano stage plan ${path} --as-of 2024-02-`,
    );
    await staged.all(asset(AS_OF.february));
  });

  it("keeps the table beside the inputs of an asset with a source", async () => {
    const { folder, store, asset } = january();
    const source = { chainId: 1, firstBlock: 1, events: "erc20", labels: "none" };
    await runBuild(store, asset(AS_OF.january, { source, transfers: "transfers-*.csv" }));
    expect(readFileSync(join(folder.path, "inputs/TOK/deposits.csv"), "utf8")).toBe(HEADER + ROW);
  });
});

describe("a file of deposit addresses", () => {
  const given = (...rows: string[]) => {
    const { folder, store } = january();
    folder.write("mine.csv", ["address,exchange", ...rows].join("\n"));
    return { folder, store, build: () => runBuild(store, folder.asset({ asOf: AS_OF.january, deposits: "mine.csv" })) };
  };

  it("labels its addresses, contracts too, and an exchange of the list keeps its label", async () => {
    const { store, build } = given(`${FIRST},binance`, `${POOL},kraken`, `${HOT},kraken`);
    const { details } = await build();
    expect(details!.input.notices).toContain(
      `1 deposit address keeps another label that the lists of exchanges have, the first ${HOT}: binance (exchanges.csv, row 1), not kraken (mine.csv, row 3).`,
    );
    const { deposits, labels } = await activeManifest(store, "TOK");
    // 100 tokens to FIRST and 10 to the contract; nothing else comes in from outside.
    expect(deposits).toEqual({ exchanges: { binance: 1, kraken: 1 }, inflowShare: 1 });
    expect(labels!.exchanges).toMatchObject({ addresses: 3 });
  });

  it("counts exchanges without a series as other, with a notice", async () => {
    const { store, build } = given(`${FIRST},unheard-of`);
    const { details } = await build();
    expect(details!.input.notices).toContain("Exchanges without a series of their own count as “other”: unheard-of.");
    expect((await activeManifest(store, "TOK")).deposits!.exchanges).toEqual({ other: 1 });
  });

  it("is refused if it is wrong, with file and row", async () => {
    await expect(given(`${FIRST},binance`, "0x12,binance").build()).rejects.toThrow(
      'mine.csv, row 2, column address: "0x12" is not 20 bytes long',
    );
    await expect(given(`${FIRST},`).build()).rejects.toThrow("mine.csv, row 1, column exchange: the cell is empty");
    await expect(given(`${FIRST},binance`, `${SECOND},binance`, `${FIRST},kraken`).build()).rejects.toThrow(
      `${FIRST} has two exchanges: binance (mine.csv, row 1) and kraken (mine.csv, row 3); remove one.`,
    );
    const { folder, store } = january();
    folder.write("mine.csv", `address\n${FIRST}\n`);
    const asset = folder.asset({ asOf: AS_OF.january, deposits: "mine.csv" });
    await expect(runBuild(store, asset)).rejects.toThrow("mine.csv lacks a column: exchange.");
    await expect(runBuild(store, folder.asset({ deposits: "none.csv" }))).rejects.toThrow(
      "none.csv (deposits) does not exist",
    );
    await expect(runBuild(store, folder.asset({ deposits: true }))).rejects.toThrow(
      '"deposits" must be "detect", "none" or the path of a file with the columns address and exchange',
    );
  });

  it("is none, where ASSET.json says so or nothing", async () => {
    const { folder, store } = january();
    await runBuild(store, folder.asset({ asOf: AS_OF.january, deposits: "none" }));
    const { build, deposits } = await activeManifest(store, "TOK");
    expect(deposits).toBeUndefined();
    const other = new MemoryStore();
    await runBuild(other, folder.asset({ asOf: AS_OF.january }));
    expect((await activeManifest(other, "TOK")).build).toBe(build);
  });
});

describe("soprano deposits", () => {
  const work = { threads: 1, memory: 2 ** 29 };

  it("tells the frozen table, and computes another on demand, which the next build goes by", async () => {
    const { folder, store, table, asset, build } = january();
    await build(AS_OF.january);
    folder.csv("transfers-2.csv", FEBRUARY);
    const path = asset(AS_OF.february);
    const frozen = await reportDeposits(path, store, work);
    expect(frozen.split("\n")).toEqual([
      "TOK: 1 deposit address, computed as of 2024-01-30T00:00:00Z",
      "exchange  addresses  sends",
      "binance           1      1",
      "80.0 % of the exchange inflow arrived at them, and 80.0 % of that of the last 365 days.",
    ]);
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW);
    const out = join(folder.path, "copy.csv");
    expect(await reportDeposits(path, store, { ...work, recheck: true, out })).toContain("TOK: 2 deposit addresses");
    expect(readFileSync(table, "utf8")).toBe(HEADER + ROW + SECOND_ROW);
    expect(readFileSync(out, "utf8")).toBe(HEADER + ROW + SECOND_ROW);
    await build(AS_OF.february);
    expect(await reasonOf(store)).toBe("resumed from 2024-01-30; 1 deposit address came, 0 went");
  });

  it("computes one for an asset that detects none, and keeps it nowhere", async () => {
    const { folder, store, table } = january();
    const path = folder.asset({ asOf: AS_OF.january });
    expect((await reportDeposits(path, store, work)).split("\n").at(-1)).toBe(
      `Builds don't go by it: add "deposits": "detect" to ${path}.`,
    );
    expect(existsSync(table)).toBe(false);
  });

  it("tells a file of the user's, and computes none in its place", async () => {
    const { folder, store } = january();
    folder.write("mine.csv", `address,exchange\n${FIRST},binance\n`);
    const path = folder.asset({ asOf: AS_OF.january, deposits: "mine.csv" });
    expect((await reportDeposits(path, store, work)).split("\n").slice(0, 3)).toEqual([
      "TOK: 1 deposit address",
      "exchange  addresses",
      "binance           1",
    ]);
    // Other columns are ignored.
    folder.write("mine.csv", `address,exchange,sends\n${FIRST},Binance,many\n${SECOND},unheard-of,5\n`);
    expect((await reportDeposits(path, store, work)).split("\n").slice(0, 4)).toEqual([
      "TOK: 2 deposit addresses",
      "exchange  addresses",
      "other             1",
      "binance           1",
    ]);
    await expect(reportDeposits(path, store, { ...work, recheck: true })).rejects.toThrow(
      '"deposits" names mine.csv, which is yours and not computed; to have it computed, set it to "detect".',
    );
  });
});
