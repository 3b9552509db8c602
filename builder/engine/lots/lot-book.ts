/**
 * What is held of each key of lots, an hour with a price, by all addresses and by users, and the states at a close that follow
 * from it. Source: docs/methodology.md §14.
 *
 * Amounts are exact, and keys are in the order of hours, then of prices: so the sums depend on nothing but what is held.
 */

import { BUCKET_SECONDS, costBucketNumber, LOT_COHORTS } from "../../../data-schema/registry.ts";
import { concat } from "../../lib/columns/concat.ts";
import { AGE_STEPS, EVEN, LOSS, PROFIT, SIDES, SPLIT_AGE } from "../classification.ts";
import { CLOSE_KINDS, type Kept, keepEach } from "../closes.ts";
import { TokenUnit } from "../history.ts";
import { AGE_STEP_EDGES } from "../replay.ts";
import type { BookChanges } from "./replay-lots.ts";

/** Keys in their order, with whole tokens of each. */
export interface HeldKeys {
  count: number;
  /** Starts of hours, Unix seconds. */
  times: Float64Array;
  /** USD per token, and the numbers of their buckets. */
  prices: Float64Array;
  buckets: Uint16Array;
  all: Float64Array;
  users: Float64Array;
}

/** Some keys of a book. */
interface Segment extends HeldKeys {
  /** Raw, little-endian, of each key: of all addresses, and of users. */
  amounts: Uint32Array;
}

const KEY_COLUMNS = ["times", "prices", "buckets", "all", "users"] as const;

/** Keys of a segment. One array of all would be twice in memory as it grows, and keys may be a million. */
const SEGMENT_BITS = 14;
const SEGMENT_KEYS = 1 << SEGMENT_BITS;

/** With fewer keys, those of which nothing is held take less time than it takes to drop them. */
const FEW_KEYS = 1024;

export class LotBook {
  readonly #unit: TokenUnit;
  readonly #words: number;
  /** All but the last one are full. */
  readonly #segments: Segment[] = [];
  #count = 0;
  /** How many keys there are of which something is held. */
  #held = 0;

  /** @param words 32-bit words of an amount: all that is held fits into them */
  constructor(decimals: number, words: number) {
    this.#unit = new TokenUnit(decimals);
    this.#words = words;
  }

  /** Adds what partitions say has changed by a close; keys that it does not know are of later hours than all that it does. */
  change(partitions: readonly BookChanges[]): void {
    const last = this.#last?.time ?? Number.NEGATIVE_INFINITY;
    for (const of of partitions) {
      for (let row = 0; row < of.times.length; row++) {
        const time = of.times[row]!;
        if (time <= last) this.#add(this.#find(time, of.prices[row]!), of, row);
      }
    }
    for (const { of, row } of laterRows(partitions, last)) {
      const time = of.times[row]!;
      const price = of.prices[row]!;
      const known = this.#last;
      if (known?.time !== time || known.price !== price) this.#append(time, price);
      this.#add(this.#count - 1, of, row);
    }
    this.#forget();
  }

  /** What is held of each key, segment by segment; the next change overwrites it. Those of which nothing is held are there, too. */
  get keys(): readonly HeldKeys[] {
    return this.#segments;
  }

  get #last(): { time: number; price: number } | undefined {
    const segment = this.#segments.at(-1);
    return segment && { time: segment.times[segment.count - 1]!, price: segment.prices[segment.count - 1]! };
  }

  #find(time: number, price: number): number {
    let [from, to] = [0, this.#count];
    while (from < to) {
      const middle = (from + to) >> 1;
      const { times, prices } = this.#segmentOf(middle);
      const at = placeOf(middle);
      if (times[at]! < time || (times[at] === time && prices[at]! < price)) from = middle + 1;
      else to = middle;
    }
    const found = from < this.#count ? this.#segmentOf(from) : undefined;
    if (found?.times[placeOf(from)] !== time || found.prices[placeOf(from)] !== price) {
      throw new Error(`the book has no lots of ${time} at ${price}`);
    }
    return from;
  }

  #segmentOf(key: number): Segment {
    return this.#segments[key >> SEGMENT_BITS]!;
  }

  #append(time: number, price: number): void {
    if (this.#count === SEGMENT_KEYS * this.#segments.length) this.#segments.push(emptySegment(this.#words));
    const segment = this.#segmentOf(this.#count++);
    const at = segment.count++;
    segment.times[at] = time;
    segment.prices[at] = price;
    segment.buckets[at] = costBucketNumber(price);
    // The key of another may have been there.
    segment.all[at] = 0;
    segment.users[at] = 0;
    segment.amounts.fill(0, 2 * this.#words * at, 2 * this.#words * (at + 1));
  }

  #add(key: number, { amounts, words: given }: BookChanges, row: number): void {
    const words = this.#words;
    const segment = this.#segmentOf(key);
    const place = placeOf(key);
    for (const side of [0, 1]) {
      const [at, from] = [words * (2 * place + side), given * (2 * row + side)];
      let carry = 0;
      for (let word = 0; word < words; word++) {
        const sum = segment.amounts[at + word]! + amounts[from + word]! + carry;
        segment.amounts[at + word] = sum;
        carry = sum > 0xffff_ffff ? 1 : 0;
      }
    }
    const of = (side: number) => this.#unit.tokens(segment.amounts, words * (2 * place + side), words);
    if (segment.all[place] !== 0) this.#held--;
    [segment.all[place], segment.users[place]] = [of(0), of(1)];
    if (segment.all[place] !== 0) this.#held++;
  }

  /** Drops the keys of which nothing is held once they are most: what is left keeps its order. */
  #forget(): void {
    const keys = this.#count;
    if (keys < FEW_KEYS || 2 * this.#held > keys) return;
    const width = 2 * this.#words;
    let count = 0;
    for (let key = 0; key < keys; key++) {
      const from = this.#segmentOf(key);
      const at = placeOf(key);
      // The last one tells which keys are later.
      if (from.all[at] === 0 && key < keys - 1) continue;
      const to = this.#segmentOf(count);
      const place = placeOf(count++);
      for (const name of KEY_COLUMNS) to[name][place] = from[name][at]!;
      to.amounts.set(from.amounts.subarray(width * at, width * (at + 1)), width * place);
    }
    this.#count = count;
    this.#segments.length = Math.ceil(count / SEGMENT_KEYS);
    this.#segments.at(-1)!.count = count - SEGMENT_KEYS * (this.#segments.length - 1);
  }
}

/** The place of a key in its segment. */
const placeOf = (key: number): number => key & (SEGMENT_KEYS - 1);

/** The rows of hours after `last`, by hour and price: numbers are sorted, since a checkpoint may have a million. */
function* laterRows(partitions: readonly BookChanges[], last: number): Generator<{ of: BookChanges; row: number }> {
  const times = concat(partitions.map((of) => of.times));
  const prices = concat(partitions.map((of) => of.prices));
  const order = Uint32Array.from(times.keys()).filter((row) => times[row]! > last);
  order.sort((a, b) => times[a]! - times[b]! || prices[a]! - prices[b]!);
  const ends: number[] = [];
  for (const of of partitions) ends.push((ends.at(-1) ?? 0) + of.times.length);
  for (const number of order) {
    const partition = ends.findIndex((end) => number < end);
    const of = partitions[partition]!;
    yield { of, row: number - (ends[partition]! - of.times.length) };
  }
}

const emptySegment = (words: number): Segment => ({
  count: 0,
  times: new Float64Array(SEGMENT_KEYS),
  prices: new Float64Array(SEGMENT_KEYS),
  buckets: new Uint16Array(SEGMENT_KEYS),
  all: new Float64Array(SEGMENT_KEYS),
  users: new Float64Array(SEGMENT_KEYS),
  amounts: new Uint32Array(2 * words * SEGMENT_KEYS),
});

/** Relative half-width of the break-even band: assembly/classify.ts has the same rule. */
const BAND = 1e-9;

function sideAt(price: number, cost: number): number {
  const difference = price - cost;
  if (difference > BAND * price) return difference > BAND * cost ? PROFIT : EVEN;
  if (-difference > BAND * cost) return -difference > BAND * price ? LOSS : EVEN;
  return EVEN;
}

/** Sums over keys: tokens and their cost by side, tokens times seconds since they were bought, and their cost likewise. */
const [TOKENS, COST] = [0, SIDES];
const [TOKEN_TIME, COST_TIME] = [2 * SIDES, 2 * SIDES + 1];
const SUMS = 2 * SIDES + 2;

/** Sums of all lots, then those of users by step of age. */
const PARTS = 1 + AGE_STEPS;
const [HOLDINGS, AGES] = [CLOSE_KINDS.holdings, CLOSE_KINDS.ages];
const SIDE_WIDTH = 3;

/** The parts that add up to each cohort of lots. */
const PARTS_OF = new Map(
  LOT_COHORTS.map((cohort, index): [string, number[]] => {
    const steps = Array.from({ length: AGE_STEPS }, (_, step) => 1 + step);
    if (cohort === "total") return [cohort, [0]];
    if (cohort === "users") return [cohort, steps];
    if (cohort === "sth") return [cohort, steps.slice(0, SPLIT_AGE + 1)];
    if (cohort === "lth") return [cohort, steps.slice(SPLIT_AGE + 1)];
    // An age has one step, but for that which the edge of terms divides.
    const age = index - 2;
    const step = age + (age > SPLIT_AGE ? 1 : 0);
    return [cohort, steps.slice(step, step + (age === SPLIT_AGE ? 2 : 1))];
  }),
);

/** Numbers of closes, as state metrics read them (closes/): those of days come one after the other. */
export class LotCloses {
  readonly #holdings: Float64Array;
  readonly #ages: Float64Array;
  readonly #sums = new Float64Array(PARTS * SUMS);
  #day = 0;

  /** @param days how many will close */
  constructor(days: number) {
    this.#holdings = new Float64Array(days * HOLDINGS.width);
    this.#ages = new Float64Array(days * AGES.width).fill(Number.NaN);
  }

  /** @param close Unix seconds @param price USD per token */
  close(keys: readonly HeldKeys[], close: number, price: number): void {
    this.#addUp(keys, close, price);
    const sums = this.#sums;
    for (const [cohort, parts] of PARTS_OF) {
      const sum = (of: number) => parts.reduce((total, part) => total + sums[part * SUMS + of]!, 0);
      const at = this.#day * HOLDINGS.width + HOLDINGS.families.cohorts(cohort);
      let [tokens, cost] = [0, 0];
      for (let side = 0; side < SIDES; side++) {
        const [held, heldCost] = [sum(TOKENS + side), sum(COST + side)];
        this.#holdings[at + SIDE_WIDTH * side] = held;
        this.#holdings[at + SIDE_WIDTH * side + 1] = heldCost;
        tokens += held;
        cost += heldCost;
      }
      const age = this.#day * AGES.width + AGES.families.ages(cohort);
      const tokenDays = sum(TOKEN_TIME) / BUCKET_SECONDS.day;
      this.#ages[age] = tokenDays;
      if (tokens !== 0) this.#ages[age + 1] = tokenDays / tokens;
      if (cost !== 0) this.#ages[age + 2] = sum(COST_TIME) / BUCKET_SECONDS.day / cost;
    }
    this.#day++;
  }

  /** All closes, with nothing of what lots don't tell. */
  get kept(): Kept<Float64Array> {
    const found: Partial<Kept<Float64Array>> = { holdings: this.#holdings, ages: this.#ages };
    return keepEach((name) => found[name] ?? new Float64Array(0));
  }

  #addUp(keys: readonly HeldKeys[], close: number, price: number): void {
    const sums = this.#sums.fill(0);
    let step = AGE_STEPS - 1;
    for (const { count, times, prices, all, users } of keys) {
      for (let key = 0; key < count; key++) {
        const held = all[key]!;
        if (held === 0) continue;
        // Keys may be a million, and destructuring is slower.
        const cost = prices[key]!;
        const age = close - times[key]!;
        // Keys of later hours are younger.
        while (step > 0 && age < AGE_STEP_EDGES[step - 1]!) step--;
        const side = sideAt(price, cost);
        addKey(sums, 0, side, held, cost, age);
        const ofUsers = users[key]!;
        if (ofUsers !== 0) addKey(sums, SUMS * (1 + step), side, ofUsers, cost, age);
      }
    }
  }
}

function addKey(sums: Float64Array, at: number, side: number, tokens: number, cost: number, age: number): void {
  const usd = tokens * cost;
  sums[at + TOKENS + side]! += tokens;
  sums[at + COST + side]! += usd;
  sums[at + TOKEN_TIME]! += tokens * age;
  sums[at + COST_TIME]! += usd * age;
}
