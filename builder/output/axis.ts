/** What the metrics of a period may share: all of a series object's columns but the values. */

import type { ValueRange } from "../../data-schema/parquet.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { ROW_GROUP_ROWS } from "../../data-schema/series.ts";
import type { SeriesRun } from "../engine/series.ts";
import { type Chunk, encodeChunk } from "./chunk.ts";
import { deltaBinaryPacked, dictionaryRuns, plainTexts } from "./encodings.ts";

/** Some rows of a run, from one up to another. */
export interface RunPart {
  run: number;
  from: number;
  to: number;
}

export interface AxisGroup {
  rows: number;
  /** Which rows of which runs, in order. */
  parts: readonly RunPart[];
  cohort: Chunk;
  t: Chunk;
  block?: Chunk;
}

/** The row groups of an object without their values, and the runs that they come from. */
interface Axis {
  resolution: Resolution;
  runs: readonly Omit<SeriesRun, "v">[];
  groups: readonly AxisGroup[];
}

/**
 * Axes by the first array of times in them. An axis goes when that array does; so what is kept is always less than the
 * arrays that somebody still holds.
 */
const known = new WeakMap<Float64Array, Axis>();

/**
 * The row groups of an object without their values: encoded once for all runs that have the very same arrays.
 *
 * @param runs at least one; with blocks at block resolution
 */
export function axisOf(runs: readonly SeriesRun[], resolution: Resolution): readonly AxisGroup[] {
  const earlier = known.get(runs[0].t);
  if (earlier?.resolution === resolution && isAlong(earlier, runs)) return earlier.groups;
  const groups = [...cut(runs, ROW_GROUP_ROWS[resolution])].map((parts) => encodeGroup(runs, parts, resolution));
  known.set(runs[0].t, {
    resolution,
    runs: runs.map(({ selector, t, block }) => ({ selector, t, ...(block && { block }) })),
    groups,
  });
  return groups;
}

function isAlong(axis: Axis, runs: readonly SeriesRun[]): boolean {
  return (
    axis.runs.length === runs.length &&
    axis.runs.every(({ selector, t, block }, index) => {
      const run = runs[index];
      return selector === run.selector && t === run.t && block === run.block;
    })
  );
}

/** Cuts the rows of all runs, one after the other, into groups of so many; the last one may be smaller. */
function* cut(runs: readonly SeriesRun[], groupRows: number): Generator<RunPart[]> {
  let parts: RunPart[] = [];
  let room = groupRows;
  for (let run = 0; run < runs.length; run++) {
    const { length } = runs[run].t;
    for (let from = 0, to: number; from < length; from = to) {
      to = Math.min(from + room, length);
      parts.push({ run, from, to });
      room -= to - from;
      if (room > 0) continue;
      yield parts;
      parts = [];
      room = groupRows;
    }
  }
  if (parts.length > 0) yield parts;
}

function encodeGroup(runs: readonly SeriesRun[], parts: readonly RunPart[], resolution: Resolution): AxisGroup {
  const rows = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  const column = (name: string, factor: number, columnOf: (run: SeriesRun) => Float64Array) =>
    integerChunk(
      name,
      factor,
      parts,
      gather(parts, rows, (run) => columnOf(runs[run])),
    );
  return {
    rows,
    parts,
    cohort: cohortChunk(runs, parts, rows),
    t: column("t", 1000, ({ t }) => t),
    ...(resolution === "block" && { block: column("block", 1, ({ block }) => block!) }),
  };
}

/** Room for a column of the largest row group. */
const gathered = new Float64Array(Math.max(...Object.values(ROW_GROUP_ROWS)));

/** A column of a row group in one piece; in memory that the next call writes over. */
export function gather(
  parts: readonly RunPart[],
  rows: number,
  columnOf: (run: number) => Float64Array,
): Float64Array<ArrayBuffer> {
  let row = 0;
  for (const { run, from, to } of parts) {
    gathered.set(columnOf(run).subarray(from, to), row);
    row += to - from;
  }
  return gathered.subarray(0, rows);
}

/** A dictionary of the selectors with rows here; each stands once. So small that nothing is gained by compressing it. */
function cohortChunk(runs: readonly SeriesRun[], parts: readonly RunPart[], rows: number): Chunk {
  const selectors = parts.map(({ run }) => runs[run].selector);
  const sorted = selectors.map((selector) => Buffer.from(selector)).sort(Buffer.compare);
  return encodeChunk({
    name: "cohort",
    type: "BYTE_ARRAY",
    codec: "UNCOMPRESSED",
    rows,
    encoding: "RLE_DICTIONARY",
    data: dictionaryRuns(parts.map(({ from, to }) => to - from)),
    dictionary: { entries: selectors.length, data: plainTexts(selectors) },
    range: { min: sorted[0], max: sorted[sorted.length - 1] },
  });
}

/** @param numbers whole numbers that ascend in each part, in units of so many of the column's */
function integerChunk(name: string, factor: number, parts: readonly RunPart[], numbers: Float64Array): Chunk {
  const rows = numbers.length;
  if (factor !== 1) for (let i = 0; i < rows; i++) numbers[i] *= factor;
  return encodeChunk({
    name,
    type: "INT64",
    codec: "ZSTD",
    rows,
    encoding: "DELTA_BINARY_PACKED",
    data: deltaBinaryPacked(numbers),
    range: ascendingRange(parts, numbers),
  });
}

/** The least number is the first of a part, and the greatest the last of one. */
function ascendingRange(parts: readonly RunPart[], numbers: Float64Array): ValueRange {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  let row = 0;
  for (const { from, to } of parts) {
    least = Math.min(least, numbers[row]);
    row += to - from;
    greatest = Math.max(greatest, numbers[row - 1]);
  }
  return { min: int64(least), max: int64(greatest) };
}

const int64 = (value: number) => new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
