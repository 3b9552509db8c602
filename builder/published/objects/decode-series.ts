/** Parquet → series: the reverse of `encodeSeries` (encode-series.ts). */

import { hash } from "node:crypto";
import {
  type Columns,
  DIGEST_DIGITS,
  decodeColumns,
  parseFooter,
  type RowGroup,
  runsOf,
  type SelectorRun,
  type SeriesFooter,
  type SeriesInfo,
} from "../../../data-schema/parquet.ts";
import type { Series } from "../../engine/series.ts";
import { encodeCohorts } from "./axis-columns.ts";

/** What a series object holds. */
export interface DecodedSeries {
  /** What the object says of itself. */
  info: SeriesInfo;
  /** The runs that were encoded. */
  series: Series[];
}

/** The runs of a series object. @throws {Error} as `decodeObject` */
export function decodeSeries(bytes: Uint8Array): Series[] {
  return decodeObject(bytes).series;
}

/**
 * What a series object holds, bit for bit what was encoded. Its rows and the bytes of its t and v are compared with its
 * own entry; the values of times, blocks and points are not checked.
 *
 * @throws {Error} a clause that says what is wrong with the object: it is damaged
 */
export function decodeObject(bytes: Uint8Array): DecodedSeries {
  const { info, rows, groups } = parseFooter(bytes, bytes.length);
  const runs = runsOf(info);
  for (const [index, group] of groups.entries()) {
    checkCohorts(bytes, group, runs);
    checkDigest(bytes, group, index);
  }
  return { info, series: seriesOf(bytes, { info, rows, groups }, new KnownTimes()) };
}

/**
 * The runs of an object whose bytes have been compared with its hash: they are what was encoded.
 *
 * @param times of other objects of the period
 * @throws {Error} it is no series object
 */
export const decodeWhole = (bytes: Uint8Array, times: KnownTimes): Series[] =>
  seriesOf(bytes, parseFooter(bytes, bytes.length), times);

function seriesOf(bytes: Uint8Array, { info, rows, groups }: Footer, times: KnownTimes): Series[] {
  const columns: Columns = { t: times.of(bytes, rows, groups), v: new Float64Array(rows) };
  if (info.resolution === "block") columns.block = new Float64Array(rows);
  const { t: _, ...others } = columns;
  decodeColumns(bytes, groups, others);
  return runsOf(info).map(({ selector, firstRow, endRow }) => ({ selector, ...rowsOf(columns, firstRow, endRow) }));
}

type Footer = Pick<SeriesFooter, "info" | "rows" | "groups">;

/** Columns of times: many metrics of a period have the very same bytes, which are then decoded only once. */
export class KnownTimes {
  readonly #known: { stored: Uint8Array[]; t: Float64Array }[] = [];

  /** The times of an object, which nobody may change. */
  of(bytes: Uint8Array, rows: number, groups: readonly RowGroup[]): Float64Array {
    const stored = groups.map(({ chunks: { t } }) => bytes.subarray(t.offset, t.offset + t.compressedBytes));
    const same = this.#known.find(
      (other) =>
        other.stored.length === stored.length &&
        stored.every((chunk, group) => Buffer.compare(chunk, other.stored[group]!) === 0),
    );
    if (same) return same.t;
    const t = new Float64Array(rows);
    decodeColumns(bytes, groups, { t });
    if (rows <= KNOWN_ROWS) {
      this.#known.unshift({ stored: stored.map((chunk) => chunk.slice()), t });
      this.#known.length = Math.min(this.#known.length, MOST_KNOWN);
    }
    return t;
  }
}

/** Objects with more rows take long anyway, and much memory. */
const KNOWN_ROWS = 1 << 17;
const MOST_KNOWN = 8;

/** The cohort column must have the very bytes that the encoder makes of these runs. */
function checkCohorts(bytes: Uint8Array, { firstRow, rows, chunks }: RowGroup, runs: readonly SelectorRun[]): void {
  const endRow = firstRow + rows;
  const counts = runs
    .filter((run) => run.firstRow < endRow && run.endRow > firstRow)
    .map((run) => ({
      selector: run.selector,
      rows: Math.min(run.endRow, endRow) - Math.max(run.firstRow, firstRow),
    }));
  const { offset, compressedBytes } = chunks.cohort;
  const stored = bytes.subarray(offset, offset + compressedBytes);
  if (Buffer.compare(stored, encodeCohorts(counts).bytes) !== 0) {
    throw new Error("its cohort column contradicts its entry");
  }
}

function checkDigest(bytes: Uint8Array, { chunks: { t, v }, digest }: RowGroup, index: number): void {
  const found = hash("sha256", bytes.subarray(t.offset, v.offset + v.compressedBytes));
  if (found.slice(0, DIGEST_DIGITS) !== digest) {
    throw new Error(`t and v of its row group ${index} are not the bytes that its entry gives the digest of`);
  }
}

/** Rows [first, end), as views of the same memory. */
function rowsOf({ t, v, block }: Columns, first: number, end: number): Omit<Series, "selector"> {
  return {
    t: t.subarray(first, end),
    v: v.subarray(first, end),
    ...(block && { block: block.subarray(first, end) }),
  };
}
