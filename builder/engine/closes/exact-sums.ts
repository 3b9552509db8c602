/**
 * Exact sums at the close of each day, as the kernel leaves them: rows of whole numbers, of which the last may be a cost. An
 * exact sum does not depend on the order of its addends: neither on the number of partitions, nor on where a replay began.
 */

import type { CloseCollector, ExactCloses, KernelTable } from "./close.ts";
import { addDigits } from "./digits.ts";

/**
 * Numbers in two's complement, of 32-bit digits, least significant first: by day and row, first the fields, then the cost, if
 * there is one.
 */
export interface ExactSums extends ExactCloses {
  days: number;
  /** Digits of the numbers before the cost. A row whose first number is 0 is all zeros. */
  fields: readonly number[];
  costDigits: number;
  /** The lowest digit of a cost is worth 2^(32 · lowestCost − 1074) USD. */
  lowestCost: number;
}

/** What is particular to some sums. */
export interface SumsLayout {
  /** The kernel's table of them. */
  table: string;
  rows: number;
  /** @param words 32-bit words of a balance */
  fields: (words: number) => readonly number[];
  /** Digits by which its costs are longer than those of holders, of which one is for carries; left out if it has no costs. */
  moreCostDigits?: number;
}

export const fieldsWidth = ({ fields }: Pick<ExactSums, "fields">) => fields.reduce((sum, digits) => sum + digits, 0);

/** Numbers of a row. */
export const rowWidth = (sums: Pick<ExactSums, "fields" | "costDigits">) => fieldsWidth(sums) + sums.costDigits;

/** Collects the days that the kernel closes. */
export class SumsCollector implements CloseCollector<ExactSums> {
  readonly #layout: SumsLayout;
  readonly #fields: readonly number[];
  /** Each with the cost digits in use by then. */
  readonly #days: ExactSums[] = [];

  constructor(layout: SumsLayout, words: number) {
    this.#layout = layout;
    this.#fields = layout.fields(words);
  }

  close(table: KernelTable, lowest: number, highest: number): void {
    const { table: name, rows, moreCostDigits } = this.#layout;
    const hasCosts = moreCostDigits !== undefined && lowest <= highest;
    const costDigits = hasCosts ? highest + 1 + moreCostDigits - lowest : 0;
    const day = { days: 1, fields: this.#fields, costDigits, lowestCost: lowest };
    this.#days.push({ ...day, digits: table(name).slice(0, rows * rowWidth(day)) });
  }

  finish(): ExactSums {
    const { rows } = this.#layout;
    const all = allocateFor(this.#days.length, rows, this.#fields, this.#days);
    for (const [day, sums] of this.#days.entries()) copyDay(all, day, sums, 0, rows);
    return all;
  }
}

/** Adds up those of two partitions. */
export function addSums(one: ExactSums, other: ExactSums, { rows }: SumsLayout): ExactSums {
  const sum = allocateFor(one.days, rows, one.fields, [one, other]);
  for (let day = 0; day < sum.days; day++) {
    copyDay(sum, day, one, day, rows);
    addDay(sum, day, other, day, rows);
  }
  return sum;
}

/** Zeros for a number of days, with every digit that any of the sums uses. */
function allocateFor(days: number, rows: number, fields: readonly number[], sums: readonly ExactSums[]): ExactSums {
  const withCosts = sums.filter(({ costDigits }) => costDigits > 0);
  const lowestCost = withCosts.length === 0 ? 0 : Math.min(...withCosts.map(({ lowestCost }) => lowestCost));
  const end = Math.max(0, ...withCosts.map(({ lowestCost, costDigits }) => lowestCost + costDigits));
  const layout = { days, fields, costDigits: end - lowestCost, lowestCost };
  return { ...layout, digits: new Uint32Array(days * rows * rowWidth(layout)) };
}

/** Adds a day to a day of zeros. Nearly all days have the digits of all, since costs seldom come to use more. */
function copyDay(into: ExactSums, intoDay: number, from: ExactSums, fromDay: number, rows: number): void {
  const { costDigits, lowestCost } = into;
  if (from.costDigits !== costDigits || (costDigits > 0 && from.lowestCost !== lowestCost)) {
    addDay(into, intoDay, from, fromDay, rows);
    return;
  }
  const width = rows * rowWidth(from);
  into.digits.set(from.digits.subarray(fromDay * width, (fromDay + 1) * width), intoDay * width);
}

/** Adds a day of some sums to a day of others, which must have the same digits or more. */
function addDay(into: ExactSums, intoDay: number, from: ExactSums, fromDay: number, rows: number): void {
  const [fromWidth, intoWidth] = [rowWidth(from), rowWidth(into)];
  const shift = from.costDigits === 0 ? 0 : from.lowestCost - into.lowestCost;
  for (let row = 0; row < rows; row++) {
    let at = (fromDay * rows + row) * fromWidth;
    let to = (intoDay * rows + row) * intoWidth;
    if (isNothing(from, at)) continue;
    for (const digits of from.fields) {
      addDigits(into.digits, to, digits, from.digits, at, digits);
      at += digits;
      to += digits;
    }
    addDigits(into.digits, to + shift, into.costDigits - shift, from.digits, at, from.costDigits);
  }
}

/** Whether a row is all zeros. */
export function isNothing({ digits, fields }: ExactSums, at: number): boolean {
  for (let k = 0; k < fields[0]!; k++) if (digits[at + k] !== 0) return false;
  return true;
}
