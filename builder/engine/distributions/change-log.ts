/** How the buckets of distributions change from close to close, exactly, as the kernel (assembly/distributions.ts) leaves it. */

import { BUCKET_SECONDS, yearStart } from "../../../data-schema/registry.ts";
import type { KernelTable } from "../closes/close.ts";

/** The days of a calendar year. */
export interface YearOfChanges {
  /** Start of the first day, Unix seconds. */
  first: number;
  days: number;
  /** For each day: how many words follow, then its entries. */
  words: Uint32Array;
}

/** Collects the days that a partition closes. */
export class ChangeLog {
  readonly years: YearOfChanges[] = [];
  #day: number;
  #room = new Uint32Array(4_096);
  #end = 0;

  /** @param first start of the first day, Unix seconds */
  constructor(first: number) {
    this.#day = first;
  }

  close(table: KernelTable): void {
    const changes = table("closingChanges");
    const count = 1 + changes[0]!;
    const before = this.years.at(-1);
    const isSameYear = before !== undefined && yearStart(before.first) === yearStart(this.#day);
    if (!isSameYear) this.#end = 0;
    if (this.#end + count > this.#room.length || !isSameYear) {
      const room = new Uint32Array(Math.max(4_096, 2 * (this.#end + count)));
      room.set(this.#room.subarray(0, this.#end));
      this.#room = room;
    }
    this.#room.set(changes.subarray(0, count), this.#end);
    this.#end += count;
    const words = this.#room.subarray(0, this.#end);
    if (isSameYear) this.years[this.years.length - 1] = { ...before, days: before.days + 1, words };
    else this.years.push({ first: this.#day, days: 1, words });
    this.#day += BUCKET_SECONDS.day;
  }
}

/** The change of a row of the kernel on a day: of the number of addresses, of raw tokens, and of the cost. */
export interface DistributionChange {
  row: number;
  addresses: number;
  /** Where its digits are, in two's complement: those of tokens, then those of the cost. */
  at: number;
  tokenDigits: number;
  costDigits: number;
  /** The lowest digit of the cost is worth 2^(32 · lowestCost − 1074) USD. */
  lowestCost: number;
}

/** Reads a year, a day after the other. */
export class ChangeReader {
  readonly words: Uint32Array;
  #at = 0;

  constructor({ words }: Pick<YearOfChanges, "words">) {
    this.words = words;
  }

  /** The changes of the next day; each is overwritten by the next. */
  *nextDay(): Generator<DistributionChange> {
    const end = this.#at + 1 + this.words[this.#at]!;
    const change = { row: 0, addresses: 0, at: 0, tokenDigits: 0, costDigits: 0, lowestCost: 0 };
    for (let at = this.#at + 1; at < end; at = change.at + change.tokenDigits + change.costDigits) {
      const shape = this.words[at + 2]!;
      change.row = this.words[at]!;
      change.addresses = this.words[at + 1]! | 0;
      change.at = at + 3;
      change.tokenDigits = shape & 0xff;
      change.costDigits = (shape >>> 8) & 0xff;
      change.lowestCost = shape >>> 16;
      yield change;
    }
    this.#at = end;
  }
}
