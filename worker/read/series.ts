/** Query and manifest → points, in as few reads as possible, side by side. */

import type { ListedSeries, Manifest } from "../../data-schema/manifest.ts";
import { BUCKET_SECONDS, V1_RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { ROW_GROUP_ROWS, type Slice } from "../../data-schema/series.ts";
import { arraysOf } from "../budget.ts";
import type { SeriesContext } from "../context.ts";
import { CAPACITY } from "../format/rows.ts";
import { damaged, Problem } from "../problems/problem.ts";
import type { Query } from "../request/validate.ts";
import { decode } from "./decode.ts";
import { fillZeros } from "./fill.ts";
import { seriesObjects } from "./objects.ts";
import { isSmall, type Opened, open, openBytes, readRowGroups, readWhole } from "./open.ts";
import { planRuns, type Run, splitRun } from "./plan.ts";
import { prefetch } from "./prefetch.ts";
import { within } from "./slice.ts";

/** Objects opened in advance. Every year of an hour series fits, so that their reads run side by side. */
const OBJECTS_AHEAD = 12;

/** While other requests hold much, longer runs are read a row group at a time. */
const CROWDED_ROWS = ROW_GROUP_ROWS.block;

/** A time and a value. */
const POINT_BYTES = 2 * Float64Array.BYTES_PER_ELEMENT;

/** Longer slices are not cached: one long series would push out everything else. */
const CACHED_ROWS = 32_768;

/** A run, and where its points are cached; null if they are not. */
interface Read {
  opened: Opened;
  run: Run;
  name: string | null;
  /** What its points and the bytes to read take. */
  bytes: number;
}

/** What is read of each object: one selector's points between two times. */
interface Wanted {
  selector: string;
  /** Unix seconds, inclusive, like until. */
  since: number;
  until: number;
  /** Length of a bucket in seconds; 0 for blocks. */
  step: number;
}

/**
 * The points of a query, ascending, slice by slice. With nothing cached, two reads follow each other: footers, then row
 * groups. One is enough if the footer is cached or the object is small; none if the slices are cached.
 *
 * The memory of a slice is the lease's; whoever takes it frees it.
 *
 * @throws {Problem} 400 the resolution is not published; 500 or 503 as `readRange`; 503 there is no place in memory;
 *   thrown before the first slice or between two
 */
export function readSeries(query: Query, manifest: Manifest, context: SeriesContext): AsyncGenerator<Slice> {
  const { selector, resolution, shape } = query;
  const published = manifest.resolutions[resolution];
  if (published === undefined) {
    throw new Problem("unavailable-resolution", `This asset is published without the resolution ${resolution}.`, {
      parameter: "r",
      allowed: V1_RESOLUTIONS.filter((one) => manifest.resolutions[one] !== undefined),
    });
  }
  let { since, until } = query;
  if (resolution !== "block") {
    const { first, last } = manifest.resolutions[resolution]!;
    since = Math.max(since, first ?? Number.POSITIVE_INFINITY);
    until = Math.min(until, last ?? Number.NEGATIVE_INFINITY);
  }
  const objects = seriesObjects(query, manifest.symbol, published.periods, since, until);
  const step = resolution === "block" ? 0 : BUCKET_SECONDS[resolution];
  const slices = readObjects(objects, { selector, since, until, step }, context);
  if (resolution === "block" || shape === "ratio") return slices;
  return fillZeros(slices, Math.ceil(since / step) * step, until, step, context.lease);
}

async function* readObjects(objects: ListedSeries[], wanted: Wanted, context: SeriesContext): AsyncGenerator<Slice> {
  const { lease } = context;
  const slices = prefetch(
    runsOf(objects, wanted, context),
    (read) => readRun(read, context),
    ({ bytes }, pending) => lease.reserve(bytes, pending === 0),
  );
  for await (const slice of slices) {
    const points = within(slice, wanted.since, wanted.until);
    if (points.t.length > 0) yield points;
    else lease.free(arraysOf(slice));
  }
}

/** What there is to read, in order, as large as the room is when it is asked for. */
async function* runsOf(
  objects: ListedSeries[],
  { selector, since, until, step }: Wanted,
  context: SeriesContext,
): AsyncGenerator<Read> {
  const { lease, isolate } = context;
  const unopened = objects.map((object) => ({
    object,
    bytes: isolate.footers.get(object.key) ? 0 : openBytes(object),
  }));
  // A response that will be a stream waits for its place while it holds nothing, even if all its points are cached.
  let points = step > 0 ? (until - since) / step : 0;
  if (unopened.some(({ bytes }) => bytes > 0) || points > CAPACITY) await lease.enter();
  const ahead = prefetch(
    unopened,
    ({ object, bytes }) => open(object, context).finally(() => lease.release(bytes)),
    ({ bytes }, pending) => pending < OBJECTS_AHEAD && lease.reserve(bytes, pending === 0),
  );
  for await (const opened of ahead) {
    const { object, footer, whole } = opened;
    const { from, to } = object.period;
    for (const run of planRuns(footer, selector, since, until, { from, to, step })) {
      const name = run.rows <= CACHED_ROWS ? `${object.key} ${selector} ${run.first}+${run.groups.length}` : null;
      const isCached = name !== null && isolate.slices.get(name) !== undefined;
      points += run.rows;
      if (!isCached || points > CAPACITY) await lease.enter();
      const isSplit = !isCached && run.rows > CROWDED_ROWS && lease.isCrowded;
      for (const part of isSplit ? splitRun(run) : [run]) {
        const raw = isCached || whole ? 0 : isSmall(object) ? object.entry.size : part.length;
        yield { opened, run: part, name: isSplit ? null : name, bytes: POINT_BYTES * part.rows + raw };
      }
    }
    // Its runs have been decoded: nothing is awaited between the start of their reading and then.
    if (whole) lease.free([whole]);
  }
}

async function readRun({ opened, run, name, bytes }: Read, context: SeriesContext): Promise<Slice> {
  const { lease, isolate, waitUntil } = context;
  const cached = name === null ? undefined : isolate.slices.get(name);
  if (cached !== undefined) {
    lease.release(bytes);
    lease.keep(arraysOf(cached), true);
    return cached;
  }
  const reading = decodeRun(opened, run, context).finally(() => lease.release(bytes));
  waitUntil(reading.catch(() => {}));
  const slice = await reading;
  if (name !== null) isolate.slices.set(name, slice);
  lease.keep(arraysOf(slice), name !== null);
  return slice;
}

async function decodeRun({ object, whole }: Opened, run: Run, context: SeriesContext): Promise<Slice> {
  const { key, period } = object;
  const raw = whole ?? (isSmall(object) ? await readWhole(object, context) : await readRowGroups(object, run, context));
  const bytes = isSmall(object) ? raw.subarray(run.offset, run.offset + run.length) : raw;
  try {
    const slice = decode(bytes, run);
    if (slice.t[0]! < period.from || slice.t.at(-1)! >= period.to) throw new Error("a point of another period");
    return slice;
  } catch (cause) {
    throw damaged(`${key} cannot be decoded`, cause);
  } finally {
    if (raw !== whole) raw.buffer.transfer(0);
  }
}
