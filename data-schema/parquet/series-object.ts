/**
 * A series object: one metric, one resolution, one period, every cohort, as Parquet. Its columns are in
 * parquet/columns.ts; rows are sorted by cohort in registry order, then by t (and block), so that one series is one
 * contiguous run of rows. Sums hold no zeros. Source: docs/formats.md#series-objects.
 */

import * as v from "valibot";
import { type MetricUnit, UNITS } from "../registry/metrics.ts";
import { RESOLUTIONS } from "../registry/resolutions.ts";

/** Version of the format of series objects: a reader refuses another one. */
export const SCHEMA_VERSION = 1;

/** Points of one series, ascending in t. */
export interface Slice {
  /** Unix seconds. */
  readonly t: Float64Array;
  readonly v: Float64Array;
}

/** The unit of an object of an own cohort: its series are of different metrics. */
export const VARIOUS_UNITS = "various";
export type SeriesUnit = MetricUnit | typeof VARIOUS_UNITS;

/** The Parquet key-value entry that holds `SeriesInfo` as JSON. */
export const SERIES_INFO_KEY = "soprano";

/** Hex digits of a row group's digest. */
export const DIGEST_DIGITS = 16;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const infoSchema = v.object({
  schema: v.literal(SCHEMA_VERSION),
  symbol: v.string(),
  /** The metric; in an object of an own cohort, the cohort. */
  metric: v.string(),
  resolution: v.picklist(RESOLUTIONS),
  unit: v.picklist([...UNITS, VARIOUS_UNITS]),
  period: v.string(),
  /** Where the rows of each selector, or of each metric of an own cohort, lie: its first row, and how many it has. A selector without a row has no entry. */
  cohorts: v.record(v.string(), v.tuple([count, v.pipe(count, v.minValue(1))])),
  /**
   * `DIGEST_DIGITS` hex digits for each row group: the start of the SHA-256 of its t and v chunks, which lie side by
   * side. With it, a reader of a range can check that it has the bytes that were written.
   */
  digests: v.pipe(v.string(), v.regex(/^[0-9a-f]*$/)),
});

/** What an object says of itself. It holds no build id and no clock, so the same input gives the same bytes. */
export type SeriesInfo = v.InferOutput<typeof infoSchema>;

/** The rows of one selector: from `firstRow` up to `endRow`, exclusive. */
export interface SelectorRun {
  selector: string;
  firstRow: number;
  endRow: number;
}

/** The runs of an object, in the order of its rows. */
export function runsOf({ cohorts }: Pick<SeriesInfo, "cohorts">): SelectorRun[] {
  const runs = Object.entries(cohorts).map(([selector, [firstRow, rows]]) => ({
    selector,
    firstRow,
    endRow: firstRow + rows,
  }));
  // An object lists keys that look like numbers first, wherever they were written.
  return runs.sort((a, b) => a.firstRow - b.firstRow);
}

/**
 * Reads the entry `SERIES_INFO_KEY` of an object.
 *
 * @throws {Error} not JSON, another schema version, or a field that is missing or malformed
 */
export function parseSeriesInfo(text: string): SeriesInfo {
  try {
    return v.parse(infoSchema, JSON.parse(text));
  } catch {
    throw new Error(
      `its entry "${SERIES_INFO_KEY}" has another schema version, or a field that is missing or malformed`,
    );
  }
}
