/** Query and manifest → points, in as few reads as possible, side by side. */

import type { ListedSeries, Manifest } from "../../data-schema/manifest.ts";
import type { SeriesFooter } from "../../data-schema/parquet/footer.ts";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet/metadata.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import type { Slice } from "../../data-schema/series.ts";
import type { Context } from "../context.ts";
import { damaged, Problem } from "../problems/problem.ts";
import type { Query } from "../request/validate.ts";
import { decode } from "./decode.ts";
import { fillZeros } from "./fill.ts";
import { checkedFooter } from "./footer.ts";
import { seriesObjects } from "./objects.ts";
import { planRuns, RUN_ROWS, type Run } from "./plan.ts";
import { prefetch } from "./prefetch.ts";
import { readRange } from "./ranges.ts";
import { within } from "./slice.ts";
import { verify } from "./verify.ts";

/** Up to this size, in bytes, an object is read whole: one read, and all its bytes are checked. */
export const WHOLE_BYTES = 256 * 1024;

/** Objects opened in advance. Every year of an hour series fits, so that their reads run side by side. */
const OBJECTS_AHEAD = 12;

/** Rows read in advance: three full runs, three megabytes of points. */
const ROWS_AHEAD = 3 * RUN_ROWS;

/** Longer slices are not cached: one long series would push out everything else. */
const CACHED_ROWS = 32_768;

interface Opened {
  object: ListedSeries;
  footer: SeriesFooter;
  /** The whole object, if it has just been read for its footer. */
  whole: Uint8Array<ArrayBuffer> | null;
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
 * @throws {Problem} 400 the resolution is not published; 500 or 503 as `readRange`; thrown before the first slice
 *   or between two
 */
export function readSeries(query: Query, manifest: Manifest, context: Context): AsyncGenerator<Slice> {
  const { selector, resolution, shape } = query;
  const published = manifest.resolutions[resolution];
  if (published === undefined) {
    throw new Problem("unavailable-resolution", `This asset is published without the resolution ${resolution}.`, {
      parameter: "r",
      allowed: Object.keys(manifest.resolutions),
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
  return fillZeros(slices, Math.ceil(since / step) * step, until, step);
}

async function* readObjects(objects: ListedSeries[], wanted: Wanted, context: Context): AsyncGenerator<Slice> {
  const { selector, since, until, step } = wanted;
  async function* runs() {
    const objectsAhead = prefetch(
      objects,
      (object) => open(object, context),
      () => 1,
      OBJECTS_AHEAD,
    );
    for await (const opened of objectsAhead) {
      const { from, to } = opened.object.period;
      for (const run of planRuns(opened.footer, selector, since, until, { from, to, step })) yield { opened, run };
    }
  }
  const slices = prefetch(
    runs(),
    ({ opened, run }) => readRun(opened, run, selector, context),
    ({ run }) => run.rows,
    ROWS_AHEAD,
  );
  for await (const slice of slices) {
    const points = within(slice, since, until);
    if (points.t.length > 0) yield points;
  }
}

async function open(object: ListedSeries, context: Context): Promise<Opened> {
  const { footers } = context.isolate;
  const cached = footers.get(object.key);
  if (cached !== undefined) return { object, footer: cached, whole: null };
  const whole = isSmall(object) ? await readWhole(object, context) : null;
  const footer = checkedFooter(whole ?? (await readFooter(object, context)), object);
  footers.set(object.key, footer);
  return { object, footer, whole };
}

async function readRun({ object, whole }: Opened, run: Run, selector: string, context: Context): Promise<Slice> {
  const { key, period } = object;
  const { slices } = context.isolate;
  const name = `${key} ${selector} ${run.first}+${run.groups.length}`;
  const cached = slices.get(name);
  if (cached !== undefined) return cached;
  const bytes = isSmall(object)
    ? (whole ?? (await readWhole(object, context))).subarray(run.offset, run.offset + run.length)
    : await readRowGroups(object, run, context);
  let slice: Slice;
  try {
    slice = decode(bytes, run);
    if (slice.t[0]! < period.from || slice.t.at(-1)! >= period.to) throw new Error("a point of another period");
  } catch (cause) {
    throw damaged(`${key} cannot be decoded`, cause);
  }
  if (run.rows <= CACHED_ROWS) slices.set(name, slice);
  return slice;
}

function readWhole(object: ListedSeries, context: Context): Promise<Uint8Array<ArrayBuffer>> {
  const { key, entry } = object;
  return readRange(object, 0, entry.size, (bytes) => verify(bytes, entry.hash, key), context);
}

function readFooter(object: ListedSeries, context: Context): Promise<Uint8Array<ArrayBuffer>> {
  const { key, entry } = object;
  const length = entry.footer + PARQUET_TRAILER_BYTES;
  const check = (bytes: Uint8Array<ArrayBuffer>) => verify(bytes, entry.footerHash, `the footer of ${key}`);
  return readRange(object, entry.size - length, length, check, context);
}

/** Each row group has its own digest, since a run may consist of any consecutive ones. */
function readRowGroups(object: ListedSeries, run: Run, context: Context): Promise<Uint8Array<ArrayBuffer>> {
  const check = async (bytes: Uint8Array<ArrayBuffer>) => {
    const checks = run.groups.map(({ chunks: { t, v }, digest }, index) => {
      const group = bytes.subarray(t.offset - run.offset, v.offset + v.compressedBytes - run.offset);
      return verify(group, digest, `row group ${run.first + index} of ${object.key}`);
    });
    await Promise.all(checks);
  };
  return readRange(object, run.offset, run.length, check, context);
}

function isSmall({ entry }: ListedSeries): boolean {
  return entry.size <= WHOLE_BYTES;
}
