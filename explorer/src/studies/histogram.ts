/** How often values occur, and where one of them is among the others. */

import { niceStep } from "../chart/multiples.ts";
import { ascending, quantileOf } from "./statistics.ts";

export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Bins, at least and at most. */
const FEWEST = 5;
const MOST = 40;
/** Bins cover all but this share of the values at each end: a single extreme would put all others into one bin. */
const TAIL = 0.005;
/** Values that differ by a smaller share than this are in one bin: the edges of narrower ones have too few digits. */
const NARROWEST = 1e-9;

/**
 * Bins of one width: about as many as the square root of the number of values. The first and the last one also hold what lies
 * beyond them.
 *
 * @param isLog whether widths are equal by ratio; then all values are above 0
 */
export function binsOf(values: readonly number[], isLog: boolean): Bin[] {
  const sorted = ascending(values);
  if (sorted.length === 0) return [];
  const [scaled, back] = isLog ? [Math.log10, (value: number) => 10 ** value] : [same, same];
  const [low, high] = [TAIL, 1 - TAIL].map((share) => scaled(quantileOf(sorted, share))) as [number, number];
  const finest = NARROWEST * Math.max(Math.abs(low), Math.abs(high), isLog ? 1 : 0);
  if (!(high - low > finest)) return [{ from: sorted[0]!, to: sorted.at(-1)!, count: sorted.length }];
  const wanted = Math.max(FEWEST, Math.min(MOST, Math.ceil(Math.sqrt(sorted.length))));
  const step = niceStep((high - low) / wanted);
  const [first, last] = [Math.floor(low / step), Math.max(Math.ceil(high / step), Math.floor(low / step) + 1)];
  const bins = Array.from({ length: last - first }, (_, i) => ({
    from: back(rounded((first + i) * step)),
    to: back(rounded((first + i + 1) * step)),
    count: 0,
  }));
  for (const value of sorted) {
    const place = Math.floor(rounded(scaled(value) / step)) - first;
    bins[Math.max(0, Math.min(bins.length - 1, place))]!.count++;
  }
  return bins;
}

/** The share of the other values that are lower than one of the values: 0 for the lowest, 1 for the highest of all. */
export const shareBelow = (value: number, values: readonly number[]): number =>
  values.filter((other) => other < value).length / (values.length - 1);

const same = (value: number) => value;

/** Multiples of a step without what adding and dividing leave behind. */
const rounded = (value: number) => Number(value.toPrecision(12));
