/** The last rows of a table. How far back they begin is found by reading: a row needs a point of any series. */

import type { SeriesContext } from "../context.ts";
import { axisOf } from "./axis/axis-of.ts";
import { looksBack } from "./derive.ts";
import { checkReads, planTable, type TablePlan, type Use } from "./plan-table.ts";
import { readTable } from "./read-table.ts";
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
