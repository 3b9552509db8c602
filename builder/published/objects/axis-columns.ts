/** What the metrics of a period may share: all columns of a series object but the values. */

import {
  deltaBinaryPacked,
  dictionaryRuns,
  encodeChunk,
  int64,
  type ParquetChunk,
  type ValueRange,
  writePlainTexts,
} from "../../../data-schema/parquet.ts";
import type { Resolution } from "../../../data-schema/registry.ts";
import type { Series } from "../../engine/series.ts";

/** Rows [from, to) of a run, given by its index. */
export interface RowRange {
  run: number;
  from: number;
  to: number;
}

/** A row group without its values. */
export interface AxisGroup {
  rows: number;
  /** The rows of the group, in order. */
  ranges: readonly RowRange[];
  cohort: ParquetChunk;
  t: ParquetChunk;
  block?: ParquetChunk;
}

/** Rows of a row group. */
export interface GroupRows {
  most: number;
  /** A run begins a row group if as many rows lie before it, since the last that did, and as many from it on. */
  least: number;
}

/** The row groups of an object without their values, and the runs that they come from. */
interface Axis {
  resolution: Resolution;
  runs: readonly Omit<Series, "v">[];
  groups: readonly AxisGroup[];
}

/**
 * Axes by the first array of times in them. An axis is dropped with that array, so all axes together are always smaller
 * than the arrays that are still in use.
 */
const axes = new WeakMap<Float64Array, Axis>();

/**
 * The row groups of an object without their values, encoded once for all runs that have the very same arrays.
 *
 * @param series at least one; with blocks at block resolution
 */
export function axisOf(series: readonly Series[], resolution: Resolution, groupRows: GroupRows): readonly AxisGroup[] {
  const { t } = series[0]!;
  const known = axes.get(t);
  if (known?.resolution === resolution && hasArraysOf(known, series)) return known.groups;
  const groups = [...cutAll(series, groupRows)].map((ranges) => encodeGroup(series, ranges, resolution));
  axes.set(t, {
    resolution,
    runs: series.map(({ selector, t, block }) => ({ selector, t, ...(block && { block }) })),
    groups,
  });
  return groups;
}

function hasArraysOf(axis: Axis, series: readonly Series[]): boolean {
  return (
    axis.runs.length === series.length &&
    axis.runs.every(({ selector, t, block }, index) => {
      const run = series[index]!;
      return selector === run.selector && t === run.t && block === run.block;
    })
  );
}

/** The row groups of a stretch (`Stretches`) without their values. */
export const groupsOf = (stretch: readonly Series[], resolution: Resolution, { most }: GroupRows): AxisGroup[] =>
  [...cut(stretch, 0, most)].map((ranges) => encodeGroup(stretch, ranges, resolution));

/** Divides the runs of an object, as they come one after the other, into stretches, each of which begins a row group. */
export class Stretches {
  readonly #least: number;
  #stretch: Series[] = [];
  #rows = 0;
  /** Runs that make up the next stretch if they have enough rows. */
  #next: Series[] = [];
  #nextRows = 0;

  constructor({ least }: Pick<GroupRows, "least">) {
    this.#least = least;
  }

  /** @returns a stretch that is complete */
  add(run: Series): Series[] | undefined {
    if (this.#rows < this.#least) {
      this.#stretch.push(run);
      this.#rows += run.t.length;
      return undefined;
    }
    this.#next.push(run);
    this.#nextRows += run.t.length;
    if (this.#nextRows < this.#least) return undefined;
    const complete = this.#stretch;
    [this.#stretch, this.#rows] = [this.#next, this.#nextRows];
    [this.#next, this.#nextRows] = [[], 0];
    return complete;
  }

  /** The last stretch. */
  end(): Series[] {
    return [...this.#stretch, ...this.#next];
  }
}

/** Cuts the rows of all runs, one run after the other, into groups. */
function* cutAll(series: readonly Series[], { most, least }: GroupRows): Generator<RowRange[]> {
  const stretches = new Stretches({ least });
  let first = 0;
  for (const run of series) {
    const stretch = stretches.add(run);
    if (!stretch) continue;
    yield* cut(stretch, first, most);
    first += stretch.length;
  }
  yield* cut(stretches.end(), first, most);
}

/** Cuts a stretch into groups that are as equal as can be. @param first the number of its first run */
function* cut(stretch: readonly Series[], first: number, most: number): Generator<RowRange[]> {
  const rows = stretch.reduce((sum, { t }) => sum + t.length, 0);
  const size = Math.ceil(rows / Math.ceil(rows / most));
  let ranges: RowRange[] = [];
  let room = size;
  for (const [index, { t }] of stretch.entries()) {
    for (let from = 0, to: number; from < t.length; from = to) {
      to = Math.min(from + room, t.length);
      ranges.push({ run: first + index, from, to });
      room -= to - from;
      if (room > 0) continue;
      yield ranges;
      [ranges, room] = [[], size];
    }
  }
  if (ranges.length > 0) yield ranges;
}

function encodeGroup(series: readonly Series[], ranges: readonly RowRange[], resolution: Resolution): AxisGroup {
  const rows = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const column = (name: string, factor: number, columnOf: (run: Series) => Float64Array) => {
    const numbers = gather(ranges, rows, (run) => columnOf(series[run]!));
    return encodeIntegers(name, factor, ranges, numbers);
  };
  return {
    rows,
    ranges,
    cohort: encodeCohorts(ranges.map(({ run, from, to }) => ({ selector: series[run]!.selector, rows: to - from }))),
    t: column("t", 1000, ({ t }) => t),
    ...(resolution === "block" && { block: column("block", 1, ({ block }) => block!) }),
  };
}

/** Room for a column of the largest row group so far. */
let gathered = new Float64Array();

/** A column of a row group in one piece, in memory that the next call overwrites. */
export function gather(
  ranges: readonly RowRange[],
  rows: number,
  columnOf: (run: number) => Float64Array,
): Float64Array<ArrayBuffer> {
  if (gathered.length < rows) gathered = new Float64Array(rows);
  let row = 0;
  for (const { run, from, to } of ranges) {
    gathered.set(columnOf(run).subarray(from, to), row);
    row += to - from;
  }
  return gathered.subarray(0, rows);
}

/**
 * The cohort column of a row group: a dictionary of its selectors, each of which stands for one run of rows. It is so
 * small that compression gains nothing.
 */
export function encodeCohorts(runs: readonly { selector: string; rows: number }[]): ParquetChunk {
  const selectors = runs.map(({ selector }) => selector);
  // ASCII, which sorts as its bytes do.
  const sorted = selectors.toSorted();
  return encodeChunk({
    name: "cohort",
    type: "BYTE_ARRAY",
    codec: "UNCOMPRESSED",
    rows: runs.reduce((sum, { rows }) => sum + rows, 0),
    encoding: "RLE_DICTIONARY",
    data: dictionaryRuns(runs.map(({ rows }) => rows)),
    dictionary: { entries: selectors.length, data: writePlainTexts(selectors) },
    range: { min: Buffer.from(sorted[0]!), max: Buffer.from(sorted.at(-1)!) },
  });
}

/**
 * @param factor what the numbers are multiplied by to get the column's
 * @param numbers whole numbers that ascend in each range
 */
function encodeIntegers(
  name: string,
  factor: number,
  ranges: readonly RowRange[],
  numbers: Float64Array,
): ParquetChunk {
  const rows = numbers.length;
  if (factor !== 1) for (let i = 0; i < rows; i++) numbers[i]! *= factor;
  return encodeChunk({
    name,
    type: "INT64",
    codec: "ZSTD",
    rows,
    encoding: "DELTA_BINARY_PACKED",
    data: deltaBinaryPacked(numbers),
    range: valueRange(ranges, numbers),
  });
}

/** Numbers ascend in each range, so the least is the first of a range, and the greatest the last of one. */
function valueRange(ranges: readonly RowRange[], numbers: Float64Array): ValueRange {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  let row = 0;
  for (const { from, to } of ranges) {
    least = Math.min(least, numbers[row]!);
    row += to - from;
    greatest = Math.max(greatest, numbers[row - 1]!);
  }
  return { min: int64(least), max: int64(greatest) };
}
