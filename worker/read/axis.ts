/** How the rows of a table lie along time: what planning and reading need to know of it. Each kind of axis is one value. */

import type { SeriesContext } from "../context.ts";
import type { Rows } from "../format/pieces.ts";
import type { Cost, Table, Window } from "./table.ts";

/** A row that is being read, compressed. */
export const COMPRESSED_ROW_BYTES = 12;
export const NUMBER_BYTES: number = Float64Array.BYTES_PER_ELEMENT;

/** Rows at block resolution that can be held. */
export const MOST_HELD_ROWS = 1_000_000;

export interface Axis {
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
