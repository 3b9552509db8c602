/** A table or a distribution → the body of a response, in its format: what /v3 answers. */

import type { Manifest } from "../../data-schema/stored.ts";
import type { SeriesContext } from "../context.ts";
import { type Body, body } from "../format/body.ts";
import { type Distribution, layoutOf, mostCells, openYears, readsOf } from "../read/distribution.ts";
import { spendReads } from "../read/plan-table.ts";
import { planRows } from "../read/read-table.ts";
import type { Table } from "../read/table-parts.ts";
import type { DistributionQuery } from "../request/distribution-query.ts";
import type { TableQuery } from "../request/table-query.ts";
import { numbersOfRows } from "./distribution-rows.ts";
import { tableFacts } from "./table-facts.ts";
import { DISTRIBUTION_WRITERS, WRITERS } from "./writers.ts";

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
  const { lease } = context;
  try {
    const { use, write } = WRITERS[format];
    const plan = await planRows(table, last, use, context);
    const pieces = write(plan, tableFacts(table, manifests), time, context);
    return await body(pieces, plan.cost.rows, context);
  } catch (error) {
    lease.end();
    throw error;
  }
}

/**
 * The body, once its first rows have been read.
 *
 * @throws {Problem} 400 too many cells; 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function distributionBody(
  { time, format }: DistributionQuery,
  distribution: Distribution,
  context: SeriesContext,
): Promise<Body> {
  const { lease } = context;
  try {
    const years = await openYears(distribution, context);
    const cells = mostCells(distribution, years);
    // Rows leave garbage behind, which grows with their number.
    const numbers = cells + (format === "json" ? 0 : numbersOfRows(cells, distribution));
    await lease.grow(READ_BYTES + Float64Array.BYTES_PER_ELEMENT * numbers);
    spendReads(readsOf(distribution, years), context);
    const layout = await layoutOf(distribution, years, context);
    const pieces = DISTRIBUTION_WRITERS[format]({ distribution, years, layout, time }, context);
    return await body(pieces, null, context);
  } catch (error) {
    lease.end();
    throw error;
  }
}

/** Bytes of the batches that are read at once. */
const READ_BYTES = 3 << 20;
