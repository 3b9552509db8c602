/** A single series → the body of an answer of /v1 or /v2: JSON, which is an array of objects, or CSV. Source: docs/api.md#responses. */

import type { Manifest } from "../../data-schema/stored.ts";
import type { SeriesContext } from "../context.ts";
import { type Body, body } from "../format/body.ts";
import { CSV, LINES, quote, RowForm, type RowLayout, rowText } from "../format/table-rows.ts";
import { SHORT_POINTS } from "../read/read-batches.ts";
import { readSeries, startOf } from "../read/read-series.ts";
import type { Format } from "../request/parameters/v1-parameters.ts";
import type { Query } from "../request/validate.ts";

/** One array of objects. */
const ARRAY: RowLayout = {
  head: () => "[",
  separatorBytes: ",".length,
  row: (names, hasBlock, time) => ({ ...LINES.row(names, hasBlock, time), open: `,{"t":${quote(time)}`, close: "}" }),
  tail: "]",
};

/** A single series is a table of one column. */
const seriesForm = (layout: RowLayout) => new RowForm(layout, ["v"], false, "iso");
export const SERIES_FORMS: Record<Format, RowForm> = { json: seriesForm(ARRAY), csv: seriesForm(CSV) };

/**
 * The body of a single series, once its first points have been read: those of a table with one column, `v`.
 *
 * @throws {Problem} as `readSeries`
 */
export async function seriesBody(query: Query, manifest: Manifest, context: SeriesContext): Promise<Body> {
  const { lease } = context;
  try {
    const { points, rows } = await startOf(readSeries(query, manifest, context), lease);
    const pieces = rowText(rows, SERIES_FORMS[query.format], lease);
    // What follows the first points of a longer one is a stream: failures until then have been found.
    const isShort = points !== null && points <= SHORT_POINTS;
    return await body(pieces, points, context, isShort ? Number.POSITIVE_INFINITY : 0);
  } catch (error) {
    lease.end();
    throw error;
  }
}
