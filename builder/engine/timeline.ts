/**
 * The history made ready to replay: which events count, what each is worth, and room for what the replay
 * learns of each event. All in shared memory. Source: methodology §2.
 */

import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { isZero, wordsOf } from "./amounts.ts";
import type { AssetTerms, Groups, History, Prices } from "./history.ts";
import { PriceCursor } from "./prices.ts";

export interface Timeline {
  history: History;
  prices: Prices;
  groups: Groups;
  terms: AssetTerms;
  /** Events before `asOf`. */
  rows: number;
  /** USD per token at each event. */
  price: Float64Array<SharedArrayBuffer>;
  /** Set by the replay: whole tokens of each event; 0 when it counts nowhere: value 0, or from = to. */
  tokens: Float64Array<SharedArrayBuffer>;
  /** Set by the replay: the sender's average purchase price just before each event. */
  basis: Float64Array<SharedArrayBuffer>;
  /** Set by the replay: `Standing` of the sender just before each event, with its side. */
  sender: Uint16Array<SharedArrayBuffer>;
  /** Set by the replay: `Standing` of the receiver just after each event. */
  receiver: Uint16Array<SharedArrayBuffer>;
  /** 32-bit words per balance. */
  balanceWords: number;
  counts: { transfers: number; mints: number; burns: number; beforeFirstPrice: number };
  /** Minted − burned, raw. */
  supply: bigint;
  /** First row that counts, and one past the last; equal when none does. */
  firstRow: number;
  endRow: number;
}

export function prepareTimeline(history: History, prices: Prices, groups: Groups, terms: AssetTerms): Timeline {
  const rows = firstRowAt(history, terms.asOf);
  const { from, to, values, valueWords, timestamp } = history;
  const price = new Float64Array(new SharedArrayBuffer(8 * rows));
  const counts = { transfers: 0, mints: 0, burns: 0, beforeFirstPrice: 0 };
  let firstRow = rows;
  let endRow = rows;
  const minted = new WordSums(valueWords);
  const burned = new WordSums(valueWords);
  const cursor = new PriceCursor(prices);

  for (let row = 0; row < rows; row++) {
    price[row] = cursor.at(timestamp[row]);
    if (from[row] === to[row] || isZero(values, row * valueWords, valueWords)) continue;
    if (firstRow === rows) firstRow = row;
    endRow = row + 1;
    if (cursor.isBeforeFirst) counts.beforeFirstPrice++;
    if (from[row] === 0) {
      counts.mints++;
      minted.add(values, row * valueWords);
    } else if (to[row] === 0) {
      counts.burns++;
      burned.add(values, row * valueWords);
    } else counts.transfers++;
  }

  return {
    history,
    prices,
    groups,
    terms,
    rows,
    price,
    tokens: new Float64Array(new SharedArrayBuffer(8 * rows)),
    basis: new Float64Array(new SharedArrayBuffer(8 * rows)),
    sender: new Uint16Array(new SharedArrayBuffer(2 * rows)),
    receiver: new Uint16Array(new SharedArrayBuffer(2 * rows)),
    // No balance exceeds what was minted; a sent value may, and is then an error.
    balanceWords: Math.max(valueWords, wordsOf(minted.total)),
    counts,
    supply: minted.total - burned.total,
    firstRow,
    endRow,
  };
}

/** The exact sum of many amounts: words are added up apart, up to 2^21 of them without a rounding. */
class WordSums {
  readonly #sums: Float64Array;
  #added = 0;
  #total = 0n;

  constructor(words: number) {
    this.#sums = new Float64Array(words);
  }

  add(values: Uint32Array, at: number): void {
    for (let k = 0; k < this.#sums.length; k++) this.#sums[k] += values[at + k];
    if (++this.#added === 2 ** 20) this.#settle();
  }

  get total(): bigint {
    this.#settle();
    return this.#total;
  }

  #settle(): void {
    this.#sums.forEach((sum, k) => {
      this.#total += BigInt(sum) << BigInt(32 * k);
    });
    this.#sums.fill(0);
    this.#added = 0;
  }
}

/** The first row at or after a time: times never decrease. */
export function firstRowAt(history: History, seconds: number): number {
  let low = 0;
  let high = history.rows;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (history.timestamp[middle] < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Starts, in Unix seconds, of the first bucket and of the last complete one. */
export interface BucketRange {
  first: number;
  last: number;
}

/** The buckets that are published; undefined when none is complete. Source: methodology §1 "as_of" and §5. */
export function bucketRange(timeline: Timeline, resolution: "day" | "hour"): BucketRange | undefined {
  if (timeline.firstRow === timeline.endRow) return undefined;
  const length = BUCKET_SECONDS[resolution];
  const first = Math.floor(timeline.history.timestamp[timeline.firstRow] / length) * length;
  const last = Math.floor(timeline.terms.asOf / length) * length - length;
  return last < first ? undefined : { first, last };
}
