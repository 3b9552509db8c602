/** The plan of a table → its rows. */

import type { SeriesContext } from "../context.ts";
import type { Rows } from "../format/rows-and-pieces.ts";
import { axisOf } from "./axis/axis-of.ts";
import { deriveEach, deriveWhole, hasFormulas } from "./derive.ts";
import type { TablePlan } from "./plan-table.ts";
import { asKnownRows } from "./replacements.ts";

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
