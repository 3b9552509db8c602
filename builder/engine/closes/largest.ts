/**
 * The sums of the largest balances at the close of each day. A partition leaves the changes of its largest holders, of which
 * those of all partitions together are found. Source: docs/methodology.md §9.
 */

import { fromBigInt, TokenUnit, toBigInt } from "../history/amounts.ts";
import type { CloseCollector, CloseFacts, Closes, ExactCloses, KernelTable } from "./close.ts";
import { type Holding, Ranking } from "./ranking.ts";

/** How many are added up, ascending. */
const TOPS = [10, 100, 1_000] as const;
const MOST = TOPS.at(-1)!;

/** What is added up. */
const SELECTORS = ["total", "users"] as const;
const DAY_WIDTH = SELECTORS.length * TOPS.length;
const listsOf = ({ all, users }: Ranking) => [all, users];

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

class LargestCollector implements CloseCollector<ExactLargest> {
  readonly #words: number;
  readonly #largest: LargestLog;
  #days = 0;
  #holders = 0;

  constructor(words: number) {
    this.#words = words;
    this.#largest = new LargestLog(words);
  }

  close(table: KernelTable): void {
    const changes = table("closingLargest");
    const width = 2 + this.#words;
    for (let i = 0, at = 1; i < changes[0]!; i++, at += width) {
      const [holder, group] = [changes[at]!, changes[at + 1]!];
      this.#holders = Math.max(this.#holders, holder + 1);
      this.#largest.ranking.change(holder, group, toBigInt(changes, at + 2, this.#words));
    }
    this.#largest.closeDay(this.#days++);
  }

  finish(): ExactLargest {
    return { days: this.#days, words: this.#words, holders: this.#holders, digits: this.#largest.end() };
  }
}

/** Merges the largest of two partitions: what is left are the largest of both. */
function mergeLargest(one: ExactLargest, other: ExactLargest): ExactLargest {
  const { days, words } = one;
  const largest = new LargestLog(words);
  const readers = [new ChangeReader(one), new ChangeReader(other, one.holders)];
  for (let day = 0; day < days; day++) {
    for (const reader of readers) reader.applyChanges(day, largest.ranking);
    largest.closeDay(day);
  }
  return { days, words, holders: one.holders + other.holders, digits: largest.end() };
}

function roundLargest(largest: ExactLargest, { decimals }: CloseFacts): Float64Array {
  const { days, words } = largest;
  const unit = new TokenUnit(decimals);
  const digits = new Uint32Array(words + 1);
  const rounded = new Float64Array(days * DAY_WIDTH);
  const ranking = new Ranking();
  const reader = new ChangeReader(largest);
  for (let day = 0; day < days; day++) {
    reader.applyChanges(day, ranking);
    const sums = listsOf(ranking).flatMap((list) => list.sums(TOPS));
    for (const [i, sum] of sums.entries()) {
      fromBigInt(sum, digits, 0, digits.length);
      rounded[day * DAY_WIDTH + i] = unit.tokens(digits, 0, digits.length);
    }
  }
  return rounded;
}

const widthOf = (words: number) => 3 + words;

/** Writes down how the largest of a ranking change: it may hold others, who wait to be among them. */
class LargestLog {
  readonly ranking = new Ranking();
  readonly #words: number;
  #digits = new Uint32Array(4_096);
  #end = 0;
  /** The largest holdings at the close before. */
  #before: Holding[] = [];

  constructor(words: number) {
    this.#words = words;
  }

  closeDay(day: number): void {
    const largest: Holding[] = [];
    for (const list of listsOf(this.ranking)) {
      for (const holding of list.first(MOST)) {
        if (holding.day === day) continue;
        holding.day = day;
        largest.push(holding);
      }
    }
    for (const holding of this.#before) {
      if (holding.day === day) continue;
      holding.isWritten = false;
      const { holder } = holding;
      if (this.ranking.holding(holder)?.day !== day) this.#write(day, holder, 0, 0n);
    }
    for (const holding of largest) {
      if (holding.isWritten) continue;
      holding.isWritten = true;
      this.#write(day, holding.holder, holding.group, holding.balance);
    }
    this.#before = largest;
  }

  end(): Uint32Array {
    return this.#digits.slice(0, this.#end);
  }

  #write(day: number, holder: number, group: number, balance: bigint): void {
    const end = this.#end + widthOf(this.#words);
    if (end > this.#digits.length) {
      const more = new Uint32Array(2 * this.#digits.length);
      more.set(this.#digits);
      this.#digits = more;
    }
    this.#digits.set([day, holder, group], this.#end);
    fromBigInt(balance, this.#digits, end - this.#words, this.#words);
    this.#end = end;
  }
}

/** Reads changes, a day after the other. */
class ChangeReader {
  readonly #digits: Uint32Array;
  readonly #words: number;
  readonly #offset: number;
  #at = 0;

  /** @param offset added to the numbers of holders */
  constructor({ digits, words }: ExactLargest, offset = 0) {
    this.#digits = digits;
    this.#words = words;
    this.#offset = offset;
  }

  /** Makes a day's changes in a ranking. */
  applyChanges(day: number, ranking: Ranking): void {
    for (; this.#digits[this.#at] === day; this.#at += widthOf(this.#words)) {
      const [holder, group] = [this.#digits[this.#at + 1]! + this.#offset, this.#digits[this.#at + 2]!];
      ranking.change(holder, group, toBigInt(this.#digits, this.#at + 3, this.#words));
    }
  }
}

export const LARGEST = {
  collect: (words) => new LargestCollector(words),
  merge: mergeLargest,
  round: roundLargest,
  width: DAY_WIDTH,
  families: {
    /** In the order of `TOPS`. */
    largest: (selector: string) => (SELECTORS as readonly string[]).indexOf(selector) * TOPS.length,
  },
} as const satisfies Closes<ExactLargest>;
