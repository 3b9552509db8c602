import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { NAMED_EXCHANGES } from "../../../data-schema/registry/exchanges.ts";
import { csvOf, extentOf, filesOf, type Row, transfersOf } from "./read-back.ts";
import { emptyFolder, simulated } from "./simulated.ts";

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
const TOKEN = 10n ** 18n;
const HOUR = 3_600;
const monthOf = (timestamp: number) => new Date(timestamp * 1000).toISOString().slice(0, 7);
const AS_OF = Date.UTC(2026, 0, 1) / 1000;

describe("the same options", () => {
  test("give the same bytes", async () => {
    const [first, second] = [await filesOf(await simulated()), await filesOf(await simulated())];
    expect([...first.keys()]).toEqual([
      "asset.json",
      "contracts.csv",
      "exchanges.csv",
      "prices.csv",
      "simulation.json",
      "transfers-0001.parquet",
    ]);
    expect(second).toEqual(first);
  });

  test("give the same transfers in files of one month each", async () => {
    const [first, second] = [await simulated(), await simulated({ monthly: true })];
    const rows = await transfersOf(second);
    const months = Map.groupBy(rows, ({ file }) => file).values();
    const named = Array.from(months, (rows) => [...new Set(rows.map(({ timestamp }) => monthOf(timestamp)))]);
    expect(named).toEqual([["2025-11"], ["2025-12"]]);
    const withoutFile = (rows: Row[]) => rows.map(({ file: _, ...row }) => row);
    expect(withoutFile(rows)).toEqual(withoutFile(await transfersOf(first)));
  });

  test("but another seed give another token", async () => {
    const [first, second] = [await filesOf(await simulated()), await filesOf(await simulated({ seed: 2 }))];
    for (const [name, bytes] of first) expect(second.get(name)?.equals(bytes), name).toBe(false);
  });
});

describe("a simulated token", () => {
  const TRANSFERS = 30_000;
  const ADDRESSES = 3_000;
  const DAYS = 700;
  let rows: Row[];
  let prices: [timestamp: number, usd: number][];
  let exchangeOf: Map<string, string>;
  let contracts: Set<string>;
  /** At the end, replayed in order; and the lowest that any of them ever was. */
  let balances: Map<string, bigint>;
  let lowest: bigint;
  /** Transfers with an amount and two different addresses, mints and burns included. */
  let moves: Row[];

  beforeAll(async () => {
    const folder = await simulated({ transfers: TRANSFERS, days: DAYS });
    rows = await transfersOf(folder);
    prices = (await csvOf(folder, "prices.csv")).map(([timestamp, usd]) => [Number(timestamp), Number(usd)]);
    exchangeOf = new Map((await csvOf(folder, "exchanges.csv")).map(([address = "", name = ""]) => [address, name]));
    contracts = new Set((await csvOf(folder, "contracts.csv")).map(([address = ""]) => address));
    moves = rows.filter(({ from, to, value }) => from !== to && value > 0n);
    balances = new Map();
    lowest = 0n;
    const change = (address: string, by: bigint) => {
      if (address === ZERO_ADDRESS) return;
      const balance = (balances.get(address) ?? 0n) + by;
      balances.set(address, balance);
      if (balance < lowest) lowest = balance;
    };
    for (const { from, to, value } of rows) {
      change(from, -value);
      change(to, value);
    }
  });

  test("has exactly the transfers and addresses that were asked for", () => {
    expect(rows.length).toBe(TRANSFERS);
    const addresses = new Set(rows.flatMap(({ from, to }) => [from, to]));
    addresses.delete(ZERO_ADDRESS);
    expect(addresses.size).toBe(ADDRESSES);
  });

  test("gains new addresses all along", () => {
    const seen = new Set<string>();
    const tenth = TRANSFERS / 10;
    for (let start = 0; start < TRANSFERS; start += tenth) {
      const before = seen.size;
      for (const { to } of rows.slice(start, start + tenth)) seen.add(to);
      expect((seen.size - before) / ADDRESSES).toBeGreaterThan(0.05);
      expect((seen.size - before) / ADDRESSES).toBeLessThan(0.25);
    }
    const last = rows.slice(-100).filter(({ from }) => from === rows[0]!.to);
    expect(last.length).toBeLessThan(30);
  });

  test("has its events in order, between the start and the end", () => {
    for (let row = 1; row < rows.length; row++) {
      const [before, after] = [rows[row - 1]!, rows[row]!];
      expect(after.timestamp - before.timestamp).toBe(12 * (after.block - before.block));
      expect(after.block > before.block || (after.block === before.block && after.logIndex > before.logIndex)).toBe(
        true,
      );
    }
    expect(rows[0]!.timestamp).toBeGreaterThanOrEqual(AS_OF - DAYS * 24 * HOUR);
    expect(rows.at(-1)!.timestamp).toBeLessThan(AS_OF);
    expect(rows.at(-1)!.timestamp).toBeGreaterThan(AS_OF - 24 * HOUR);
  });

  test("lets nobody send more than they have; many end with nothing", () => {
    const issued = rows.map(
      ({ from, to, value }) => (from === ZERO_ADDRESS ? value : 0n) - (to === ZERO_ADDRESS ? value : 0n),
    );
    const supply = issued.reduce((sum, value) => sum + value, 0n);
    expect(lowest).toBe(0n);
    expect([...balances.values()].reduce((sum, balance) => sum + balance, 0n)).toBe(supply);
    expect(supply).toBeLessThanOrEqual(1_000_000_000n * TOKEN);
    const empty = [...balances.values()].filter((balance) => balance === 0n).length;
    expect(empty).toBeGreaterThan(ADDRESSES / 10);
    expect(empty).toBeLessThan(ADDRESSES / 2);
  });

  test("has mints, burns, self transfers and transfers of nothing", () => {
    expect(moves.filter(({ from }) => from === ZERO_ADDRESS).length).toBeGreaterThan(100);
    expect(moves.filter(({ to }) => to === ZERO_ADDRESS).length).toBeGreaterThan(20);
    expect(rows.filter(({ from, to, value }) => from === to && value > 0n).length).toBeGreaterThan(5);
    expect(rows.filter(({ value }) => value === 0n).length).toBeGreaterThan(5);
  });

  test("has wallets that get new tokens bit by bit", () => {
    const mints = Map.groupBy(
      moves.filter(({ from, value }) => from === ZERO_ADDRESS && value > 1_000n * TOKEN),
      ({ to }) => to,
    );
    const often = [...mints.values()].filter((grants) => grants.length > 5);
    expect(mints.size).toBeGreaterThan(100);
    expect(often.length).toBeGreaterThan(40);
  });

  test("has named exchanges, one that is not named, and an address that is exchange and contract", () => {
    const names = new Set(exchangeOf.values());
    const unnamed = [...names].filter((name) => !NAMED_EXCHANGES.some((named) => named === name));
    expect(names.size).toBe(11);
    expect(unnamed).toEqual(["harbourside"]);
    expect([...exchangeOf.keys()].filter((address) => contracts.has(address)).length).toBe(1);
  });

  test("has deposits that are swept whole, withdrawals, and transfers between exchanges", () => {
    const inside = moves.filter(({ from, to }) => exchangeOf.has(from) && exchangeOf.get(from) === exchangeOf.get(to));
    const between = moves.filter(
      ({ from, to }) => exchangeOf.has(from) && exchangeOf.has(to) && exchangeOf.get(from) !== exchangeOf.get(to),
    );
    const withdrawals = moves.filter(({ from, to }) => exchangeOf.has(from) && !exchangeOf.has(to));
    expect(inside.length).toBeGreaterThan(TRANSFERS / 20);
    expect(between.length).toBeGreaterThan(TRANSFERS / 200);
    expect(withdrawals.length).toBeGreaterThan(TRANSFERS / 20);
    const swept = new Set(inside.map(({ from }) => from)).size;
    expect(swept).toBeGreaterThan(ADDRESSES / 20);
  });

  test("has contracts that receive and send", () => {
    expect(moves.filter(({ to }) => contracts.has(to)).length).toBeGreaterThan(TRANSFERS / 20);
    expect(moves.filter(({ from }) => contracts.has(from)).length).toBeGreaterThan(TRANSFERS / 20);
  });

  test("is heavy-tailed: one address in a hundred does a third of the sending, and most do little", () => {
    const sent = new Map<string, number>();
    for (const { from } of moves) sent.set(from, (sent.get(from) ?? 0) + 1);
    const counts = [...sent.values()].sort((a, b) => b - a);
    const top = counts.slice(0, ADDRESSES / 100).reduce((sum, count) => sum + count, 0);
    expect(top).toBeGreaterThan(moves.length / 3);
    expect(counts[Math.floor(counts.length / 2)]!).toBeLessThanOrEqual(5);
  });

  test("has holders in every value range and every balance cohort, and coins untouched for a year", () => {
    const usd = prices.at(-1)![1];
    const lastActive = new Map<string, number>();
    for (const { from, to, timestamp } of moves) lastActive.set(from, timestamp).set(to, timestamp);
    const users = [...balances].filter(
      ([address, held]) => held > 0n && !exchangeOf.has(address) && !contracts.has(address),
    );
    const tokens = users.map(([, held]) => Number(held) / 1e18);
    const cohorts = (edges: number[], values: number[]) =>
      new Set(values.map((value) => edges.filter((edge) => value >= edge).length));
    expect(
      cohorts(
        [100, 1e3, 1e4, 1e5, 1e6, 1e7],
        tokens.map((held) => held * usd),
      ).size,
    ).toBe(7);
    // T is 0.5 tokens of a maximal supply of a billion.
    expect(cohorts([0.5, 5, 50, 500, 5_000, 50_000, 500_000], tokens).size).toBe(8);
    expect(users.filter(([address]) => AS_OF - lastActive.get(address)! > 365 * 24 * HOUR).length).toBeGreaterThan(10);
  });

  test("has break-even moves: all that an empty address bought is sold within the price's hour", () => {
    const held = new Map<string, { hour: number; value: bigint }>();
    let breakEven = 0;
    for (const { from, to, value, timestamp } of moves) {
      const hour = Math.floor(timestamp / HOUR);
      const bought = held.get(from);
      if (bought?.hour === hour && bought.value === value && !exchangeOf.has(from)) breakEven++;
      held.delete(from);
      held.set(to, held.has(to) ? { hour: -1, value: 0n } : { hour, value });
    }
    expect(breakEven).toBeGreaterThan(TRANSFERS / 200);
  });

  test("has a price for every hour, from before the first mint on", () => {
    expect(prices[0]![0]).toBeLessThanOrEqual(rows[0]!.timestamp);
    for (let hour = 1; hour < prices.length; hour++) expect(prices[hour]![0] - prices[hour - 1]![0]).toBe(HOUR);
    expect(prices.at(-1)![0]).toBe(AS_OF - HOUR);
    expect(prices.every(([, usd]) => usd >= 0.1 && usd <= 20)).toBe(true);
  });

  test("is as busy as the market: its busiest day has several times the transfers of an ordinary one", () => {
    const days = new Map<number, number>();
    for (const { timestamp } of rows.slice(-TRANSFERS * 0.9)) {
      const day = Math.floor(timestamp / 86_400);
      days.set(day, (days.get(day) ?? 0) + 1);
    }
    const counts = [...days.values()].sort((a, b) => a - b);
    expect(counts.at(-1)!).toBeGreaterThan(2.5 * counts[Math.floor(counts.length / 2)]!);
  });
});

test("addresses can be as many as one in four transfers, or few", async () => {
  for (const addresses of [200, 1_250]) {
    const rows = await transfersOf(await simulated({ addresses }));
    const seen = new Set(rows.flatMap(({ from, to }) => [from, to]));
    seen.delete(ZERO_ADDRESS);
    expect(seen.size).toBe(addresses);
  }
});

test("the smallest simulation is whole", async () => {
  const rows = await transfersOf(await simulated({ transfers: 1_000, days: 30 }));
  expect(rows.length).toBe(1_000);
});

test("a file has at most 500,000 rows; the next continues its order", async () => {
  const progress: number[] = [];
  const folder = await simulated({ transfers: 500_001, onProgress: (done) => progress.push(done) });
  const [first, second] = await Promise.all(
    ["transfers-0001.parquet", "transfers-0002.parquet"].map((file) => extentOf(folder, file)),
  );
  expect([first?.rows, second?.rows]).toEqual([500_000, 1]);
  expect(second?.firstBlock).toBeGreaterThanOrEqual(first?.lastBlock ?? Infinity);
  expect((await filesOf(folder)).has("transfers-0003.parquet")).toBe(false);
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  expect(progress.at(-1)).toBe(500_001);
});

test("asset.json says what soprano build needs", async () => {
  const folder = await emptyFolder();
  const asOf = Date.UTC(2024, 1, 29) / 1000;
  const result = await simulate({ out: folder, seed: 9, transfers: 1_000, days: 30, symbol: "TRY", name: "Try", asOf });
  expect(result).toEqual({ assetPath: join(folder, "asset.json"), symbol: "TRY", transfers: 1_000, addresses: 200 });
  const [row] = await transfersOf(folder);
  const asset = JSON.parse((await filesOf(folder)).get("asset.json")!.toString());
  expect(asset).toEqual({
    symbol: "TRY",
    name: "Try",
    chain: "ethereum",
    contract: row!.token,
    decimals: 18,
    maxSupply: "1000000000",
    asOf: "2024-02-29T00:00:00Z",
    transfers: "transfers-*.parquet",
    prices: "prices.csv",
    exchanges: "exchanges.csv",
    contracts: "contracts.csv",
  });
});

describe("the folder", () => {
  test("is made, with those above it", async () => {
    const out = join(await emptyFolder(), "a", "b");
    await simulated({ out });
    expect(existsSync(join(out, "asset.json"))).toBe(true);
  });

  test("may hold an earlier simulation, which is replaced, and other files, which are kept", async () => {
    const out = await emptyFolder();
    await writeFile(join(out, "notes.txt"), "mine");
    await simulated({ out, seed: 2 });
    await writeFile(join(out, "transfers-0002.parquet"), "of a longer simulation");
    await simulated({ out });
    const files = await filesOf(out);
    expect(files.get("notes.txt")?.toString()).toBe("mine");
    files.delete("notes.txt");
    expect(files).toEqual(await filesOf(await simulated()));
  });

  test("may hold an unfinished simulation", async () => {
    const out = await simulated();
    await rm(join(out, "asset.json"));
    await writeFile(join(out, "asset.json.part"), "{");
    expect(await filesOf(await simulated({ out }))).toEqual(await filesOf(await simulated()));
  });

  test("has no asset.json when a simulation stops on the way", async () => {
    const out = await simulated();
    const stop = () => {
      throw new Error("stopped");
    };
    await expect(simulated({ out, transfers: 30_000, onProgress: stop })).rejects.toThrow("stopped");
    expect(await readdir(out)).not.toContain("asset.json");
  });

  test("is refused when it has files of the same names that no simulation made", async () => {
    for (const record of [undefined, "{}"]) {
      const out = await emptyFolder();
      await writeFile(join(out, "asset.json"), "mine");
      if (record) await writeFile(join(out, "simulation.json"), record);
      const before = await filesOf(out);
      await expect(simulated({ out })).rejects.toThrow(
        new Failure(`${join(out, "asset.json")} is not of a simulation; name another folder, or move that file`),
      );
      expect(await filesOf(out)).toEqual(before);
    }
  });

  test("is refused when it cannot be written", async () => {
    const folder = await emptyFolder();
    const file = join(folder, "file");
    await writeFile(file, "");
    const blocked = join(folder, "blocked");
    await mkdir(join(blocked, "simulation.json"), { recursive: true });
    for (const out of [file, join(file, "below"), blocked]) {
      await expect(simulated({ out })).rejects.toThrow(Failure);
      await expect(simulated({ out })).rejects.toThrow(
        /^Cannot write the simulation \(.*\); name a folder that can be/,
      );
    }
  });
});

test.each([
  [{ seed: -1 }, "The seed is -1; it must be a whole number from 0 to 9007199254740991"],
  [{ seed: 0.5 }, "The seed is 0.5; it must be a whole number from 0 to 9007199254740991"],
  [{ transfers: 999 }, "The number of transfers is 999; it must be a whole number from 1000 to 1000000000"],
  [{ transfers: Number.NaN }, "The number of transfers is NaN; it must be a whole number from 1000 to 1000000000"],
  [{ days: 29 }, "The number of days is 29; it must be a whole number from 30 to 3300"],
  [{ addresses: 1_251 }, "The number of addresses is 1251; it must be a whole number from 200 to 1250"],
  [
    { symbol: "sim" },
    'The symbol is "sim"; it must be 1 to 20 of A–Z, 0–9, ".", "_" and "-", beginning with a letter or digit',
  ],
  [{ asOf: 1 }, "The history ends at 1; it must end at a UTC midnight at least 60 days after 1970"],
])("%j is refused in a sentence", async (options, sentence) => {
  const out = await emptyFolder();
  await expect(simulated({ ...options, out })).rejects.toThrow(new Failure(sentence));
  expect(await readdir(out)).toEqual([]);
});
