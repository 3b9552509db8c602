/** What a newcomer would ask of a series first: where it stands today, beside its own past. */

import { DAY_SECONDS } from "../../../data-schema/text.ts";

/** Changes are over so many days. */
const SPANS = [7, 30] as const;
const YEAR = 365;
/** Days of history below which a comparison with it says nothing. */
const FEW = 90;

/** On how many of some days, in shares, the value was lower than the last one, and on how many higher. */
interface Standing {
  lower: number;
  higher: number;
}

export interface Headline {
  /** Start of the last day with a value, Unix seconds. */
  day: number;
  value: number;
  /** The change over each span. */
  changes: ({ days: number } & Change)[];
  /** Among all days before, and among those of the year before; null where they are few. */
  ever: Standing | null;
  year: Standing | null;
}

/** A part of the value before, or the difference. */
type Change = { part: number } | { difference: number };

/**
 * @param t starts of days, Unix seconds, ascending
 * @param values not a number where there is none
 * @param isByPart whether changes are parts of the value before; none of a value that is not above zero
 * @returns null without values
 */
export function headlineOf(t: Float64Array, values: Float64Array, isByPart: boolean): Headline | null {
  const last = values.findLastIndex((value) => !Number.isNaN(value));
  if (last < 0) return null;
  const [day, value] = [t[last]!, values[last]!];
  const changes = SPANS.flatMap((days) => {
    const before = values[t.indexOf(day - days * DAY_SECONDS)];
    if (before === undefined || Number.isNaN(before)) return [];
    if (!isByPart) return { days, difference: value - before };
    return before > 0 && value >= 0 ? { days, part: value / before - 1 } : [];
  });
  const standing = (since: number): Standing | null => {
    const before = values.subarray(0, last).filter((other, row) => t[row]! >= since && !Number.isNaN(other));
    if (before.length < FEW) return null;
    const share = (isCounted: (other: number) => boolean) => before.filter(isCounted).length / before.length;
    return { lower: share((other) => other < value), higher: share((other) => other > value) };
  };
  return { day, value, changes, ever: standing(Number.NEGATIVE_INFINITY), year: standing(day - YEAR * DAY_SECONDS) };
}
