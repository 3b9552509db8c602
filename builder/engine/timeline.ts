/**
 * The history made ready to replay: which events count, what each is worth, and room for what the replay
 * learns of each event. All in shared memory. Source: methodology §2.
 */

import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { isZero, wordsOf } from "./amounts.ts";
import { type BlockTime, type Checkpoint, NOTHING, type Totals } from "./checkpoint.ts";
import type { AssetTerms, Groups, History, Prices } from "./history.ts";
import { PriceCursor } from "./prices.ts";

export interface Timeline {
  history: History;
  prices: Prices;
  groups: Groups;
  terms: AssetTerms;
  /** What the events go on from; the beginning when left out. */
  before?: Checkpoint;
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
  /** Of the whole history, what came before included. */
  totals: Totals;
  /** Of what was before the end of the last complete day. */
  closed: Totals;
  /** First row that counts, and one past the last; equal when none does. */
  firstRow: number;
  endRow: number;
}

/** @param before the checkpoint after which the history begins; its holders are the history's first addresses */
export function prepareTimeline(
  history: History,
  prices: Prices,
  groups: Groups,
  terms: AssetTerms,
  before?: Checkpoint,
): Timeline {
  const rows = firstRowAt(history, terms.asOf);
  const price = new Float64Array(new SharedArrayBuffer(8 * rows));
  const cursor = new PriceCursor(prices);
  for (let row = 0; row < rows; row++) price[row] = cursor.at(history.timestamp[row]);

  const tally = new Tally(history, prices.timestamp[0] ?? Number.POSITIVE_INFINITY, before?.totals);
  tally.add(0, Math.min(rows, firstRowAt(history, startOfDay(terms.asOf))));
  const closed = tally.totals();
  tally.add(tally.end, rows);
  const totals = tally.totals();
  return {
    history,
    prices,
    groups,
    terms,
    ...(before ? { before } : {}),
    rows,
    price,
    tokens: new Float64Array(new SharedArrayBuffer(8 * rows)),
    basis: new Float64Array(new SharedArrayBuffer(8 * rows)),
    sender: new Uint16Array(new SharedArrayBuffer(2 * rows)),
    receiver: new Uint16Array(new SharedArrayBuffer(2 * rows)),
    // No balance exceeds what was minted; a sent value may, and is then an error.
    balanceWords: Math.max(history.valueWords, wordsOf(totals.minted)),
    totals,
    closed,
    firstRow: tally.firstRow ?? rows,
    endRow: tally.firstRow === undefined ? rows : tally.endRow,
  };
}

const startOfDay = (seconds: number) => Math.floor(seconds / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;

/** Counts the events, row after row. */
class Tally {
  /** As in `Timeline`; no first row while none counts. */
  firstRow: number | undefined;
  endRow = 0;
  /** Rows counted so far. */
  end = 0;
  readonly #history: History;
  readonly #firstPrice: number;
  readonly #totals: Totals;
  readonly #minted: WordSums;
  readonly #burned: WordSums;

  /** @param firstPrice time of the first price */
  constructor(history: History, firstPrice: number, before: Totals = NOTHING) {
    this.#history = history;
    this.#firstPrice = firstPrice;
    this.#totals = { ...before };
    this.#minted = new WordSums(history.valueWords, before.minted);
    this.#burned = new WordSums(history.valueWords, before.burned);
  }

  add(begin: number, end: number): void {
    const { from, to, values, valueWords, timestamp } = this.#history;
    const totals = this.#totals;
    for (let row = begin; row < end; row++) {
      if (from[row] === to[row] || isZero(values, row * valueWords, valueWords)) continue;
      this.firstRow ??= row;
      this.endRow = row + 1;
      if (timestamp[row] < this.#firstPrice) totals.beforeFirstPrice++;
      if (from[row] === 0) {
        totals.mints++;
        this.#minted.add(values, row * valueWords);
      } else if (to[row] === 0) {
        totals.burns++;
        this.#burned.add(values, row * valueWords);
      } else totals.transfers++;
    }
    this.end = end;
  }

  totals(): Totals {
    const { firstRow, endRow } = this;
    const { block, timestamp } = this.#history;
    const point = (row: number): BlockTime => ({ block: block[row], t: timestamp[row] });
    const first = this.#totals.first ?? (firstRow === undefined ? undefined : point(firstRow));
    const last = firstRow === undefined ? this.#totals.last : point(endRow - 1);
    const span = first && last ? { first, last } : {};
    return { ...this.#totals, ...span, minted: this.#minted.total, burned: this.#burned.total };
  }
}

/** The exact sum of many amounts: words are added up apart, up to 2^21 of them without a rounding. */
class WordSums {
  readonly #sums: Float64Array;
  #added = 0;
  #total: bigint;

  constructor(words: number, before: bigint) {
    this.#sums = new Float64Array(words);
    this.#total = before;
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
export function bucketRange({ totals, terms }: Timeline, resolution: "day" | "hour"): BucketRange | undefined {
  if (!totals.first) return undefined;
  const length = BUCKET_SECONDS[resolution];
  const first = Math.floor(totals.first.t / length) * length;
  const last = Math.floor(terms.asOf / length) * length - length;
  return last < first ? undefined : { first, last };
}

/** The days that the replay closes: those that are published, but for what a checkpoint has closed. */
export function replayedDays(timeline: Timeline): BucketRange | undefined {
  const days = bucketRange(timeline, "day");
  if (!days) return undefined;
  const first = Math.max(days.first, timeline.before?.time ?? days.first);
  return days.last < first ? undefined : { first, last: days.last };
}
