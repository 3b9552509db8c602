/**
 * A table → columnar JSON: the time line, then one series after the other. If the whole table is more than may be held at
 * once, it is read several times: for the time line, then for some of its columns each time.
 */

import type { SeriesContext } from "../context.ts";
import type { Rows, TextPiece } from "../format/rows-and-pieces.ts";
import { quote, type RowTexts, RowWriter } from "../format/table-rows.ts";
import { axisOf } from "../read/axis/axis-of.ts";
import { checkHeldRows, checkReads, HELD_CELLS, narrowed, type TablePlan } from "../read/plan-table.ts";
import { readTable } from "../read/read-table.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";
import { seriesFacts, type TableFacts } from "./table-facts.ts";

/** The rows of one array: each begins with a comma. */
export const NUMBERS: RowTexts = {
  open: "",
  time: null,
  afterTime: "",
  beforeBlock: null,
  beforeValues: [","],
  missing: "null",
  close: "",
};
export const timesOf = (time: TimeForm): RowTexts => ({
  open: `,${quote(time)}`,
  time,
  afterTime: quote(time),
  beforeBlock: null,
  beforeValues: [],
  missing: "",
  close: "",
});

const encoder = new TextEncoder();
const piece = (text: string): TextPiece => ({ text: encoder.encode(text), points: 0 });

/**
 * The text of a table.
 *
 * @throws {Problem} 400 too many rows, or reads, before the first piece
 */
export async function* columnarText(
  plan: TablePlan,
  facts: TableFacts,
  time: TimeForm,
  context: SeriesContext,
): AsyncGenerator<TextPiece> {
  const { resolution } = plan.table;
  const { chunks: held, isWhole } = await hold(plan, context);
  const rows = held.reduce((sum, { t }) => sum + t.length, 0);
  const groups = isWhole ? [plan] : groupsOf(plan, Math.max(1, Math.floor(HELD_CELLS / rows)));
  if (!isWhole)
    checkReads(
      [plan, ...groups].reduce((sum, { cost }) => sum + cost.reads, 0),
      context,
    );
  yield piece(`${JSON.stringify(facts).slice(0, -1)},"t":[`);
  yield* arrayText(held, timesOf(time), ({ t }) => ({ t, block: null, columns: [] }), 0);
  if (resolution === "block") {
    yield piece('],"block":[');
    yield* arrayText(held, NUMBERS, ({ t, block }) => ({ t, block: null, columns: [block!] }), 0);
  }
  yield piece('],"series":[');
  let next = 0;
  for (const group of groups) {
    const own = isWhole ? held : [await aligned(group, held, context)];
    for (const [index, output] of group.table.outputs.entries()) {
      yield piece(`${next++ === 0 ? "" : ","}${JSON.stringify(seriesFacts(output)).slice(0, -1)},"v":[`);
      yield* arrayText(own, NUMBERS, ({ t, columns }) => ({ t, block: null, columns: [columns[index]!] }), 1);
      yield piece("]}");
    }
    for (const { t } of own) context.lease.free([t]);
  }
  yield piece("]}");
}

/** The entries of an array, without the brackets. */
export function* arrayText(
  chunks: readonly Rows[],
  texts: RowTexts,
  select: (chunk: Rows) => Rows,
  points: number,
): Generator<TextPiece> {
  const writer = new RowWriter(texts);
  let isFirst = true;
  for (const chunk of chunks) {
    const rows = select(chunk);
    for (let from = 0; from < rows.t.length; from += writer.capacity) {
      const to = Math.min(from + writer.capacity, rows.t.length);
      const text = writer.write(rows, from, to);
      // The first entry has no comma before it.
      yield { text: isFirst ? text.subarray(1) : text, points: points * (to - from) };
      isFirst = false;
    }
  }
}

/** The plan in parts of so many columns. */
function groupsOf(plan: TablePlan, width: number): TablePlan[] {
  const { length } = plan.table.outputs;
  const count = Math.ceil(length / width);
  return Array.from({ length: count }, (_, group) =>
    narrowed(plan, group * width, Math.min((group + 1) * width, length)),
  );
}

/** All rows, or if they are too many, their times and block numbers alone. */
async function hold(plan: TablePlan, context: SeriesContext): Promise<{ chunks: Rows[]; isWhole: boolean }> {
  let chunks: Rows[] = [];
  let isWhole = true;
  let rows = 0;
  for await (const chunk of readTable(plan, context)) {
    rows += chunk.t.length;
    if (axisOf(plan.table).isCounted) checkHeldRows(rows);
    chunks.push(isWhole ? chunk : withoutColumns(chunk, context));
    if (!isWhole || rows * chunk.columns.length <= HELD_CELLS) continue;
    chunks = chunks.map((held) => withoutColumns(held, context));
    isWhole = false;
  }
  return { chunks, isWhole };
}

/** A copy of the times and block numbers; the chunk is freed. */
function withoutColumns({ t, block }: Rows, { lease }: SeriesContext): Rows {
  const own = { t: t.slice(), block: block?.slice() ?? null, columns: [] };
  lease.keep(own.block ? [own.t, own.block] : [own.t]);
  lease.free([t]);
  return own;
}

/** Some of the columns, on the time line of the whole table. */
async function aligned(plan: TablePlan, line: readonly Rows[], context: SeriesContext): Promise<Rows> {
  const rows = line.reduce((sum, { t }) => sum + t.length, 0);
  const width = plan.table.outputs.length;
  const memory = new Float64Array(rows * width).fill(Number.NaN);
  context.lease.keep([memory]);
  const columns = Array.from({ length: width }, (_, index) => memory.subarray(index * rows, (index + 1) * rows));
  // A place in the time line: its chunk, the row of that, and the row of all.
  let [at, own, row] = [0, 0, 0];
  for await (const chunk of readTable(plan, context)) {
    for (let from = 0; from < chunk.t.length; from++) {
      const [t, block] = [chunk.t[from]!, chunk.block?.[from] ?? 0];
      while (at < line.length) {
        const { t: times, block: blocks } = line[at]!;
        if (own === times.length) [at, own] = [at + 1, 0];
        else if (times[own]! < t || (times[own] === t && (blocks?.[own] ?? 0) < block)) [own, row] = [own + 1, row + 1];
        else break;
      }
      const { t: times, block: blocks } = line[at] ?? {};
      // Rows before those that are wanted.
      if (times?.[own] !== t || (blocks?.[own] ?? 0) !== block) continue;
      for (const [index, column] of columns.entries()) column[row] = chunk.columns[index]![from]!;
    }
    context.lease.free([chunk.t]);
  }
  return { t: columns[0]!, block: null, columns };
}
