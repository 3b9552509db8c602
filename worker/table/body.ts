/** A table → the body of a response, in its format. */

import type { Manifest } from "../../data-schema/manifest.ts";
import type { SeriesContext } from "../context.ts";
import { type Body, pieceBody } from "../format/body.ts";
import { planRows } from "../read/last.ts";
import type { Table } from "../read/table.ts";
import type { TableQuery } from "../request/table-query.ts";
import { factsOf } from "./facts.ts";
import { WRITERS } from "./writers.ts";

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
    const { use, write } = WRITERS[format];
    const plan = await planRows(table, last, use, context);
    const pieces = write(plan, factsOf(table, manifests), time, context);
    return await pieceBody(pieces, plan.cost.rows, entry.id, lease);
  } catch (error) {
    lease.end();
    throw error;
  }
}
