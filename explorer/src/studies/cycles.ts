/** A curve cut into cycles, which are laid over each other by the days since each began. */

import { firstIndex } from "../../../data-schema/search.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";

/** StudyPoints of a curve, without those that have no value. */
export interface StudyPoints {
  /** Unix seconds, ascending. */
  t: readonly number[];
  v: readonly number[];
}

export interface Cycle {
  /** Unix seconds of its start, which is day 0, and of its last point. */
  from: number;
  to: number;
  /** Days since the start. */
  days: number[];
  /** The value as a multiple of what it is indexed to: 1 is as much. */
  parts: number[];
}

/** A fall from an all-time high. */
export interface Drawdown extends Cycle {
  /** Whether the high hasn't been reached again. */
  isOpen: boolean;
  /** The smallest part, and its day. */
  low: number;
  lowDay: number;
}

/**
 * Each stretch from an all-time high, over lower values, to the first value that is at least as high, or to the end. Values of
 * zero or less are no highs. The earliest first.
 */
export function drawdowns({ t, v }: StudyPoints): Drawdown[] {
  const found: Drawdown[] = [];
  let high = -1;
  const close = (end: number, isOpen: boolean) => {
    if (high < 0 || end - high < (isOpen ? 1 : 2)) return;
    const cycle = cycleOf({ t, v }, high, end + 1, t[high]!, v[high]!);
    const low = cycle.parts.reduce((least, part) => Math.min(least, part));
    found.push({ ...cycle, isOpen, low, lowDay: cycle.days[cycle.parts.indexOf(low)]! });
  };
  for (const [row, value] of v.entries()) {
    if (!(value > 0) || (high >= 0 && value < v[high]!)) continue;
    close(row, false);
    high = row;
  }
  close(t.length - 1, true);
  return found;
}

/**
 * The points from each time up to the next, indexed to the first of them.
 *
 * @param starts Unix seconds, ascending
 * @returns none for a stretch without points, or one that begins at zero or below
 */
export function cyclesSince({ t, v }: StudyPoints, starts: readonly number[]): Cycle[] {
  return starts.flatMap((start, i) => {
    const rowOf = (time: number) => firstIndex(t.length, (row) => t[row]! >= time);
    const [from, to] = [rowOf(start), rowOf(starts[i + 1] ?? Number.POSITIVE_INFINITY)];
    return from < to && v[from]! > 0 ? [cycleOf({ t, v }, from, to, start, v[from]!)] : [];
  });
}

/** The start of each calendar year of UTC in which there are points. */
export const yearStarts = ({ t }: StudyPoints): number[] => [
  ...new Set(t.map((time) => Date.UTC(new Date(time * 1000).getUTCFullYear(), 0) / 1000)),
];

/** The part of the last point that is no later than a day; undefined once the cycle is over. */
export function partOn({ days, parts }: Cycle, day: number): number | undefined {
  return (days.at(-1) ?? -1) < day ? undefined : parts[days.findLastIndex((own) => own <= day)];
}

/** @param start what day 0 is */
function cycleOf({ t, v }: StudyPoints, from: number, to: number, start: number, base: number): Cycle {
  const times = t.slice(from, to);
  return {
    from: start,
    to: times.at(-1)!,
    days: times.map((time) => (time - start) / DAY_SECONDS),
    parts: v.slice(from, to).map((value) => value / base),
  };
}
