/** Objects → decoded batches, several reads side by side. */

import type { Columns, SeriesFooter } from "../../data-schema/parquet.ts";
import { SERIES_GROUP_ROWS } from "../../data-schema/registry.ts";
import type { ManifestObject } from "../../data-schema/stored.ts";
import { placeName } from "../bucket/ranges.ts";
import { sideBySide } from "../bucket/side-by-side.ts";
import type { SeriesContext } from "../context.ts";
import { damaged } from "../problems/problem.ts";
import { type Batch, type Bounds, planBatches, splitBatch } from "./objects/batches.ts";
import { decodeRows } from "./objects/decode-rows.ts";
import { Neighbours } from "./objects/neighbours.ts";
import {
  isSmall,
  JOINED_BYTES,
  type Opened,
  open,
  openBytes,
  readRowGroups,
  readWhole,
} from "./objects/open-object.ts";
import { gridOf, type ReadObject } from "./table-parts.ts";

/** Objects opened in advance. Every year of an hour series fits, so that their reads run side by side. */
const OBJECTS_AHEAD = 12;

/** While other requests hold much, longer batches of a lone series are read a row group at a time. */
const CROWDED_ROWS = SERIES_GROUP_ROWS.block;

/** An answer of so few points is made at once, and needs no place of its own if they are cached. */
export const SHORT_POINTS = 4_096;

/** How batches are read. */
export interface Reading {
  bounds: Bounds;
  hasBlocks: boolean;
  /** Rows of the longest batch that the isolate keeps for the next request; 0: none. */
  keptRows: number;
  /** Rows of a batch. */
  mostRows?: number | undefined;
  /** Buckets of a lone series whose points are passed on as they are read; 0 if it has none. */
  lonePoints?: number;
}

/** A batch and its rows. */
export interface Decoded {
  batch: Batch;
  rows: Columns;
  /** Frees the rows, unless a cache has them. */
  free: () => void;
}

interface Read {
  opened: Opened;
  batch: Batch;
  name: string | null;
  bytes: number;
}

/**
 * The batches of objects, in order. Whoever takes one frees it.
 *
 * With nothing cached, two reads follow each other: footers, then row groups. One is enough if the footer is cached or the
 * object is small; none if the batches are cached.
 *
 * @throws {Problem} 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function* readBatches(
  objects: Iterable<ReadObject>,
  reading: Reading,
  context: SeriesContext,
): AsyncGenerator<Decoded> {
  const { lease } = context;
  const items = [...objects];
  const near = context.neighbours ? context : withNeighbours(items, reading, context);
  yield* sideBySide(
    batchesOf(items, reading, near),
    (read) => readBatch(read, reading, near),
    ({ bytes }, pending) => lease.reserve(bytes, pending === 0),
  );
}

/** The context of who reads objects: what lies side by side comes by one read. */
export function withNeighbours(
  objects: readonly ReadObject[],
  reading: Reading,
  context: SeriesContext,
): SeriesContext {
  const joined = objects.filter((item) => item.object.pack && mayJoin(item, reading, context));
  if (joined.length < 2) return context;
  const items = new Map(joined.map((item) => [item.object.key, item]));
  const isWanted = ({ key }: ManifestObject) => !isInMemory(items.get(key)!, reading, context);
  const neighbours = new Neighbours(
    joined.map(({ object }) => object),
    isWanted,
  );
  return { ...context, neighbours };
}

/** Whether an object may be read whole with its neighbours: one that is not small only if a single range of it is wanted. */
function mayJoin(item: ReadObject, reading: Reading, { isolate }: SeriesContext): boolean {
  const { object } = item;
  if (isSmall(object)) return true;
  if (object.entry.size > JOINED_BYTES) return false;
  const footer = isolate.footers.get(object.key);
  return footer === undefined || batchesIn(footer, item, reading).length === 1;
}

/** Whether the isolate has all that is read of an object. */
function isInMemory(item: ReadObject, reading: Reading, { isolate }: SeriesContext): boolean {
  const footer = isolate.footers.get(item.object.key);
  if (footer === undefined) return false;
  return batchesIn(footer, item, reading).every((batch) => {
    const name = nameOf(item.object, batch, reading);
    return name !== null && isolate.slices.get(name) !== undefined;
  });
}

const batchesIn = (footer: SeriesFooter, { object, targets }: ReadObject, { bounds, mostRows, hasBlocks }: Reading) =>
  planBatches(footer, targets, bounds, gridOf(object), mostRows, hasBlocks);

/** What the isolate keeps the rows of a batch as; null if it does not. */
const nameOf = ({ key }: ManifestObject, { first, groups, skip, rows }: Batch, { keptRows }: Reading): string | null =>
  rows <= keptRows ? `${key} ${first}+${groups.length} ${skip}+${rows}` : null;

async function* batchesOf(
  objects: Iterable<ReadObject>,
  reading: Reading,
  context: SeriesContext,
): AsyncGenerator<Read> {
  const { lease, isolate } = context;
  const { hasBlocks, lonePoints } = reading;
  const bytesToOpen = ({ object, opened }: ReadObject) =>
    opened === null && isolate.footers.get(object.key) === undefined ? openBytes(object) : 0;
  const unopened = Array.from(objects, (item) => ({ item, bytes: bytesToOpen(item) }));
  // A response that will be a stream waits for its place while it holds nothing, even if all its points are cached.
  let points = lonePoints ?? 0;
  if (unopened.some(({ bytes }) => bytes > 0) || points > SHORT_POINTS) await lease.enter();
  const ahead = sideBySide(
    unopened,
    async ({ item, bytes }) => ({
      item,
      opened: item.opened ?? (await open(item.object, context).finally(() => lease.release(bytes))),
    }),
    ({ bytes }, pending) => bytes === 0 || (pending < OBJECTS_AHEAD && lease.reserve(bytes, pending === 0)),
  );
  for await (const { item, opened } of ahead) {
    const { object, footer, whole } = opened;
    for (const batch of batchesIn(footer, item, reading)) {
      const name = nameOf(object, batch, reading);
      const isCached = name !== null && isolate.slices.get(name) !== undefined;
      points += batch.rows;
      if (!isCached || points > SHORT_POINTS) await lease.enter();
      const isSplit = lonePoints !== undefined && !isCached && batch.rows > CROWDED_ROWS && lease.isCrowded;
      for (const part of isSplit ? splitBatch(batch, hasBlocks) : [batch]) {
        const raw = isCached || whole ? 0 : isSmall(object) ? object.entry.size : part.length;
        const decoded = (hasBlocks ? 3 : 2) * Float64Array.BYTES_PER_ELEMENT * part.rows;
        yield { opened, batch: part, name: isSplit ? null : name, bytes: decoded + raw };
      }
    }
    // Its batches have been decoded: nothing is awaited between the start of their reading and then.
    if (whole) lease.free([whole]);
  }
}

async function readBatch(
  { opened, batch, name, bytes }: Read,
  { hasBlocks }: Reading,
  context: SeriesContext,
): Promise<Decoded> {
  const { lease, isolate, waitUntil } = context;
  const cached = name === null ? undefined : isolate.slices.get(name);
  if (cached !== undefined) {
    lease.release(bytes);
    const arrays = [cached.t, cached.v];
    lease.keep(arrays, true);
    return { batch, rows: cached, free: () => lease.free(arrays) };
  }
  const reading = decode(opened, batch, hasBlocks, context).finally(() => lease.release(bytes));
  waitUntil(reading.catch(() => {}));
  const rows = await reading;
  if (name !== null) isolate.slices.set(name, { t: rows.t, v: rows.v });
  const arrays = [rows.t, rows.v, ...(rows.block ? [rows.block] : [])];
  lease.keep(arrays, name !== null);
  return { batch, rows, free: () => lease.free(arrays) };
}

async function decode(
  { object, whole }: Opened,
  batch: Batch,
  hasBlocks: boolean,
  context: SeriesContext,
): Promise<Columns> {
  const { period } = object;
  const all = whole ?? (await readWhole(object, context));
  const raw = all ?? (await readRowGroups(object, batch, context));
  const bytes = all ? all.subarray(batch.offset, batch.offset + batch.length) : raw;
  try {
    const rows = decodeBatch(bytes, batch, hasBlocks);
    for (const { from, to } of batch.parts) {
      const isOutside = rows.t[from]! < period.from || rows.t[to - 1]! >= period.to;
      if (isOutside) throw new Error("a point of another period");
    }
    return rows;
  } catch (cause) {
    throw damaged(`${placeName(object)} cannot be decoded`, cause);
  } finally {
    if (raw !== whole) {
      context.lease.free([raw]);
      // Unless it counted.
      if (!raw.buffer.detached) raw.buffer.transfer(0);
    }
  }
}

/**
 * The rows of a batch.
 *
 * @param bytes of all its row groups
 * @param hasBlocks whether to decode the column of block numbers, too
 * @throws they cannot be decoded, or hold what no series has: nulls, values that are not finite, times that fall, block
 *   numbers that do not rise
 */
function decodeBatch(bytes: Uint8Array, { offset, groups, skip, rows, parts }: Batch, hasBlocks: boolean): Columns {
  const [t, v, block] = [new Float64Array(rows), new Float64Array(rows), new Float64Array(hasBlocks ? rows : 0)];
  decodeRows(bytes, offset, groups, skip, hasBlocks ? { t, v, block } : { t, v });
  for (const { from, to } of parts) {
    for (let i = from; i < to; i++) {
      if (i > from && t[i]! < t[i - 1]!) throw new Error("times fall");
      if (!Number.isFinite(v[i])) throw new Error("a value is not finite");
      if (hasBlocks && i > from && !(block[i]! > block[i - 1]!)) throw new Error("block numbers do not rise");
    }
  }
  return { t, v, block };
}
