/**
 * The sums of the largest balances at the close of each day. A partition leaves the changes of its largest holders, of which
 * those of all partitions together are found. Source: docs/methodology.md §9.
 */

import { fromBigInt, TokenUnit, toBigInt } from "./amounts.ts";
import type { CloseCollector, CloseFacts, Closes, ExactCloses, KernelTable } from "./close.ts";

/** How many are added up, ascending. */
const TOPS = [10, 100, 1_000] as const;
const MOST = TOPS.at(-1)!;

/** The groups of the kernel: users are 0. */
const USERS = 0;
/** What is added up: of all, and of users. */
const SELECTORS: readonly string[] = ["total", "users"];
const DAY_WIDTH = SELECTORS.length * TOPS.length;

/**
 * Changes, in the order of days: the day, the holder, its group, and its balance of `words` from then on, which is 0 when it
 * is none of the largest any more.
 */
interface ExactLargest extends ExactCloses {
  days: number;
  words: number;
  /** One past the highest number of a holder. */
  holders: number;
}

const CHANGE_WORDS = 3;

class LargestCollector implements CloseCollector<ExactLargest> {
  readonly #words: number;
  readonly #log: Log;
  readonly #ranking: Ranking;
  #days = 0;

  constructor(words: number) {
    this.#words = words;
    this.#log = new Log(words);
    this.#ranking = new Ranking(words);
  }

  /** Keeps those of the kernel's changes that concern the largest: it writes down more. */
  close(table: KernelTable): void {
    const changes = table("closingLargest");
    const width = 2 + this.#words;
    for (let i = 0, at = 1; i < changes[0]!; i++, at += width) {
      this.#ranking.change(changes[at]!, changes[at + 1]!, changes.subarray(at + 2, at + width));
    }
    this.#ranking.logChanges(this.#days++, this.#log);
  }

  finish(): ExactLargest {
    return { days: this.#days, words: this.#words, holders: this.#ranking.holders, digits: this.#log.end() };
  }
}

/** Merges the largest of two partitions: what is left are the largest of both. */
function mergeLargest(one: ExactLargest, other: ExactLargest): ExactLargest {
  const { days, words } = one;
  const log = new Log(words);
  const ranking = new Ranking(words);
  const cursors = [new Cursor(one, 0), new Cursor(other, one.holders)];
  for (let day = 0; day < days; day++) {
    for (const cursor of cursors) cursor.apply(day, ranking);
    ranking.logChanges(day, log);
  }
  return { days, words, holders: one.holders + other.holders, digits: log.end() };
}

function roundLargest(largest: ExactLargest, { decimals }: CloseFacts): Float64Array {
  const { days, words } = largest;
  const unit = new TokenUnit(decimals);
  const digits = new Uint32Array(words + 1);
  const rounded = new Float64Array(days * DAY_WIDTH);
  const ranking = new Ranking(words);
  const cursor = new Cursor(largest, 0);
  for (let day = 0; day < days; day++) {
    cursor.apply(day, ranking);
    for (const [selector, list] of ranking.lists.entries()) {
      for (const [top, sum] of list.sums(TOPS).entries()) {
        fromBigInt(sum, digits, 0, digits.length);
        rounded[day * DAY_WIDTH + selector * TOPS.length + top] = unit.tokens(digits, 0, digits.length);
      }
    }
  }
  return rounded;
}

/** Changes in growing memory. */
class Log {
  readonly #width: number;
  #digits = new Uint32Array(4_096);
  #end = 0;

  constructor(words: number) {
    this.#width = CHANGE_WORDS + words;
  }

  add(day: number, holder: number, group: number, balance: Uint32Array | undefined): void {
    if (this.#end + this.#width > this.#digits.length) {
      const more = new Uint32Array(2 * this.#digits.length);
      more.set(this.#digits);
      this.#digits = more;
    }
    this.#digits.set([day, holder, group], this.#end);
    if (balance) this.#digits.set(balance, this.#end + CHANGE_WORDS);
    else this.#digits.fill(0, this.#end + CHANGE_WORDS, this.#end + this.#width);
    this.#end += this.#width;
  }

  end(): Uint32Array {
    return this.#digits.slice(0, this.#end);
  }
}

/** Reads a log, a day after the other. */
class Cursor {
  readonly #digits: Uint32Array;
  readonly #width: number;
  /** Added to the numbers of holders. */
  readonly #offset: number;
  #at = 0;

  constructor({ digits, words }: ExactLargest, offset: number) {
    this.#digits = digits;
    this.#width = CHANGE_WORDS + words;
    this.#offset = offset;
  }

  apply(day: number, ranking: Ranking): void {
    for (; this.#digits[this.#at] === day; this.#at += this.#width) {
      const [holder, group] = [this.#digits[this.#at + 1]!, this.#digits[this.#at + 2]!];
      const balance = this.#digits.subarray(this.#at + CHANGE_WORDS, this.#at + this.#width);
      ranking.change(holder + this.#offset, group, balance);
    }
  }
}

/** A holder and its balance. */
interface Holding {
  holder: number;
  group: number;
  balance: bigint;
  words: Uint32Array;
}

/** Some holders by their balance, of all and of users. */
class Ranking {
  /** In the order of `SELECTORS`. */
  readonly lists = SELECTORS.map(() => new SortedHoldings());
  readonly #words: number;
  readonly #holdings = new Map<number, Holding>();
  /** The balances that have been written down, of those who are among the largest. */
  readonly #logged = new Map<number, bigint>();
  holders = 0;

  constructor(words: number) {
    this.#words = words;
  }

  /** @param words of the new balance; 0 if the holder is to be left out */
  change(holder: number, group: number, words: Uint32Array): void {
    const before = this.#holdings.get(holder);
    const balance = toBigInt(words, 0, this.#words);
    const after = balance === 0n ? undefined : { holder, group, balance, words: words.slice() };
    this.holders = Math.max(this.holders, holder + 1);
    if (after) this.#holdings.set(holder, after);
    else this.#holdings.delete(holder);
    const [all, users] = this.lists as [SortedHoldings, SortedHoldings];
    all.replace(before, after);
    if ((before ?? after)?.group === USERS) users.replace(before, after);
  }

  /** Writes down what has changed of the largest. */
  logChanges(day: number, log: Log): void {
    const largest = new Map<number, Holding>();
    for (const list of this.lists) for (const holding of list.first(MOST)) largest.set(holding.holder, holding);
    for (const holder of this.#logged.keys()) {
      if (largest.has(holder)) continue;
      log.add(day, holder, 0, undefined);
      this.#logged.delete(holder);
    }
    for (const { holder, group, balance, words } of largest.values()) {
      if (this.#logged.get(holder) === balance) continue;
      log.add(day, holder, group, words);
      this.#logged.set(holder, balance);
    }
  }
}

/** More changes than this are sorted together. */
const MANY_CHANGES = 256;

/** Holdings in falling order of their balances. */
class SortedHoldings {
  #sorted: Holding[] = [];
  #removed = new Set<Holding>();
  #added = new Set<Holding>();

  replace(before: Holding | undefined, after: Holding | undefined): void {
    // What has been added since the order was restored is in no place yet.
    if (before && !this.#added.delete(before)) this.#removed.add(before);
    if (after) this.#added.add(after);
  }

  first(count: number): Holding[] {
    this.#restoreOrder();
    return this.#sorted.slice(0, count);
  }

  /** The sums of the first so many, raw. @param counts ascending */
  sums(counts: readonly number[]): bigint[] {
    const holdings = this.first(counts.at(-1)!);
    let sum = 0n;
    let next = 0;
    return counts.map((count) => {
      for (; next < Math.min(count, holdings.length); next++) sum += holdings[next]!.balance;
      return sum;
    });
  }

  #restoreOrder(): void {
    if (this.#removed.size + this.#added.size > MANY_CHANGES) {
      const kept = this.#sorted.filter((holding) => !this.#removed.has(holding));
      this.#sorted = [...kept, ...this.#added].sort(byBalance);
    } else {
      for (const holding of this.#removed) this.#sorted.splice(this.#placeOf(holding), 1);
      for (const holding of this.#added) this.#sorted.splice(this.#placeOf(holding), 0, holding);
    }
    this.#removed.clear();
    this.#added.clear();
  }

  /** The first place that does not come before a holding. */
  #placeOf(holding: Holding): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byBalance(this.#sorted[middle]!, holding) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Equal balances in the order of holders, so that each has its place. */
const byBalance = (a: Holding, b: Holding) =>
  a.balance > b.balance ? -1 : a.balance < b.balance ? 1 : a.holder - b.holder;

export const LARGEST = {
  collect: (words) => new LargestCollector(words),
  merge: mergeLargest,
  round: roundLargest,
  width: DAY_WIDTH,
  families: {
    /** In the order of `TOPS`. */
    largest: (selector: string) => SELECTORS.indexOf(selector) * TOPS.length,
  },
} as const satisfies Closes<ExactLargest>;
