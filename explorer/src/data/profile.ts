/** A distribution at one or two days, in so few rows that they can be read. */

import type { HeatBucket, ServedDistribution } from "./heat.ts";

/** A row of neighbouring buckets. */
export interface ProfileRow extends HeatBucket {
  /** Whether all that lies below, or above, is in it, too. */
  isOpen: { below: boolean; above: boolean };
  /** Tokens at each day. */
  tokens: number[];
}

export interface Profile {
  /** The highest first. */
  rows: ProfileRow[];
  /** What was free, and so in no row, at each day. */
  free: number[];
}

/** About as many rows as fit on a screen. */
const MOST_ROWS = 24;
/** The share of the tokens at each end that gets no rows of its own. */
const TAIL = 0.005;

/**
 * @param days answers for one day each
 * @param step the number of a bucket among all that there may be, so that rows are equally wide: a step of a price, or a month
 */
export function profileOf(days: readonly ServedDistribution[], step: (bucket: HeatBucket) => number): Profile {
  const free = days.map(() => 0);
  const buckets = new Map<number, { bucket: HeatBucket; tokens: number[] }>();
  for (const [day, { buckets: served, supply }] of days.entries()) {
    for (const [place, { from, to }] of served.entries()) {
      const held = supply[0]?.[place] ?? 0;
      if (held === 0) continue;
      if (from === null || to === null || to <= from) {
        free[day]! += held;
        continue;
      }
      const number = step({ from, to });
      const known = buckets.get(number) ?? { bucket: { from, to }, tokens: days.map(() => 0) };
      known.tokens[day]! += held;
      buckets.set(number, known);
    }
  }
  const numbers = [...buckets.keys()].sort((a, b) => a - b);
  const core = days.map((_, day) => coreOf(numbers.map((number) => buckets.get(number)!.tokens[day]!)));
  const low = numbers[Math.min(...core.map(({ first }) => first))] ?? 0;
  const high = numbers[Math.max(...core.map(({ last }) => last))] ?? -1;
  const width = Math.max(1, Math.ceil((high - low + 1) / MOST_ROWS));
  const rows = new Map<number, ProfileRow>();
  for (const number of numbers) {
    const { bucket, tokens } = buckets.get(number)!;
    const row = Math.floor((Math.max(low, Math.min(high, number)) - low) / width);
    const isWithin = number >= low && number <= high;
    const known = rows.get(row) ?? {
      from: Number.POSITIVE_INFINITY,
      to: Number.NEGATIVE_INFINITY,
      isOpen: { below: false, above: false },
      tokens: days.map(() => 0),
    };
    for (const day of tokens.keys()) known.tokens[day]! += tokens[day]!;
    if (isWithin) {
      known.from = Math.min(known.from, bucket.from);
      known.to = Math.max(known.to, bucket.to);
    }
    known.isOpen.below ||= number < low;
    known.isOpen.above ||= number > high;
    rows.set(row, known);
  }
  const ordered = [...rows].sort(([a], [b]) => b - a).map(([, row]) => row);
  return { rows: ordered, free };
}

/** The first and the last place between which all is but the tails. */
function coreOf(tokens: readonly number[]): { first: number; last: number } {
  const least = TAIL * tokens.reduce((sum, held) => sum + held, 0);
  const past = (list: readonly number[]) => {
    let sum = 0;
    return list.findIndex((held) => {
      sum += held;
      return sum > least;
    });
  };
  const [first, fromLast] = [past(tokens), past(tokens.toReversed())];
  // Nothing at all is in no row.
  if (first < 0) return { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  return { first, last: tokens.length - 1 - fromLast };
}
