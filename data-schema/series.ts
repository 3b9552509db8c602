/**
 * A series object: one metric, one resolution, one period, every cohort, as Parquet.
 *
 * Columns: `cohort` (string), `t` (TIMESTAMP ms UTC: start of the bucket, or the block's time), `v` (DOUBLE), and at
 * block resolution `block` (INT64). Rows are sorted by cohort in registry order, then by t (and block), so that one
 * series is one contiguous run of rows. Sums hold no zeros. Source: design "Objects in R2".
 */

import type { Metric } from "./metrics.ts";
import type { Resolution } from "./resolutions.ts";

/** Version of the series and manifest formats: a reader refuses another one. */
export const SCHEMA_VERSION = 1;

/** Rows per row group: over-read against footer size; measured in docs/performance.md. */
export const ROW_GROUP_ROWS: Record<Resolution, number> = { day: 4_096, hour: 8_192, block: 16_384 };

/** The Parquet key-value entry that holds `SeriesInfo` as JSON. */
export const SERIES_INFO_KEY = "soprano";

/** Where the rows of a selector lie; those without a row have no entry. */
export type SelectorRows = Readonly<Record<string, readonly [firstRow: number, rows: number]>>;

/** What an object says of itself. No build id and no clock: the same input gives the same bytes. */
export interface SeriesInfo {
  schema: number;
  symbol: string;
  metric: string;
  resolution: Resolution;
  unit: Metric["unit"];
  period: string;
  cohorts: SelectorRows;
  /**
   * For each row group, `DIGEST_DIGITS` hex digits: the start of the SHA-256 of its t and v chunks, which lie side by
   * side. So a reader of a range knows that it has the bytes that were written.
   */
  digests: string;
}

/** Hex digits of a row group's digest. */
export const DIGEST_DIGITS = 16;
