/** Counts and sums over events, by day. Sums are exact, so they can be added up in any order. Source: docs/methodology.md §2. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { isZero } from "./amounts.ts";
import type { BlockTime, Totals } from "./checkpoint.ts";
import type { History } from "./history.ts";

/** The events of a day. A count or sum leaves out those that count nowhere, if it does not say otherwise. */
export interface DayTally extends Totals {
  /** Start of the day, Unix seconds. */
  day: number;
  /** All events. */
  rows: number;
  /** All events before the first that counts, and after the last; `rows` and 0 if none does. */
  idleBefore: number;
  idleAfter: number;
  /** The last of all events. */
  end: BlockTime;
}

/** @param firstPrice time of the first price, Unix seconds */
export function tallyDays(history: History, firstPrice: number): DayTally[] {
  const { rows, block, timestamp, from, to, values, valueWords } = history;
  const [minted, burned] = [new WordSums(valueWords), new WordSums(valueWords)];
  const days: DayTally[] = [];
  for (let first = 0, end: number; first < rows; first = end) {
    const day = Math.floor(timestamp[first]! / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
    const next = day + BUCKET_SECONDS.day;
    let [transfers, mints, burns, beforeFirstPrice] = [0, 0, 0, 0];
    let [firstRow, lastRow] = [-1, -1];
    for (end = first; end < rows && timestamp[end]! < next; end++) {
      if (from[end] === to[end] || isZero(values, end * valueWords, valueWords)) continue;
      if (firstRow < 0) firstRow = end;
      lastRow = end;
      if (timestamp[end]! < firstPrice) beforeFirstPrice++;
      if (from[end] === 0) {
        mints++;
        minted.add(values, end * valueWords);
      } else if (to[end] === 0) {
        burns++;
        burned.add(values, end * valueWords);
      } else transfers++;
    }
    const point = (row: number): BlockTime => ({ block: block[row]!, t: timestamp[row]! });
    days.push({
      day,
      rows: end - first,
      transfers,
      mints,
      burns,
      beforeFirstPrice,
      minted: minted.take(),
      burned: burned.take(),
      ...(firstRow >= 0 && { first: point(firstRow), last: point(lastRow) }),
      idleBefore: firstRow < 0 ? end - first : firstRow - first,
      idleAfter: firstRow < 0 ? 0 : end - 1 - lastRow,
      end: point(end - 1),
    });
  }
  return days;
}

/** @param days ascending; of parts of a history, a day may come twice */
export function addTotals(before: Totals, days: readonly DayTally[]): Totals {
  const totals = { ...before };
  for (const day of days) {
    totals.transfers += day.transfers;
    totals.mints += day.mints;
    totals.burns += day.burns;
    totals.beforeFirstPrice += day.beforeFirstPrice;
    totals.minted += day.minted;
    totals.burned += day.burned;
    if (!day.first || !day.last) continue;
    totals.first ??= day.first;
    totals.last = day.last;
  }
  return totals;
}

/** The number of events from the first that counts to the last. */
export function eventsFromFirstToLast(days: readonly DayTally[]): number {
  const first = days.findIndex((day) => day.first);
  if (first < 0) return 0;
  const last = days.findLastIndex((day) => day.first);
  const rows = days.slice(first, last + 1).reduce((sum, day) => sum + day.rows, 0);
  return rows - days[first]!.idleBefore - days[last]!.idleAfter;
}

/** The exact sum of many amounts. Each word has a sum of its own, which is exact for up to 2^21 amounts. */
class WordSums {
  readonly #sums: Float64Array;
  #added = 0;
  #total = 0n;

  constructor(words: number) {
    this.#sums = new Float64Array(words);
  }

  add(values: Uint32Array, at: number): void {
    for (let k = 0; k < this.#sums.length; k++) this.#sums[k]! += values[at + k]!;
    if (++this.#added === 2 ** 20) this.#settle();
  }

  /** The sum since the last call. */
  take(): bigint {
    this.#settle();
    const total = this.#total;
    this.#total = 0n;
    return total;
  }

  #settle(): void {
    this.#sums.forEach((sum, k) => {
      this.#total += BigInt(sum) << BigInt(32 * k);
    });
    this.#sums.fill(0);
    this.#added = 0;
  }
}
