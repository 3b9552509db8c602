/**
 * A table → its plan → its rows, all or the last so many. How far back those begin is found by reading: a row needs a
 * point of any series.
 */

import type { SeriesContext } from "../context.ts";
import type { Rows } from "../format/rows-and-pieces.ts";
import { axisOf } from "./axis/axis-of.ts";
import { deriveEach, deriveWhole, hasFormulas, looksBack } from "./derive.ts";
import { checkReads, planTable, type TablePlan, type Use } from "./plan-table.ts";
import { asKnownRows } from "./replacements.ts";
import { windowsOf } from "./table-of-query.ts";
import type { Table } from "./table-parts.ts";

/** How much farther back the next attempt begins. */
const GROWTH = 4;

/**
 * Plans a table, or if `last` is not null, the last so many of its rows.
 *
 * @throws {Problem} as `planTable`
 */
export function planRows(table: Table, last: number | null, use: Use, context: SeriesContext): Promise<TablePlan> {
  return last === null || looksBack(table) ? planTable(table, use, context, last) : planLast(table, last, use, context);
}

async function planLast(table: Table, wanted: number, use: Use, context: SeriesContext): Promise<TablePlan> {
  const windows = windowsOf(table);
  if (windows.length === 0) return planTable(table, use, context);
  const earliest = Math.max(table.since, windows[0]!.from);
  const latest = Math.min(table.until, windows.at(-1)!.to - 1, Math.max(...table.columns.map(({ last }) => last)));
  const axis = axisOf(table);
  const count = Math.min(wanted, axis.mostRows(table, earliest, latest));
  let reads = 0;
  for (let rows = count; ; rows *= GROWTH) {
    const since = Math.max(earliest, axis.startOf(table, windows, latest, rows));
    const plan = await planTable({ ...table, since }, use, context);
    if (axis.isDense(plan.table, since, latest, count)) return plan;
    reads += plan.cost.reads;
    checkReads(2 * reads, context);
    const times: Float64Array[] = [];
    let found = 0;
    for await (const { t } of readTable(plan, context)) {
      times.push(t.slice());
      found += t.length;
      context.lease.free([t]);
    }
    if (found < count && since > earliest) continue;
    // Several rows may have the time of the first one.
    const all = times.flatMap((part) => Array.from(part));
    const first = all[Math.max(0, found - count)] ?? since;
    const skip = found <= count ? 0 : found - count - all.indexOf(first);
    const narrowed = await planTable({ ...table, since: first }, use, context);
    return { ...narrowed, skip };
  }
}

/**
 * The rows of a table, ascending. Whoever takes a chunk frees it.
 *
 * @throws {Problem} 500 or 503 as `readRange`
 */
export async function* readTable(
  { table, windows, cost, skip, wanted }: TablePlan,
  context: SeriesContext,
): AsyncGenerator<Rows> {
  const read = axisOf(table).read(table, windows, cost, context);
  const { replacements } = table;
  const known = replacements ? asKnownRows(read, table.columns, replacements, context) : read;
  const shown = replacements ? { ...table, columns: table.columns.slice(0, replacements.pasts.length) } : table;
  const computed = wanted ? deriveWhole(known, shown, wanted, context) : deriveEach(known, shown, context);
  const chunks = hasFormulas(table) ? computed : known;
  for await (const { t, block, columns } of chunks) {
    const from = Math.min(skip, t.length);
    skip -= from;
    const part = (array: Float64Array) => (from === 0 ? array : array.subarray(from));
    if (from < t.length) yield { t: part(t), block: block && part(block), columns: columns.map(part) };
    else context.lease.free([t]);
  }
}
