/** Balances of the largest addresses over a year, read off the lists of few days. Pure. */

import { DAY_SECONDS, isoTimeWithoutZone } from "../../../data-schema/text.ts";
import type { LargeHolder } from "./answers.ts";

/** Days from one point to the next; a list has the balances of its own day and those of so many days before. */
const STEP = 30;
/** A year, nearly. */
const POINTS = 12;

const dayText = (seconds: number) => isoTimeWithoutZone(seconds).slice(0, 10);

/**
 * The days of the points, the last one first.
 *
 * @param first starts of an asset's first and last day, Unix seconds
 */
export function pointDays(first: number, last: number): string[] {
  const days = Array.from({ length: POINTS }, (_, i) => last - i * STEP * DAY_SECONDS);
  return days.filter((day) => day >= first).map(dayText);
}

/** The days whose lists have the balances of all points: every other one. */
export const listDays = (days: readonly string[]): string[] => days.filter((_, i) => i % 2 === 0);

/**
 * The balances of one address at the points, the earliest first; null where it was not among the largest.
 *
 * @param lists those of `listDays`, in their order, by address
 */
export function balancesOf(
  address: string,
  lists: readonly ReadonlyMap<string, LargeHolder>[],
  points: number,
): (number | null)[] {
  const balances = lists.flatMap((list) => {
    const row = list.get(address);
    const before = row === undefined || row.change_30d === null ? null : row.balance - row.change_30d;
    return [row?.balance ?? null, before];
  });
  return balances.slice(0, points).reverse();
}
