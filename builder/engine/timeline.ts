/**
 * The history prepared for the replay: which events count, the price at each, and columns for the results of the
 * replay, all in shared memory. Source: docs/methodology.md §2.
 */

import { BUCKET_SECONDS, BUCKET_START, type BucketResolution } from "../../data-schema/resolutions.ts";
import { lowerBound } from "../columns/search.ts";
import { sharedDoubles } from "../columns/shared.ts";
import { isZero, wordCount } from "./amounts.ts";
import { type BlockTime, type Checkpoint, NO_EVENTS, type Totals } from "./checkpoint.ts";
import type { AssetParameters, Groups, History, Prices } from "./history.ts";
import { PriceCursor } from "./prices.ts";

export interface Timeline {
  history: History;
  prices: Prices;
  groups: Groups;
  parameters: AssetParameters;
  /** Where the replay resumes; without one it starts from nothing. */
  checkpoint?: Checkpoint;
  /** Events before `asOf`. */
  rows: number;
  /** USD per token at each event. */
  price: Float64Array<SharedArrayBuffer>;
  /** Set by the replay: whole tokens of each event; 0 for an event that counts nowhere (value 0, or from = to). */
  tokens: Float64Array<SharedArrayBuffer>;
  /** Set by the replay: the sender's average purchase price just before each event. */
  basis: Float64Array<SharedArrayBuffer>;
  /** Set by the replay: the sender's packed classification (kernel/classification.ts) just before each event. */
  senderClassification: Uint16Array<SharedArrayBuffer>;
  /** Set by the replay: the receiver's packed classification just after each event. */
  receiverClassification: Uint16Array<SharedArrayBuffer>;
  /** 32-bit words per balance. */
  balanceWords: number;
  /** Of the whole history, including the events before the checkpoint. */
  totals: Totals;
  /** Of the events before the end of the last complete day. */
  totalsAtLastClose: Totals;
  /** The first row that counts, and one past the last; equal when none does. */
  firstRow: number;
  endRow: number;
}

/** @param checkpoint where the history begins; the checkpoint's holders must be the history's first addresses */
export function prepareTimeline(
  history: History,
  prices: Prices,
  groups: Groups,
  parameters: AssetParameters,
  checkpoint?: Checkpoint,
): Timeline {
  const rows = firstRowAt(history, parameters.asOf);
  const price = sharedDoubles(rows);
  const cursor = new PriceCursor(prices);
  for (let row = 0; row < rows; row++) price[row] = cursor.at(history.timestamp[row]!);

  const tally = new Tally(history, prices.timestamp[0] ?? Number.POSITIVE_INFINITY, checkpoint?.totals);
  tally.add(0, Math.min(rows, firstRowAt(history, startOfDay(parameters.asOf))));
  const totalsAtLastClose = tally.totals();
  tally.add(tally.end, rows);
  const totals = tally.totals();
  return {
    history,
    prices,
    groups,
    parameters,
    ...(checkpoint ? { checkpoint } : {}),
    rows,
    price,
    tokens: sharedDoubles(rows),
    basis: sharedDoubles(rows),
    senderClassification: new Uint16Array(new SharedArrayBuffer(2 * rows)),
    receiverClassification: new Uint16Array(new SharedArrayBuffer(2 * rows)),
    // No balance exceeds what was minted. The value of an overdraft can, and must fit too.
    balanceWords: Math.max(history.valueWords, wordCount(totals.minted)),
    totals,
    totalsAtLastClose,
    firstRow: tally.firstRow ?? rows,
    endRow: tally.firstRow === undefined ? rows : tally.endRow,
  };
}

const startOfDay = (seconds: number) => Math.floor(seconds / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;

/** Counts and adds up the events, row by row. */
class Tally {
  /** As in `Timeline`; undefined while no row counts. */
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
  constructor(history: History, firstPrice: number, before: Totals = NO_EVENTS) {
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
      if (timestamp[row]! < this.#firstPrice) totals.beforeFirstPrice++;
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
    const point = (row: number): BlockTime => ({ block: block[row]!, t: timestamp[row]! });
    const first = this.#totals.first ?? (firstRow === undefined ? undefined : point(firstRow));
    const last = firstRow === undefined ? this.#totals.last : point(endRow - 1);
    const span = first && last ? { first, last } : {};
    return { ...this.#totals, ...span, minted: this.#minted.total, burned: this.#burned.total };
  }
}

/** The exact sum of many amounts. Each word has a sum of its own, which is exact for up to 2^21 amounts. */
class WordSums {
  readonly #sums: Float64Array;
  #added = 0;
  #total: bigint;

  constructor(words: number, before: bigint) {
    this.#sums = new Float64Array(words);
    this.#total = before;
  }

  add(values: Uint32Array, at: number): void {
    for (let k = 0; k < this.#sums.length; k++) this.#sums[k]! += values[at + k]!;
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

/** The first row at or after a time (Unix seconds); the number of rows if there is none. */
export function firstRowAt({ timestamp, rows }: History, seconds: number): number {
  return lowerBound(timestamp, rows, seconds);
}

/** The starts, in Unix seconds, of the first bucket and of the last complete one. */
export interface BucketRange {
  first: number;
  last: number;
}

/** The buckets that are published; undefined when none is complete. Source: docs/methodology.md §1 and §5. */
export function bucketRange({ totals, parameters }: Timeline, resolution: BucketResolution): BucketRange | undefined {
  if (!totals.first) return undefined;
  const startOf = BUCKET_START[resolution];
  const first = startOf(totals.first.t);
  const last = startOf(parameters.asOf, -1);
  return last < first ? undefined : { first, last };
}

/** The buckets that are published, except those that were complete at the checkpoint. */
export function newBuckets(timeline: Timeline, resolution: BucketResolution): BucketRange | undefined {
  const all = bucketRange(timeline, resolution);
  if (!all) return undefined;
  const { checkpoint } = timeline;
  const first = checkpoint ? Math.max(all.first, BUCKET_START[resolution](checkpoint.time)) : all.first;
  return all.last < first ? undefined : { first, last: all.last };
}
