/**
 * What is published after any number of nights, each of which brings labels of new addresses, is what one full build
 * publishes, bit for bit: the manifest has a digest of every object, and of the checkpoint. Source:
 * docs/methodology.md §8.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import { histories } from "../reference/histories.ts";
import { replayOrder, type Token } from "../reference/reference.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { inForce, runBuild, TokenFolder } from "./nights.ts";

const DAY = 86_400;
const TIMEOUT_MS = 600_000;

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
/** When tokens first move: before that there is nothing to build. */
function firstTime({ transfers }: Token): number {
  const moving = transfers.filter(({ from, to, value }) => value > 0n && from !== to);
  return Math.min(...moving.map(({ timestamp }) => timestamp));
}

/** When a build is made, and how much later the last row of its files is. */
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

/** Nothing is built as of a time to come. */
const buildable = histories(30).filter((token) => firstTime(token) < token.asOf && token.asOf * 1000 < Date.now());

/** From before the first night on: a file of prices may not be empty, and a token without one has no key for it. */
function pricesOf({ prices, transfers }: Token): Token["prices"] {
  if (prices.length === 0) return [];
  return [[Math.min(prices[0]![0], transfers[0]!.timestamp) - 1, 1], ...prices];
}

/** How the files of a token come to have more rows. */
const FORMS = {
  /** A new CSV each night. */
  async csv(folder: TokenFolder, transfers: ReturnType<typeof replayOrder>, night: number) {
    if (transfers.length > 0) folder.csv(`transfers-${night}.csv`, transfers);
  },
  async parquet(folder: TokenFolder, transfers: ReturnType<typeof replayOrder>, night: number) {
    if (transfers.length > 0) await folder.parquet(`transfers-${night}.parquet`, transfers);
  },
  /** One CSV that grows. */
  async grown(folder: TokenFolder, _: unknown, __: number, all: ReturnType<typeof replayOrder>) {
    folder.csv("transfers-all.csv", all);
  },
};

it(
  "is the same after any number of nights",
  async () => {
    const seen = { on: 0, first: 0, unchanged: 0 };
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
              // The labels of an address come with its first transfer.
              const known = new Set(all.flatMap(({ from, to }) => [from.toLowerCase(), to.toLowerCase()]));
              folder.labels(token, night < times.length - 1 ? known : undefined);
              folder.prices(prices.filter(([time]) => time < until));
              const report = await runBuild(nightly, asset(asOf), { threads });
              if (hasCheckpoint) expect(report.start).toHaveProperty("from");
              seen["from" in report.start ? "on" : "first"]++;
              if (report.isUnchanged) seen.unchanged++;
              hasCheckpoint = (await inForce(nightly, "TOK")).checkpoint !== undefined;
            }
            await runBuild(whole, asset(token.asOf), { threads: 2 });
            expect(await inForce(nightly, "TOK")).toEqual(await inForce(whole, "TOK"));
          } finally {
            folder.close();
          }
        },
      ),
      { numRuns: 6 },
    );
    expect(seen.on).toBeGreaterThan(3);
  },
  TIMEOUT_MS,
);
