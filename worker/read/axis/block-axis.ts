/** Tables whose rows are blocks: the points of all series, merged by time and block number. */

import { SERIES_GROUP_ROWS } from "../../../data-schema/registry.ts";
import { entryOf } from "../../../data-schema/stored.ts";
import type { SeriesContext } from "../../context.ts";
import type { Rows } from "../../format/rows-and-pieces.ts";
import { RUN_ROWS } from "../objects/batches.ts";
import { firstAtOrAfter } from "../objects/slice.ts";
import { type Reading, readBatches, withNeighbours } from "../read-batches.ts";
import { costOf, type ReadObject, sumOf, type Table } from "../table-parts.ts";
import { type Axis, COMPRESSED_ROW_BYTES, MOST_HELD_ROWS, NUMBER_BYTES } from "./axis.ts";

/** Cells of a chunk. */
const CHUNK_CELLS = 32_768;

/** A point takes a time, a block number and a value. */
const POINT_BYTES = 3 * Float64Array.BYTES_PER_ELEMENT;

/** Columns of which a whole run is held: it takes a read, and a request may make only so many. */
const WIDE_COLUMNS = 4;

/**
 * Rows of all columns that are held at once: a run of each, or a row group if they are many. A window with fewer is read
 * as a whole, and row groups that series share are read once; of a longer one, each column holds its share.
 */
function heldRows({ columns: { length } }: Table): number {
  return Math.max(length * SERIES_GROUP_ROWS.block, Math.min(length, WIDE_COLUMNS) * RUN_ROWS);
}

/** Rows of one column that are held at once, in whole row groups. */
function runRows(table: Table): number {
  const share = heldRows(table) / table.columns.length;
  return Math.floor(share / SERIES_GROUP_ROWS.block) * SERIES_GROUP_ROWS.block;
}

/** Bytes of what is held at once, with a chunk that is written and another that is made. */
function blocksBytes(table: Table): number {
  return heldRows(table) * POINT_BYTES + 2 * CHUNK_CELLS * Float64Array.BYTES_PER_ELEMENT;
}

/** Points of one column, ascending; at least one. */
interface Points {
  t: Float64Array;
  v: Float64Array;
  block: Float64Array;
  free: () => void;
}

/** Whether a window is read as a whole. */
function isShort(table: Table, objects: readonly ReadObject[]): boolean {
  return sumOf(objects.map((item) => costOf(item, table))).rows <= heldRows(table);
}

/** Blocks: reading tells which there are, and the points of all series are merged. */
export const BLOCKS: Axis = {
  hasZeros: false,
  rangeOf: () => ({ first: Number.NEGATIVE_INFINITY, last: Number.POSITIVE_INFINITY }),
  latestOf: ({ resolutions }) => resolutions.block?.last?.t ?? Number.NEGATIVE_INFINITY,
  // The rows of all selectors count for the series' own, spread evenly over their period.
  mostPoints({ resolutions }, _, of, since, until) {
    const rows = (resolutions.block?.periods ?? []).map((period) => {
      const { from, to } = period;
      const share = Math.max(0, Math.min(until, to) - Math.max(since, from)) / (to - from);
      return share * (entryOf(period, of)?.rows ?? 0);
    });
    return rows.reduce((sum, count) => sum + count, 0);
  },
  cost(table, { objects }) {
    if (isShort(table, objects)) return sumOf(objects.map((item) => costOf(item, table)));
    const alone = objects.flatMap((item) => item.targets.map((target) => ({ ...item, targets: [target] })));
    return sumOf(alone.map((item) => costOf(item, table, runRows(table))));
  },
  heldRows: (_, __, cost) => [Math.min(cost.rows, MOST_HELD_ROWS)],
  readBytes: (table, _, cost) => COMPRESSED_ROW_BYTES * Math.min(cost.rows, runRows(table)) + blocksBytes(table),
  gatheredBytes: (shown) => NUMBER_BYTES * SERIES_GROUP_ROWS.block * (shown + 2),
  computedRows: () => CHUNK_CELLS,
  isCounted: true,
  mostRows: () => Number.POSITIVE_INFINITY,
  // The points of the last window's fullest object are spread evenly, and each is a row.
  startOf(_, windows, latest, rows) {
    const { from, to, objects } = windows.at(-1)!;
    const density = Math.max(1, ...objects.map(({ object }) => object.entry.rows)) / (to - from);
    return latest - Math.ceil((2 * rows) / density);
  },
  isDense: () => false,
  async *read(table, windows, _, context) {
    const reading: Reading = { bounds: table, hasBlocks: true, keptRows: 0 };
    const all = windows.flatMap(({ objects }) => objects);
    const near = withNeighbours(all, reading, context);
    for (const { objects } of windows) {
      const sources = isShort(table, objects)
        ? await readTogether(table, objects, reading, near)
        : table.columns.map((_, column) => readAlone(column, objects, { ...reading, mostRows: runRows(table) }, near));
      yield* merge(sources, context);
    }
  },
};

type Source = AsyncIterator<Points, void>;

/** The points of every column, read at once. */
async function readTogether(
  { columns }: Table,
  objects: readonly ReadObject[],
  reading: Reading,
  context: SeriesContext,
): Promise<Source[]> {
  const found: Points[][] = columns.map(() => []);
  for await (const { batch, rows, free } of readBatches(objects, reading, context)) {
    let isPassedOn = false;
    for (const { column, from, to } of batch.parts) {
      const points = pointsOf(rows.t, rows.v, rows.block!, from, to, reading);
      if (points.t.length === 0) continue;
      if (batch.parts.length === 1) {
        found[column]!.push({ ...points, free });
        isPassedOn = true;
        continue;
      }
      // A copy, since the columns of a batch end at different times.
      const own = [points.t.slice(), points.v.slice(), points.block.slice()] as const;
      context.lease.keep(own);
      const [t, v, block] = own;
      found[column]!.push({ t, v, block, free: () => context.lease.free(own) });
    }
    if (!isPassedOn) free();
  }
  return found.map(async function* (list) {
    yield* list;
  });
}

/** The points of one column, run by run. */
async function* readAlone(
  column: number,
  objects: readonly ReadObject[],
  reading: Reading,
  context: SeriesContext,
): AsyncGenerator<Points, void> {
  const own = objects.flatMap((item) => {
    const targets = item.targets.filter((target) => target.column === column);
    return targets.length === 0 ? [] : [{ ...item, targets }];
  });
  for await (const { batch, rows, free } of readBatches(own, reading, context)) {
    for (const { from, to } of batch.parts) {
      const points = pointsOf(rows.t, rows.v, rows.block!, from, to, reading);
      if (points.t.length === 0) free();
      else yield { ...points, free };
    }
  }
}

/** The points of a part that lie within the bounds, as views. */
function pointsOf(
  t: Float64Array,
  v: Float64Array,
  block: Float64Array,
  first: number,
  end: number,
  { bounds: { since, until, sinceBlock, untilBlock } }: Reading,
) {
  const [times, blocks] = [t.subarray(first, end), block.subarray(first, end)];
  // Times may have a fraction, and those of points have none.
  const from = first + Math.max(firstAtOrAfter(times, since), firstAtOrAfter(blocks, sinceBlock));
  const to = first + Math.min(firstAtOrAfter(times, Math.floor(until) + 1), firstAtOrAfter(blocks, untilBlock + 1));
  const part = (array: Float64Array) => array.subarray(from, Math.max(from, to));
  return { t: part(t), v: part(v), block: part(block) };
}

/** A column that is being merged: its points, and the first that has not been merged. */
interface Cursor {
  column: number;
  source: Source;
  points: Points;
  next: number;
}

/** Merges columns: a row for each block in which some column has a point. */
async function* merge(sources: readonly Source[], { lease }: SeriesContext): AsyncGenerator<Rows> {
  const first = await Promise.all(sources.map((source) => source.next()));
  let cursors = first.flatMap(({ value, done }, column): Cursor[] =>
    done || !value ? [] : [{ column, source: sources[column]!, points: value, next: 0 }],
  );
  const most = Math.max(1, Math.floor(CHUNK_CELLS / (sources.length + 2)));
  const newChunk = () => {
    const memory = new Float64Array((sources.length + 2) * most).fill(Number.NaN);
    lease.keep([memory]);
    return Array.from({ length: sources.length + 2 }, (_, index) => memory.subarray(index * most, (index + 1) * most));
  };
  let chunk = newChunk();
  let rows = 0;
  const take = (): Rows => {
    const [t, block, ...columns] = chunk.map((column) => column.subarray(0, rows));
    return { t: t!, block: block!, columns };
  };
  while (cursors.length > 0) {
    rows = mergeRows(cursors, chunk, rows, most);
    if (rows === most) {
      yield take();
      [chunk, rows] = [newChunk(), 0];
    }
    // Columns that have ended ask for their next points together.
    const refilled = cursors.map(async (cursor) => {
      if (cursor.next < cursor.points.t.length) return [cursor];
      cursor.points.free();
      const { value, done } = await cursor.source.next();
      return done || !value ? [] : [{ ...cursor, points: value, next: 0 }];
    });
    cursors = (await Promise.all(refilled)).flat();
  }
  if (rows > 0) yield take();
  else lease.free([chunk[0]!]);
}

/**
 * Merges until a column has ended or the chunk is full.
 *
 * @param chunk times, block numbers, then the columns
 * @param rows that it has
 * @returns rows that it has by then
 */
function mergeRows(cursors: readonly Cursor[], chunk: readonly Float64Array[], rows: number, most: number): number {
  const count = cursors.length;
  const [times, blocks] = [chunk[0]!, chunk[1]!];
  const t = cursors.map(({ points }) => points.t);
  const block = cursors.map(({ points }) => points.block);
  const v = cursors.map(({ points }) => points.v);
  const into = cursors.map(({ column }) => chunk[column + 2]!);
  const next = Int32Array.from(cursors, (cursor) => cursor.next);
  let hasEnded = false;
  while (rows < most && !hasEnded) {
    let time = Number.POSITIVE_INFINITY;
    let number = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const at = next[i]!;
      const own = t[i]![at]!;
      if (own > time || (own === time && block[i]![at]! >= number)) continue;
      time = own;
      number = block[i]![at]!;
    }
    times[rows] = time;
    blocks[rows] = number;
    for (let i = 0; i < count; i++) {
      const at = next[i]!;
      if (t[i]![at] !== time || block[i]![at] !== number) continue;
      into[i]![rows] = v[i]![at]!;
      next[i] = at + 1;
      hasEnded ||= at + 1 === t[i]!.length;
    }
    rows++;
  }
  for (const [i, cursor] of cursors.entries()) cursor.next = next[i]!;
  return rows;
}
