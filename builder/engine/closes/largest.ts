/**
 * The largest balances at the close of each day, and their sums. A partition leaves the changes of its largest holders, of which
 * those of all partitions together are found. Source: docs/methodology.md §9.
 */

import { fromBigInt, TokenUnit, toBigInt } from "../history/amounts.ts";
import type { CloseCollector, CloseFacts, Closes, ExactCloses, KernelTable, SortedAddresses } from "./close.ts";
import { type Holding, Ranking } from "./ranking.ts";

/** How many are added up, ascending. */
const TOPS = [10, 100, 1_000] as const;
const MOST = TOPS.at(-1)!;

/** What is added up. */
const SELECTORS = ["total", "users"] as const;
const DAY_WIDTH = SELECTORS.length * TOPS.length;
const listsOf = ({ all, users }: Ranking) => [all, users];

/** 32-bit words of an address: its bytes in order. */
const ADDRESS_WORDS = 5;

/**
 * First the addresses of `holders` in ascending order, which number them. Then changes, in the order of days: the day, the
 * holder, its group, and its balance of `words` from then on, which is 0 when it is none of the largest any more.
 */
interface ExactLargest extends ExactCloses {
  days: number;
  words: number;
  holders: number;
}

const addressesOf = ({ digits, holders }: ExactLargest) => digits.subarray(0, ADDRESS_WORDS * holders);

class LargestCollector implements CloseCollector<ExactLargest> {
  readonly #words: number;
  readonly #addresses: SortedAddresses;
  readonly #largest: LargestLog;
  #days = 0;

  constructor(words: number, addresses: SortedAddresses) {
    this.#words = words;
    this.#addresses = addresses;
    this.#largest = new LargestLog(words);
  }

  close(table: KernelTable): void {
    const changes = table("closingLargest");
    const width = 2 + this.#words;
    for (let i = 0, at = 1; i < changes[0]!; i++, at += width) {
      const [place, group] = [this.#addresses.places[changes[at]!]!, changes[at + 1]!];
      this.#largest.ranking.change(place, group, toBigInt(changes, at + 2, this.#words));
    }
    this.#largest.closeDay(this.#days++);
  }

  finish(): ExactLargest {
    const { buffer, byteOffset, length } = this.#addresses.bytes;
    return this.#largest.end(this.#days, new Uint32Array(buffer, byteOffset, length / 4));
  }
}

/** Merges the largest of two partitions: what is left are the largest of both. */
function mergeLargest(one: ExactLargest, other: ExactLargest): ExactLargest {
  const { days, words } = one;
  const largest = new LargestLog(words);
  const { addresses, numbers } = mergeAddresses(addressesOf(one), addressesOf(other));
  const readers = [new ChangeReader(one, numbers[0]), new ChangeReader(other, numbers[1])];
  for (let day = 0; day < days; day++) {
    for (const reader of readers) reader.applyChanges(day, largest.ranking);
    largest.closeDay(day);
  }
  return largest.end(days, addresses);
}

/** The addresses of two partitions in ascending order, and the number among them of each of either's. */
function mergeAddresses(one: Uint32Array, other: Uint32Array) {
  const sides = [one, other].map((words) => ({
    words,
    view: new DataView(words.buffer, words.byteOffset, words.byteLength),
    numbers: new Uint32Array(words.length / ADDRESS_WORDS),
    next: 0,
  })) as [MergedSide, MergedSide];
  const addresses = new Uint32Array(one.length + other.length);
  for (let number = 0; number < addresses.length / ADDRESS_WORDS; number++) {
    const side = isNext(...sides) ? sides[0] : sides[1];
    const at = ADDRESS_WORDS * side.next;
    addresses.set(side.words.subarray(at, at + ADDRESS_WORDS), ADDRESS_WORDS * number);
    side.numbers[side.next++] = number;
  }
  return { addresses, numbers: [sides[0].numbers, sides[1].numbers] as const };
}

interface MergedSide {
  words: Uint32Array;
  view: DataView;
  numbers: Uint32Array;
  next: number;
}

/** Whether the next address of one comes before that of the other, byte by byte. */
function isNext(one: MergedSide, other: MergedSide): boolean {
  if (one.next === one.numbers.length) return false;
  if (other.next === other.numbers.length) return true;
  for (let word = 0; word < ADDRESS_WORDS; word++) {
    const a = one.view.getUint32(4 * (ADDRESS_WORDS * one.next + word));
    const b = other.view.getUint32(4 * (ADDRESS_WORDS * other.next + word));
    if (a !== b) return a < b;
  }
  return true;
}

/** The largest holders of a day. */
export interface LargestOfDay {
  count: number;
  /** 20 bytes each: the largest balance first, equal ones in ascending order of the addresses. */
  addresses: Uint8Array;
  /** 32-bit words of each balance, and the balances: raw, little-endian. */
  words: number;
  balances: Uint32Array;
}

/** The largest holders of each day, one day after the other. */
export function* largestByDay(exact: ExactCloses): Generator<LargestOfDay> {
  const largest = exact as ExactLargest;
  const { days, words } = largest;
  const addresses = addressesOf(largest);
  const ranking = new Ranking();
  const reader = new ChangeReader(largest);
  for (let day = 0; day < days; day++) {
    reader.applyChanges(day, ranking);
    const first = ranking.all.first(MOST);
    const rows = new Uint32Array(ADDRESS_WORDS * first.length);
    const balances = new Uint32Array(words * first.length);
    for (const [row, { holder, balance }] of first.entries()) {
      const at = ADDRESS_WORDS * holder;
      rows.set(addresses.subarray(at, at + ADDRESS_WORDS), ADDRESS_WORDS * row);
      fromBigInt(balance, balances, words * row, words);
    }
    yield { count: first.length, addresses: new Uint8Array(rows.buffer), words, balances };
  }
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

  /**
   * The addresses of those that have been written down, and the changes, by their numbers among these.
   *
   * @param addresses those of all numbers, in ascending order
   */
  end(days: number, addresses: Uint32Array): ExactLargest {
    const width = widthOf(this.#words);
    const changes = this.#digits.subarray(0, this.#end);
    const numbers = new Uint32Array(addresses.length / ADDRESS_WORDS);
    for (let at = 0; at < changes.length; at += width) numbers[changes[at + 1]!] = 1;
    const holders = numbers.reduce((sum, one) => sum + one, 0);
    const digits = new Uint32Array(ADDRESS_WORDS * holders + changes.length);
    let next = 0;
    for (let number = 0; number < numbers.length; number++) {
      if (numbers[number] === 0) continue;
      const at = ADDRESS_WORDS * number;
      digits.set(addresses.subarray(at, at + ADDRESS_WORDS), ADDRESS_WORDS * next);
      numbers[number] = next++;
    }
    digits.set(changes, ADDRESS_WORDS * holders);
    for (let at = ADDRESS_WORDS * holders; at < digits.length; at += width) digits[at + 1] = numbers[digits[at + 1]!]!;
    return { days, words: this.#words, holders, digits };
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
  readonly #numbers: Uint32Array | undefined;
  #at: number;

  /** @param numbers of its holders in the ranking; undefined if they are the same */
  constructor({ digits, words, holders }: ExactLargest, numbers?: Uint32Array) {
    this.#digits = digits;
    this.#words = words;
    this.#numbers = numbers;
    this.#at = ADDRESS_WORDS * holders;
  }

  /** Makes a day's changes in a ranking. */
  applyChanges(day: number, ranking: Ranking): void {
    for (; this.#digits[this.#at] === day; this.#at += widthOf(this.#words)) {
      const [holder, group] = [this.#digits[this.#at + 1]!, this.#digits[this.#at + 2]!];
      ranking.change(
        this.#numbers ? this.#numbers[holder]! : holder,
        group,
        toBigInt(this.#digits, this.#at + 3, this.#words),
      );
    }
  }
}

export const LARGEST = {
  collect: (words, addresses) => new LargestCollector(words, addresses),
  merge: mergeLargest,
  round: roundLargest,
  width: DAY_WIDTH,
  families: {
    /** In the order of `TOPS`. */
    largest: (selector: string) => (SELECTORS as readonly string[]).indexOf(selector) * TOPS.length,
  },
} as const satisfies Closes<ExactLargest>;
