/** Rows of what is read → rows of what is shown: formulas are computed, each on the rows of its own series. */

import { evaluate } from "../../data-schema/formula/evaluate.ts";
import type { SeriesContext } from "../context.ts";
import type { Rows } from "../format/pieces.ts";
import type { FormulaOutput, Output } from "./outputs.ts";
import { firstAtOrAfter } from "./slice.ts";
import type { Table } from "./table.ts";

/** Whether a table shows anything but what is read. */
export const hasFormulas = ({ outputs }: Pick<Table, "outputs">): boolean =>
  outputs.some(({ formula }) => formula !== null);

/** Whether a value depends on rows before its own, so that the whole history is read. */
export const looksBack = ({ outputs }: Pick<Table, "outputs">): boolean =>
  outputs.some(({ formula }) => formula !== null && formula.reach > 0);

/** The rows that are wanted of all that are read. */
export interface Wanted {
  /** Unix seconds. */
  since: number;
  /** The last so many; null for all. */
  last: number | null;
}

/** The rows of a table whose formulas look at one row each. Whoever takes a chunk frees it. */
export async function* deriveEach(
  chunks: AsyncIterable<Rows>,
  { outputs }: Table,
  context: SeriesContext,
): AsyncGenerator<Rows> {
  for await (const chunk of chunks) {
    const { t, block, columns } = chunk;
    const derived = newRows(t.length, outputs.length, block !== null, context);
    derived.t.set(t);
    if (block) derived.block!.set(block);
    for (const [index, output] of outputs.entries()) derived.columns[index]!.set(valuesOf(output, columns));
    context.lease.free([t]);
    yield derived;
  }
}

/** The rows of a table whose formulas look back: all that are read are held. Whoever takes the chunk frees it. */
export async function* deriveWhole(
  chunks: AsyncIterable<Rows>,
  { outputs, columns }: Table,
  { since, last }: Wanted,
  context: SeriesContext,
): AsyncGenerator<Rows> {
  const held: Rows[] = [];
  for await (const chunk of chunks) held.push(chunk);
  const whole = joined(held, columns.length, context);
  const { t } = whole;
  const from = Math.max(firstAtOrAfter(t, since), last === null ? 0 : t.length - last);
  const derived = newRows(t.length - from, outputs.length, false, context);
  derived.t.set(t.subarray(from));
  for (const [index, output] of outputs.entries()) {
    derived.columns[index]!.set(valuesOf(output, whole.columns).subarray(from));
  }
  context.lease.free([t]);
  if (derived.t.length > 0) yield derived;
}

/** Rows in one piece of memory, whose parts begin with the times. */
function newRows(rows: number, width: number, hasBlock: boolean, { lease }: SeriesContext): Rows {
  const first = hasBlock ? 2 : 1;
  const memory = new Float64Array(rows * (width + first));
  lease.keep([memory]);
  const part = (index: number) => memory.subarray(index * rows, (index + 1) * rows);
  return {
    t: part(0),
    block: hasBlock ? part(1) : null,
    columns: Array.from({ length: width }, (_, i) => part(first + i)),
  };
}

/** Chunks as one; they are freed. */
function joined(chunks: readonly Rows[], width: number, context: SeriesContext): Rows {
  const [only, ...others] = chunks;
  if (only && others.length === 0) return only;
  const rows = chunks.reduce((sum, { t }) => sum + t.length, 0);
  const whole = newRows(rows, width, false, context);
  let at = 0;
  for (const { t, columns } of chunks) {
    whole.t.set(t, at);
    for (const [index, column] of columns.entries()) whole.columns[index]!.set(column, at);
    at += t.length;
    context.lease.free([t]);
  }
  return whole;
}

/** The values of an output; NaN where it has none. */
function valuesOf(output: Output, columns: readonly Float64Array[]): Float64Array {
  return output.formula === null ? columns[output.column]! : computed(output, columns);
}

/** A formula counts the rows in which one of its series has a point, whatever else is read. */
function computed({ formula, columns: places }: FormulaOutput, columns: readonly Float64Array[]): Float64Array {
  const inputs = places.map((place) => columns[place]!);
  if (formula.reach === 0) return finite(evaluate(formula, inputs));
  const { length } = inputs[0]!;
  const rows = new Int32Array(length);
  let count = 0;
  for (let row = 0; row < length; row++) {
    if (inputs.some((input) => !Number.isNaN(input[row]))) rows[count++] = row;
  }
  if (count === length) return finite(evaluate(formula, inputs));
  const own = rows.subarray(0, count);
  const values = evaluate(
    formula,
    inputs.map((input) => Float64Array.from(own, (row) => input[row]!)),
  );
  const spread = new Float64Array(length).fill(Number.NaN);
  for (const [index, row] of own.entries()) spread[row] = values[index]!;
  return finite(spread);
}

/** Infinity is no value: JSON has none. */
function finite(values: Float64Array): Float64Array {
  return values.map((value) => (Number.isFinite(value) ? value : Number.NaN));
}
