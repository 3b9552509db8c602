/** Parquet → series: the reverse of `encodeSeries` (encode-series.ts). */

import { createHash } from "node:crypto";
import * as parquetWasm from "parquet-wasm";
import {
  type Columns,
  DIGEST_DIGITS,
  decodeRows,
  parseFooter,
  type RowGroup,
  runsOf,
  type SelectorRun,
  type SeriesInfo,
} from "../../../data-schema/parquet.ts";
import type { Series } from "../../engine/series.ts";
import { encodeCohorts } from "./axis-columns.ts";

/** Row groups decoded at once: up to 6 MB of points. WASM's memory never shrinks. */
const BATCH_GROUPS = 16;

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
  const columns: Columns = { t: new Float64Array(rows), v: new Float64Array(rows) };
  if (info.resolution === "block") columns.block = new Float64Array(rows);
  for (let first = 0; first < groups.length; first += BATCH_GROUPS) {
    const batch = groups.slice(first, first + BATCH_GROUPS);
    const { firstRow } = batch[0]!;
    const batchRows = batch.reduce((sum, group) => sum + group.rows, 0);
    decodeRows(parquetWasm, ...rangeOf(bytes, batch), batch, 0, rowsOf(columns, firstRow, firstRow + batchRows));
  }
  return {
    info,
    series: runs.map(({ selector, firstRow, endRow }) => ({ selector, ...rowsOf(columns, firstRow, endRow) })),
  };
}

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
  const hash = createHash("sha256").update(bytes.subarray(t.offset, v.offset + v.compressedBytes));
  if (hash.digest("hex").slice(0, DIGEST_DIGITS) !== digest) {
    throw new Error(`t and v of its row group ${index} are not the bytes that its entry gives the digest of`);
  }
}

/** The bytes of neighbouring row groups, and where they start. */
function rangeOf(bytes: Uint8Array, groups: readonly RowGroup[]): [bytes: Uint8Array, start: number] {
  const start = groups[0]!.chunks.t.offset;
  const { v, block } = groups.at(-1)!.chunks;
  const last = block ?? v;
  return [bytes.subarray(start, last.offset + last.compressedBytes), start];
}

/** Rows [first, end), as views of the same memory. */
function rowsOf({ t, v, block }: Columns, first: number, end: number): Omit<Series, "selector"> {
  return {
    t: t.subarray(first, end),
    v: v.subarray(first, end),
    ...(block && { block: block.subarray(first, end) }),
  };
}
