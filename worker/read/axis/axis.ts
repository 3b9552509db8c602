/** How points and rows lie along time: what finding, planning and reading them need to know of it. Each kind of axis is one value. */

import type { Resolution } from "../../../data-schema/registry.ts";
import type { Manifest, TableOf } from "../../../data-schema/stored.ts";
import type { SeriesContext } from "../../context.ts";
import type { Rows } from "../../format/rows-and-pieces.ts";
import type { TableRange } from "../as-known.ts";
import type { Cost, Table, Window } from "../table-parts.ts";

/** A row that is being read, compressed. */
export const COMPRESSED_ROW_BYTES = 12;
export const NUMBER_BYTES: number = Float64Array.BYTES_PER_ELEMENT;

/** Rows at block resolution that can be held. */
export const MOST_HELD_ROWS = 1_000_000;

export interface Axis {
  /** Whether sums are 0 within their asset's range where there is no point. */
  hasZeros: boolean;
  /** What an asset's series are limited to, Unix seconds: its first and last bucket; -Infinity and Infinity if points alone tell. */
  rangeOf(manifest: Manifest, resolution: Resolution): TableRange;
  /** Start of an asset's last bucket, or time of its last block, Unix seconds; -Infinity if there is none. */
  latestOf(manifest: Manifest, resolution: Resolution): number;
  /**
   * How many points a series has between two times, at most; a guess where points alone tell.
   *
   * @param of what the objects hold in which the series is
   * @param since Unix seconds, inclusive, like until
   */
  mostPoints(manifest: Manifest, resolution: Resolution, of: TableOf, since: number, until: number): number;
  /** What reading a window takes. */
  cost(table: Table, window: Window): Cost;
  /** The most rows that each window, or all of them, may have of those that are held at once. */
  heldRows(table: Table, windows: readonly Window[], cost: Cost): number[];
  /** Bytes of what is read, and becomes rows, at once. */
  readBytes(table: Table, rows: readonly number[], cost: Cost): number;
  /** Bytes of rows that are gathered into the row groups of an answer. */
  gatheredBytes(shown: number): number;
  /** Rows for which a formula that does not look back is computed at once. */
  computedRows(rows: readonly number[]): number;
  /** Whether only reading tells how many rows there are, so that an answer may turn out to be too long to be held. */
  isCounted: boolean;
  /** More rows than there are between two times, Unix seconds, if that can be told. */
  mostRows(table: Table, first: number, last: number): number;
  /** A time from which on there may be so many rows up to another one, Unix seconds: an estimate where rows are counted. */
  startOf(table: Table, windows: readonly Window[], latest: number, rows: number): number;
  /** Whether there is known to be a row in each of so many buckets up to a time, from another one on. */
  isDense(table: Table, since: number, latest: number, count: number): boolean;
  /**
   * The rows of a table. Whoever takes a chunk frees it.
   *
   * @throws {Problem} 500 or 503 as `readRange`
   */
  read(table: Table, windows: readonly Window[], cost: Cost, context: SeriesContext): AsyncGenerator<Rows>;
}
