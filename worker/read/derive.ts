/** Rows of what is read → rows of what is shown: formulas are computed, each on the rows of its own series. */

import { computeOnRows, type Expression } from "../../data-schema/formula.ts";
import type { SeriesContext } from "../context.ts";
import type { Rows } from "../format/rows-and-pieces.ts";
import { firstAtOrAfter } from "./objects/slice.ts";
import type { Output, Table } from "./table-parts.ts";

/** Whether a table shows anything but what is read. */
export const hasFormulas = ({ outputs }: Pick<Table, "outputs">): boolean =>
  outputs.some(({ formula }) => formula !== null);

/** Whether a value depends on rows before its own, so that the whole history is read. */
export const looksBack = ({ outputs }: Pick<Table, "outputs">): boolean =>
  outputs.some(({ formula }) => formula !== null && formula.reach > 0);

/** Whether a value may depend on rows after the range, so that they are read, too. */
export const looksAhead = ({ outputs }: Pick<Table, "outputs">): boolean =>
  outputs.some(({ formula }) => formula?.looksAhead === true);

/** What functions of several rows take for each row, in sums of two numbers, roughly. */
export const stepsOf = ({ outputs }: Pick<Table, "outputs">): number =>
  outputs.reduce((sum, { formula }) => sum + (formula === null ? 0 : stepsIn(formula.expression)), 0);

function stepsIn(expression: Expression): number {
  switch (expression.kind) {
    case "number":
    case "input":
      return 0;
    case "negate":
      return stepsIn(expression.of);
    case "binary":
      return stepsIn(expression.left) + stepsIn(expression.right);
    case "call": {
      const { form, of, n, others } = expression;
      const own = form.reach(n) > 0 ? (form.cost ?? 1) : 0;
      return [of, ...others].reduce((sum, one) => sum + stepsIn(one), own);
    }
  }
}

/** The rows that are wanted of all that are read. */
export interface Wanted {
  /** Unix seconds, inclusive. */
  since: number;
  until: number;
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
    const { t, block } = chunk;
    const derived = newRows(t.length, outputs.length, block !== null, context);
    derived.t.set(t);
    if (block) derived.block!.set(block);
    for (const [index, output] of outputs.entries()) fill(derived.columns[index]!, output, chunk);
    context.lease.free([t]);
    yield derived;
  }
}

/** The rows of a table whose formulas look back: all that are read are held. Whoever takes the chunk frees it. */
export async function* deriveWhole(
  chunks: AsyncIterable<Rows>,
  { outputs, columns }: Table,
  { since, until, last }: Wanted,
  context: SeriesContext,
): AsyncGenerator<Rows> {
  const held: Rows[] = [];
  for await (const chunk of chunks) held.push(chunk);
  const whole = joined(held, columns.length, context);
  const { t } = whole;
  const to = firstAtOrAfter(t, Math.floor(until) + 1);
  const from = Math.max(firstAtOrAfter(t, since), last === null ? 0 : to - last);
  const derived = newRows(Math.max(0, to - from), outputs.length, false, context);
  derived.t.set(t.subarray(from, to));
  for (const [index, output] of outputs.entries()) fill(derived.columns[index]!, output, whole, from);
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

/** Puts the values of an output into a column, from a row on; NaN where it has none. */
function fill(into: Float64Array, output: Output, rows: Rows, from = 0): void {
  if (output.formula === null) into.set(rows.columns[output.column]!.subarray(from, from + into.length));
  else {
    const inputs = output.columns.map((place) => rows.columns[place]!);
    computeOnRows(into, output.formula, rows.t, inputs, from);
  }
}
