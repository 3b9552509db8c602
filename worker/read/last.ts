/** The last rows of a table. How far back they begin is found by reading: a row needs a point of any series. */

import { type BucketResolution, RESOLUTION_FACTS } from "../../data-schema/registry.ts";
import type { SeriesContext } from "../context.ts";
import { looksBack } from "./derive.ts";
import { checkReads, planTable, readTable, type TablePlan, type Use } from "./rows.ts";
import { type Table, windowsOf } from "./table.ts";

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
  const count =
    table.resolution === "block" ? wanted : Math.min(wanted, mostBuckets(table.resolution, earliest, latest));
  let reads = 0;
  for (let rows = count; ; rows *= GROWTH) {
    const since = Math.max(earliest, startOf(table, windows, latest, rows));
    const plan = await planTable({ ...table, since }, use, context);
    if (isDense(plan.table, since, latest, count)) return plan;
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

/** More buckets than begin between two times. So many back from the second, there is always a date. */
function mostBuckets(resolution: BucketResolution, first: number, last: number): number {
  return Math.max(1, Math.ceil((last - first) / RESOLUTION_FACTS[resolution].least) + 1);
}

/** A time from which on there may be so many rows, Unix seconds. */
function startOf({ resolution }: Table, windows: ReturnType<typeof windowsOf>, latest: number, rows: number): number {
  if (resolution !== "block") return RESOLUTION_FACTS[resolution].start(latest, 1 - rows);
  // An estimate: the points of the last window's fullest object are spread evenly, and each is a row.
  const { from, to, pieces } = windows.at(-1)!;
  const density = Math.max(1, ...pieces.map(({ object }) => object.entry.rows)) / (to - from);
  return latest - Math.ceil((2 * rows) / density);
}

/** Whether a series has a point in each bucket, so that the rows need no counting. */
function isDense({ resolution, columns }: Table, since: number, latest: number, count: number): boolean {
  if (resolution === "block" || RESOLUTION_FACTS[resolution].start(latest, 1 - count) > since) return false;
  return columns.some(({ metric, first, last }) => metric.shape === "sum" && first <= since && last >= latest);
}
