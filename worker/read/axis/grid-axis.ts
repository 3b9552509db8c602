/** Tables whose rows are buckets: days, hours and the like. A window of the table is a matrix that batches fill in. */

import {
  type BucketResolution,
  bucketStarts,
  RESOLUTION_FACTS,
  type Resolution,
} from "../../../data-schema/registry.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { sideBySide } from "../../bucket/side-by-side.ts";
import type { SeriesContext } from "../../context.ts";
import type { Rows } from "../../format/rows-and-pieces.ts";
import { damaged } from "../../problems/problem.ts";
import type { TableRange } from "../as-known.ts";
import { dropEmpty } from "../drop-empty.ts";
import { RUN_ROWS } from "../objects/batches.ts";
import { firstAtOrAfter } from "../objects/slice.ts";
import { type Reading, readBatches, withNeighbours } from "../read-batches.ts";
import { type Cost, costOf, sumOf, type Table, type TableColumn, type Window } from "../table-parts.ts";
import { type Axis, COMPRESSED_ROW_BYTES, NUMBER_BYTES } from "./axis.ts";

/** Rows that are read at once of a table that has no more, and that the isolate keeps: 28 day series of twelve years. */
const WHOLE_ROWS = 131_072;

/** Rows that are read at once. */
const runRows = ({ rows }: Cost): number => (rows <= WHOLE_ROWS ? WHOLE_ROWS : RUN_ROWS);

/** The most rows that each window can have. */
export function gridRows({ resolution, since, until }: Table, windows: readonly Window[]): number[] {
  return windows.map(({ from, to }) => {
    const [first, last] = [Math.max(from, since), Math.min(to - 1, until)];
    return first <= last ? bucketStarts(resolution as BucketResolution, first, last).length : 0;
  });
}

/** First and last bucket of an asset; an empty range if there is none. */
function rangeOf({ resolutions }: Manifest, resolution: Resolution): TableRange {
  const { first, last } = resolutions[resolution as BucketResolution] ?? {};
  return { first: first ?? Number.POSITIVE_INFINITY, last: last ?? Number.NEGATIVE_INFINITY };
}

/** A row that is being read takes its compressed bytes, a time and a value, which the matrix of buckets then takes. */
const ROW_BYTES = COMPRESSED_ROW_BYTES + 2 * NUMBER_BYTES;

/** Rows of a table that the isolate keeps for the next request. A longer one would push out everything else. */
const KEPT_TABLE_ROWS = 262_144;

/**
 * Buckets: they are known before anything is read. Sums are 0 in the idle buckets of their asset's range; a bucket in which no
 * series has a point has no row. A series that is newer than its asset's build has no values.
 */
export const GRID: Axis = {
  hasZeros: true,
  rangeOf,
  latestOf: (manifest, resolution) => rangeOf(manifest, resolution).last,
  mostPoints(manifest, resolution, _, since, until) {
    const { first, last } = rangeOf(manifest, resolution);
    return Math.max(0, (Math.min(until, last) - Math.max(since, first)) / RESOLUTION_FACTS[resolution].least + 1);
  },
  cost: (table, { objects }) => sumOf(objects.map((item) => costOf(item, table))),
  heldRows: gridRows,
  readBytes: ({ columns }, rows, cost) =>
    ROW_BYTES * Math.min(cost.rows, runRows(cost)) + NUMBER_BYTES * Math.max(0, ...rows) * (columns.length + 1),
  gatheredBytes: () => 0,
  computedRows: (rows) => Math.max(0, ...rows),
  isCounted: false,
  // So many buckets back from the second time, there is always a date.
  mostRows: ({ resolution }, first, last) =>
    Math.max(1, Math.ceil((last - first) / RESOLUTION_FACTS[resolution].least) + 1),
  startOf: ({ resolution }, _, latest, rows) =>
    RESOLUTION_FACTS[resolution as BucketResolution].start(latest, 1 - rows),
  // A series has a point in each bucket, so that the rows need no counting.
  isDense: ({ resolution, columns }, since, latest, count) =>
    RESOLUTION_FACTS[resolution as BucketResolution].start(latest, 1 - count) <= since &&
    columns.some(({ metric, first, last }) => metric.shape === "sum" && first <= since && last >= latest),
  async *read(table, windows, cost, context) {
    const keptRows = cost.rows <= KEPT_TABLE_ROWS ? WHOLE_ROWS : 0;
    const reading: Reading = { bounds: table, hasBlocks: false, keptRows, mostRows: runRows(cost) };
    const objects = windows.flatMap((window) => window.objects);
    const near = withNeighbours(objects, reading, context);
    const chunks = sideBySide(
      windows,
      (window) => readWindow(table, window, reading, near),
      (_, pending) => pending === 0,
    );
    for await (const chunk of chunks) if (chunk.t.length > 0) yield chunk;
  },
};

async function readWindow(table: Table, window: Window, reading: Reading, context: SeriesContext): Promise<Rows> {
  const { resolution, columns, since, until } = table;
  const first = Math.max(window.from, since, Math.min(...columns.map((column) => column.first)));
  const last = Math.min(window.to - 1, until, Math.max(...columns.map((column) => column.last)));
  const starts = first <= last ? bucketStarts(resolution as BucketResolution, first, last) : new Float64Array();
  const rows = starts.length;
  // One piece of memory: the times, then the columns.
  const matrix = new Float64Array(rows * (columns.length + 1)).fill(Number.NaN);
  context.lease.keep([matrix]);
  const part = (index: number) => matrix.subarray(index * rows, (index + 1) * rows);
  const t = part(0);
  t.set(starts);
  const values = columns.map((_, index) => part(index + 1));
  let isDense = false;
  for (const [index, column] of columns.entries()) {
    if (!column.isDense) continue;
    const [from, to] = rowsOf(t, column);
    values[index]!.fill(0, from, to);
    isDense ||= to - from === rows;
  }
  for await (const { batch, rows: decoded, free } of readBatches(window.objects, reading, context)) {
    for (const { column, from, to } of batch.parts) {
      fill(values[column]!, t, columns[column]!, decoded.t.subarray(from, to), decoded.v.subarray(from, to));
    }
    free();
  }
  if (isDense || rows === 0) return { t, block: null, columns: values };
  const kept = dropEmpty(t, null, values);
  return { t: t.subarray(0, kept), block: null, columns: values.map((column) => column.subarray(0, kept)) };
}

/** The rows of a column's asset: from inclusive, to exclusive. */
function rowsOf(t: Float64Array, { first, last }: TableColumn): [from: number, to: number] {
  const from = firstAtOrAfter(t, first);
  return [from, Math.max(from, firstAtOrAfter(t, last + 1))];
}

/** Puts points where their buckets are. */
function fill(
  values: Float64Array,
  t: Float64Array,
  column: TableColumn,
  times: Float64Array,
  points: Float64Array,
): void {
  const [begin, end] = rowsOf(t, column);
  if (begin === end) return;
  const from = firstAtOrAfter(times, t[begin]!);
  const to = firstAtOrAfter(times, t[end - 1]! + 1);
  let row = begin;
  for (let i = from; i < to; i++) {
    const time = times[i]!;
    while (t[row]! < time) row++;
    if (row === end || t[row] !== time) throw damaged("a point is not the only one at its bucket's start");
    values[row++] = points[i]!;
  }
}
