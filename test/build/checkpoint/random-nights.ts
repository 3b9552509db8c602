/** A random history cut into nights, whose input grows from one to the next. */

import fc from "fast-check";
import type { TaskSizes } from "../../../builder/build/plan/sizes.ts";
import { replayOrder, type Token, type Transfer } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { activeManifest, runBuild, TokenFolder } from "./nights.ts";

const DAY = 86_400;

export const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Tasks of a few rows and addresses, whose files are sorted first. */
export const SMALL_TASKS: TaskSizes = {
  bytes: 1_000,
  rows: () => 3,
  partitions: () => 2,
  hours: () => 2,
  writes: () => 2,
  writesAtOnce: () => 1,
};

/** When tokens first move. Before that there is nothing to build. */
export function firstTime({ transfers }: Token): number {
  const moving = transfers.filter(({ from, to, value }) => value > 0n && from !== to);
  return Math.min(...moving.map(({ timestamp }) => timestamp));
}

/** As-of can't be in the future. */
export const isBuildable = (token: Token) => firstTime(token) < token.asOf && token.asOf * 1000 < Date.now();

/** As-of of a build, and the end of the rows in its files, which may be later. Unix seconds. */
export interface Night {
  asOf: number;
  files: number;
  threads: number;
  /** How its tasks are cut. */
  sizes?: TaskSizes;
}

export function nights(token: Token): fc.Arbitrary<Night[]> {
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

/** Adds a price before the first night, because a file of prices can't be empty. */
export function pricesOf({ prices, transfers }: Token): Token["prices"] {
  if (prices.length === 0) return [];
  return [[Math.min(prices[0]![0], transfers[0]!.timestamp) - 1, 1], ...prices];
}

/** How new rows arrive: `grown` in one CSV that grows, the others in a new file each night. */
export const FORMS = ["csv", "parquet", "grown"] as const;
export type Form = (typeof FORMS)[number];

/** Publishes a token night after night, and once as a whole, whose tasks are cut as `sizes` say. @throws {Error} a build could have resumed and did not */
export async function publishNights(
  token: Token,
  times: readonly Night[],
  form: Form,
  sizes?: TaskSizes,
): Promise<{ nightly: MemoryStore; whole: MemoryStore; resumedNights: number }> {
  const folder = new TokenFolder(token, "TOK");
  const prices = pricesOf(token);
  const asset = (asOf: number) => folder.asset({ asOf: iso(asOf), ...(prices.length === 0 && { prices: undefined }) });
  const nightly = new MemoryStore();
  const whole = new MemoryStore();
  try {
    const events = replayOrder({ ...token, asOf: Number.POSITIVE_INFINITY });
    let [written, until, resumedNights, hasCheckpoint] = [0, 0, 0, false];
    for (const [night, { asOf, files, threads, sizes }] of times.entries()) {
      until = Math.max(until, files);
      const all = events.filter(({ timestamp }) => timestamp < until);
      await writeNight(folder, form, night, all.slice(written), all);
      written = all.length;
      // An address is labelled when its first transfer arrives.
      const known = new Set(all.flatMap(({ from, to }) => [from.toLowerCase(), to.toLowerCase()]));
      folder.labels(token, night < times.length - 1 ? known : undefined);
      folder.prices(prices.filter(([time]) => time < until));
      const { start } = await runBuild(nightly, asset(asOf), { threads, ...(sizes && { sizes }) });
      if ("from" in start) resumedNights++;
      else if (hasCheckpoint)
        throw new Error(`night ${night} did not resume: ${"reason" in start ? start.reason : start.beside}`);
      hasCheckpoint = (await activeManifest(nightly, "TOK")).checkpoint !== undefined;
    }
    await runBuild(whole, asset(token.asOf), { threads: 2, ...(sizes && { sizes }) });
    return { nightly, whole, resumedNights };
  } finally {
    folder.close();
  }
}

async function writeNight(
  folder: TokenFolder,
  form: Form,
  night: number,
  added: readonly Transfer[],
  all: readonly Transfer[],
): Promise<void> {
  if (form === "grown") folder.csv("transfers-all.csv", all);
  else if (added.length > 0 && form === "csv") folder.csv(`transfers-${night}.csv`, added);
  else if (added.length > 0) await folder.parquet(`transfers-${night}.parquet`, added);
}
