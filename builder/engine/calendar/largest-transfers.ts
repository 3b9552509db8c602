/** The largest transfers of each day. Source: docs/methodology.md §13. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { MOST_LARGE_TRANSFERS } from "../../../data-schema/stored.ts";
import { isZero, TokenUnit, toBigInt } from "../history/amounts.ts";
import type { History, Prices } from "../history/history.ts";
import { PriceCursor } from "../history/prices.ts";

const DAY = BUCKET_SECONDS.day;

type Transfers = Pick<History, "rows" | "timestamp" | "from" | "to" | "values" | "valueWords">;

/** A transfer that may be among the largest of its day. */
interface Candidate {
  row: number;
  tokens: number;
  /** USD per token, and USD, at its time. */
  price: number;
  dollars: number;
}

/** An amount, right to some 1e-15: the exact one takes four times as long. */
function roughly(words: Uint32Array, at: number, count: number): number {
  let amount = 0;
  for (let word = count - 1; word >= 0; word--) amount = amount * 2 ** 32 + words[at + word]!;
  return amount;
}

/** Far more than an amount that is roughly right may be too small. */
const LEAST = 1 - 1e-12;

/** Whether a transfer surely comes after another one. @param tokens roughly */
const isSmaller = (tokens: number, price: number, last: Candidate): boolean =>
  price > 0 ? tokens * price < last.dollars * LEAST : last.dollars > 0 || tokens < last.tokens * LEAST;

/** @returns the rows of the largest transfers, and USD per token: day by day, and within a day the largest first */
export function largestTransfers(
  history: Transfers,
  prices: Prices,
  decimals: number,
): Pick<Candidate, "row" | "price">[] {
  const { rows, timestamp, from, to, values, valueWords: words } = history;
  const unit = new TokenUnit(decimals);
  const cursor = new PriceCursor(prices, timestamp[0]);
  const rawOf = ({ row }: Candidate) => toBigInt(values, row * words, words);
  /** Whether a later event comes before an earlier one. */
  const isLarger = (later: Candidate, earlier: Candidate): boolean => {
    if (later.dollars !== earlier.dollars) return later.dollars > earlier.dollars;
    if (later.dollars !== 0 || later.tokens < earlier.tokens) return false;
    return later.tokens > earlier.tokens || rawOf(later) > rawOf(earlier);
  };
  const largest: Candidate[] = [];
  for (let row = 0; row < rows; ) {
    const end = (Math.floor(timestamp[row]! / DAY) + 1) * DAY;
    const ofDay: Candidate[] = [];
    for (; row < rows && timestamp[row]! < end; row++) {
      if (from[row] === 0 || to[row] === 0 || from[row] === to[row] || isZero(values, row * words, words)) continue;
      const price = cursor.at(timestamp[row]!);
      const last = ofDay[MOST_LARGE_TRANSFERS - 1];
      // Most events end here.
      if (last && isSmaller(roughly(values, row * words, words) / unit.power, price, last)) continue;
      const tokens = unit.tokens(values, row * words, words);
      const dollars = tokens * price;
      const candidate = { row, tokens, price, dollars };
      if (last && !isLarger(candidate, last)) continue;
      let at = last ? ofDay.length - 1 : ofDay.length;
      for (; at > 0 && isLarger(candidate, ofDay[at - 1]!); at--) ofDay[at] = ofDay[at - 1]!;
      ofDay[at] = candidate;
    }
    largest.push(...ofDay);
  }
  return largest;
}
