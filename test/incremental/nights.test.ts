/**
 * Any number of nights publishes what one full build publishes, bit for bit: the manifest has a digest of every object
 * and of the checkpoint. Source: docs/methodology.md §8.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeCheckpoint } from "../../builder/incremental/checkpoint-file.ts";
import { checkpointKey } from "../../data-schema/objects.ts";
import { histories } from "../reference/histories.ts";
import { replayOrder, type Token, ZERO_ADDRESS } from "../reference/reference.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { activeManifest, runBuild, TokenFolder } from "./nights.ts";

const DAY = 86_400;
const TIMEOUT_MS = 600_000;

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** When tokens first move. Before that there is nothing to build. */
function firstTime({ transfers }: Token): number {
  const moving = transfers.filter(({ from, to, value }) => value > 0n && from !== to);
  return Math.min(...moving.map(({ timestamp }) => timestamp));
}

/** As-of of a build, and the end of the rows in its files, which may be later. Unix seconds. */
interface Night {
  asOf: number;
  files: number;
  threads: number;
}

function nights(token: Token): fc.Arbitrary<Night[]> {
  const first = firstTime(token);
  const days = Math.max(1, Math.floor((token.asOf - first) / DAY));
  const night = fc.record({
    day: fc.nat(days),
    seconds: fc.constantFrom(0, 0, 1, 3_600, 40_000, DAY - 1),
    late: fc.constantFrom(0, 0, 60, DAY, 3 * DAY),
    threads: fc.constantFrom(1, 2),
  });
  return fc.array(night, { minLength: 2, maxLength: 4 }).map((list) => {
    const times = list
      .map(({ day, seconds, late, threads }) => {
        const asOf = Math.floor(first / DAY) * DAY + day * DAY + seconds;
        return { asOf, files: asOf + late, threads };
      })
      .filter(({ asOf }) => asOf > first && asOf < token.asOf)
      .sort((a, b) => a.asOf - b.asOf);
    return [...times, { asOf: token.asOf, files: Number.POSITIVE_INFINITY, threads: 1 }];
  });
}

/** As-of can't be in the future. */
const buildable = histories(30).filter((token) => firstTime(token) < token.asOf && token.asOf * 1000 < Date.now());

/** Adds a price before the first night, because a file of prices can't be empty. */
function pricesOf({ prices, transfers }: Token): Token["prices"] {
  if (prices.length === 0) return [];
  return [[Math.min(prices[0]![0], transfers[0]!.timestamp) - 1, 1], ...prices];
}

/** How new rows arrive. */
const FORMS = {
  /** In a new CSV each night. */
  async csv(folder: TokenFolder, transfers: ReturnType<typeof replayOrder>, night: number) {
    if (transfers.length > 0) folder.csv(`transfers-${night}.csv`, transfers);
  },
  async parquet(folder: TokenFolder, transfers: ReturnType<typeof replayOrder>, night: number) {
    if (transfers.length > 0) await folder.parquet(`transfers-${night}.parquet`, transfers);
  },
  /** In one CSV that grows. */
  async grown(folder: TokenFolder, _: unknown, __: number, all: ReturnType<typeof replayOrder>) {
    folder.csv("transfers-all.csv", all);
  },
};

it(
  "nights that bring new transfers and the labels of new addresses equal one full build",
  async () => {
    let resumed = 0;
    await fc.assert(
      fc.asyncProperty(
        buildable.chain((token) => fc.tuple(fc.constant(token), nights(token))),
        fc.constantFrom(...(Object.keys(FORMS) as (keyof typeof FORMS)[])),
        async ([token, times], form) => {
          const folder = new TokenFolder(token, "TOK");
          const prices = pricesOf(token);
          const asset = (asOf: number) =>
            folder.asset({ asOf: iso(asOf), ...(prices.length === 0 && { prices: undefined }) });
          const nightly = new MemoryStore();
          const whole = new MemoryStore();
          try {
            const events = replayOrder({ ...token, asOf: Number.POSITIVE_INFINITY });
            let written = 0;
            let until = 0;
            let hasCheckpoint = false;
            for (const [night, { asOf, files, threads }] of times.entries()) {
              until = Math.max(until, files);
              const all = events.filter(({ timestamp }) => timestamp < until);
              await FORMS[form](folder, all.slice(written), night, all);
              written = all.length;
              // An address is labelled when its first transfer arrives.
              const known = new Set(all.flatMap(({ from, to }) => [from.toLowerCase(), to.toLowerCase()]));
              folder.labels(token, night < times.length - 1 ? known : undefined);
              folder.prices(prices.filter(([time]) => time < until));
              const report = await runBuild(nightly, asset(asOf), { threads });
              if (hasCheckpoint) expect(report.start).toHaveProperty("from");
              if ("from" in report.start) resumed++;
              hasCheckpoint = (await activeManifest(nightly, "TOK")).checkpoint !== undefined;
            }
            await runBuild(whole, asset(token.asOf), { threads: 2 });
            expect(await activeManifest(nightly, "TOK")).toEqual(await activeManifest(whole, "TOK"));
          } finally {
            folder.close();
          }
        },
      ),
      { numRuns: 6 },
    );
    expect(resumed).toBeGreaterThan(3);
  },
  TIMEOUT_MS,
);

/** Labels that a file may give; an address that is both counts as an exchange. */
const LABELS = ["none", "contract", "binance", "kraken", "binance and contract"] as const;
type Label = (typeof LABELS)[number];
const NEVER_SEEN = `0x${"ee".repeat(20)}`;

/** What counts of a label. */
const groupOf = (label: Label = "none") => (label === "binance and contract" ? "binance" : label);

/** The labels as the files of a token, in upper and lower case. */
function withLabels(token: Token, labels: ReadonlyMap<string, Label>): Token {
  const exchanges: Record<string, string> = {};
  const contracts: string[] = [];
  for (const [address, label] of labels) {
    if (label === "contract" || label === "binance and contract") contracts.push(address);
    if (label !== "contract" && label !== "none") exchanges[`0x${address.slice(2).toUpperCase()}`] = groupOf(label);
  }
  return { ...token, exchanges, contracts };
}

async function checkpointTime(store: MemoryStore): Promise<number | undefined> {
  const { checkpoint } = await activeManifest(store, "TOK");
  if (!checkpoint) return undefined;
  return decodeCheckpoint((await store.get(checkpointKey("TOK", checkpoint.hash)))!.bytes).checkpoint.time;
}

it(
  "a build resumes unless the label of an address has changed that moved tokens before the checkpoint",
  async () => {
    const change = fc.record({ who: fc.nat(40), label: fc.constantFrom(...LABELS) });
    const plan = (token: Token) =>
      nights(token).chain((times) => {
        const changes = fc.array(change, { maxLength: 2 });
        return fc.tuple(fc.constant(times), fc.array(changes, { minLength: times.length, maxLength: times.length }));
      });
    await fc.assert(
      fc.asyncProperty(
        buildable.chain((token) => fc.tuple(fc.constant(token), plan(token))),
        async ([token, [times, changes]]) => {
          const folder = new TokenFolder(token, "TOK");
          const prices = pricesOf(token);
          const nightly = new MemoryStore();
          const whole = new MemoryStore();
          try {
            const events = replayOrder({ ...token, asOf: Number.POSITIVE_INFINITY });
            const addresses = [...new Set([ZERO_ADDRESS, NEVER_SEEN, ...events.flatMap(({ from, to }) => [from, to])])];
            folder.csv("transfers-1.csv", events);
            if (prices.length > 0) folder.prices(prices);
            const asset = (asOf: number) =>
              folder.asset({ asOf: iso(asOf), ...(prices.length === 0 && { prices: undefined }) });
            const labels = new Map<string, Label>();
            let built = new Map(labels);
            let time: number | undefined;
            for (const [night, { asOf, threads }] of times.entries()) {
              for (const { who, label } of changes[night]!) labels.set(addresses[who % addresses.length]!, label);
              folder.labels(withLabels(token, labels));
              const moved = events
                .filter(({ timestamp, value, from, to }) => timestamp < (time ?? 0) && value > 0n && from !== to)
                .flatMap(({ from, to }) => [from, to]);
              const [first] = [...new Set(moved)]
                .filter((address) => address !== ZERO_ADDRESS)
                .filter((address) => groupOf(labels.get(address)) !== groupOf(built.get(address)))
                .sort();
              const { start } = await runBuild(nightly, asset(asOf), { threads });
              if (first !== undefined) {
                const [now, was] = [groupOf(labels.get(first)), groupOf(built.get(first))];
                const reason = `the label of ${first} has changed (${now}, was ${was})`;
                expect("reason" in start && start.reason.split(";")[0]).toBe(reason);
              } else if (time !== undefined) expect(start).toEqual({ from: time });
              built = new Map(labels);
              time = await checkpointTime(nightly);
            }
            await runBuild(whole, asset(token.asOf));
            expect(await activeManifest(nightly, "TOK")).toEqual(await activeManifest(whole, "TOK"));
          } finally {
            folder.close();
          }
        },
      ),
      { numRuns: 4 },
    );
  },
  TIMEOUT_MS,
);
