/** A table → the body of a response, in its format. */

import type { Manifest } from "../../data-schema/manifest.ts";
import type { SeriesContext } from "../context.ts";
import { type Body, pieceBody } from "../format/body.ts";
import { TABLE_LAYOUTS } from "../format/table-layouts.ts";
import { planRows } from "../read/last.ts";
import { readTable, type Use } from "../read/rows.ts";
import type { Table } from "../read/table.ts";
import type { TableFormat } from "../request/table-parameters.ts";
import type { TableQuery } from "../request/table-query.ts";
import { arrowStream } from "./arrow.ts";
import { columnarText } from "./columnar.ts";
import { columnName, factsOf } from "./facts.ts";
import { rowText } from "./lines.ts";
import { parquetFile } from "./parquet.ts";

/** How the formats use the rows. */
const USES: Record<TableFormat, Use> = {
  json: "hold",
  csv: "stream",
  ndjson: "stream",
  arrow: "stream",
  parquet: "gather",
};

/**
 * The body, once its first rows have been read.
 *
 * @throws {Problem} 400 too many reads or rows; 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function tableBody(
  { last, time, format }: TableQuery,
  table: Table,
  manifests: readonly Manifest[],
  context: SeriesContext,
): Promise<Body> {
  const { lease, entry } = context;
  try {
    const plan = await planRows(table, last, USES[format], context);
    const facts = factsOf(table, manifests);
    const names = table.columns.map(columnName);
    const hasBlock = table.resolution === "block";
    const { rows } = TABLE_LAYOUTS[format];
    const pieces =
      rows !== null
        ? rowText(readTable(plan, context), rows, names, hasBlock, time, lease)
        : format === "arrow"
          ? arrowStream(readTable(plan, context), table, facts, time, lease)
          : format === "parquet"
            ? parquetFile(readTable(plan, context), table, facts, time, lease)
            : columnarText(plan, facts, time, context);
    return await pieceBody(pieces, plan.cost.rows, entry.id, lease);
  } catch (error) {
    lease.end();
    throw error;
  }
}
