/** Query and manifest → points, in as few reads as possible, side by side. */

import type { Slice } from "../../data-schema/parquet.ts";
import { RESOLUTION_FACTS, V1_RESOLUTIONS } from "../../data-schema/registry.ts";
import { listedOf, type Manifest, type ManifestPeriod, type ManifestSeries } from "../../data-schema/stored.ts";
import type { Lease } from "../budget.ts";
import type { SeriesContext } from "../context.ts";
import type { Rows } from "../format/rows-and-pieces.ts";
import { damaged, Problem } from "../problems/problem.ts";
import type { Query } from "../request/validate.ts";
import { axisOf } from "./axis/axis-of.ts";
import { within } from "./objects/slice.ts";
import { type Decoded, readBatches, SHORT_POINTS } from "./read-batches.ts";

/** Longer slices are not cached: one long series would push out everything else. */
const CACHED_ROWS = 32_768;

/**
 * Up to this many points are read before the response begins, so that failures become problem documents; fewer while
 * other requests hold much.
 */
const GATHERED_POINTS = 131_072;

/** Version of the answers: raise it if the same query on the same build gives another text. */
const REPRESENTATION = 1;

/**
 * The strong entity tag of a query's answer: everything that the text depends on, in plain text. The version in the path
 * is left out, since both versions give the same text.
 */
export function entityTag(query: Query, { build }: Manifest): string {
  const { symbol, metric, selector, resolution, since, until, format } = query;
  const bound = (seconds: number) => (Number.isFinite(seconds) ? seconds : "");
  const parts = [REPRESENTATION, symbol, build, metric, selector, resolution, bound(since), bound(until), format];
  return `"${parts.join(":")}"`;
}

/**
 * The points of a query, ascending, slice by slice.
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
  const axis = axisOf(query);
  const { first, last } = axis.rangeOf(manifest, resolution);
  const [since, until] = [Math.max(query.since, first), Math.min(query.until, last)];
  const objects = seriesObjects(query, manifest, published.periods, since, until);
  const step = RESOLUTION_FACTS[resolution].least;
  const wanted = objects.map((object) => ({ object, targets: [{ selector, column: 0 }], opened: null }));
  const bounds = { since, until, sinceBlock: Number.NEGATIVE_INFINITY, untilBlock: Number.POSITIVE_INFINITY };
  const lonePoints = step > 0 ? (until - since) / step : 0;
  const reading = { bounds, hasBlocks: false, keptRows: CACHED_ROWS, lonePoints };
  const slices = slicesOf(readBatches(wanted, reading, context), since, until, context.lease);
  if (!axis.hasZeros || shape === "ratio") return slices;
  return fillZeros(slices, Math.ceil(since / step) * step, until, step, context.lease);
}

/**
 * The objects of a metric that may hold points between two times, in order; periods without a row have none.
 *
 * @param since Unix seconds, inclusive, like until
 * @throws {Problem} 500 a period that does not list the metric
 */
function seriesObjects(
  { metric, resolution }: Query,
  manifest: Manifest,
  periods: readonly ManifestPeriod[],
  since: number,
  until: number,
): ManifestSeries[] {
  if (since > until) return [];
  return periods
    .filter((period) => period.from <= until && period.to > since)
    .flatMap((period) => {
      if (period.metrics[metric]) return listedOf(manifest, resolution, metric, period);
      throw damaged(`the manifest of ${manifest.symbol} lists no ${metric} in ${period.name}`);
    });
}

async function* slicesOf(
  batches: AsyncIterable<Decoded>,
  since: number,
  until: number,
  lease: Lease,
): AsyncGenerator<Slice> {
  for await (const { rows } of batches) {
    const slice = within(rows, since, until);
    if (slice.t.length > 0) yield slice;
    else lease.free([slice.t, slice.v]);
  }
}

/**
 * The points as rows, once the first of them have been read.
 *
 * @returns how many there are; null if more are still to be read
 * @throws {Problem} as `readSeries`; 503 there is no place in memory for an answer that is not short
 */
export async function startOf(
  slices: AsyncGenerator<Slice>,
  lease: Lease,
): Promise<{ points: number | null; rows: AsyncGenerator<Rows> }> {
  const gathered: Slice[] = [];
  let points = 0;
  let isFinished = false;
  while (!isFinished && (points <= SHORT_POINTS || (points <= GATHERED_POINTS && lease.mayHold(0)))) {
    const next = await slices.next();
    if (next.done) isFinished = true;
    else {
      gathered.push(next.value);
      points += next.value.t.length;
    }
  }
  if (points > SHORT_POINTS) await lease.enter();
  async function* rows(): AsyncGenerator<Rows> {
    // Removed from the array, so that what has been written can be garbage-collected.
    for (let slice = gathered.shift(); slice; slice = gathered.shift()) {
      yield rowsOf(slice, isFinished && gathered.length === 0);
    }
    if (!isFinished) for await (const slice of slices) yield rowsOf(slice);
  }
  return { points: isFinished ? points : null, rows: rows() };
}

const rowsOf = ({ t, v }: Slice, isLast = false): Rows => ({ t, block: null, columns: [v], isLast });

/** Points that are made at once. */
const PART_POINTS = 8_192;

/**
 * The series with a point in every bucket from first to last.
 *
 * @param slices points between first and last, ascending
 * @param first start of the first bucket, Unix seconds
 * @param last start of the last bucket, Unix seconds; before first if there is no bucket
 * @param step length of a bucket in seconds
 * @param lease frees slices that are not passed on, and counts those that are made
 * @throws {Problem} 500 a point that is not at the start of a bucket, or two of one bucket
 */
export async function* fillZeros(
  slices: AsyncIterable<Slice>,
  first: number,
  last: number,
  step: number,
  lease: Lease,
): AsyncGenerator<Slice> {
  let next = first;
  for await (const slice of slices) {
    const { t } = slice;
    const end = t.at(-1)!;
    if (isComplete(t, next, step)) yield slice;
    else {
      checkBuckets(t, next, step);
      yield* parts(slice, next, end, step, lease);
      lease.free([t, slice.v]);
    }
    next = end + step;
  }
  yield* parts({ t: new Float64Array(), v: new Float64Array() }, next, last, step, lease);
}

/** Whether every bucket has a point, so that there is nothing to fill in. */
function isComplete(t: Float64Array, first: number, step: number): boolean {
  for (let i = 0; i < t.length; i++) {
    if (t[i] !== first + i * step) return false;
  }
  return true;
}

function checkBuckets(t: Float64Array, first: number, step: number): void {
  for (let i = 0, previous = -1; i < t.length; i++) {
    const index = (t[i]! - first) / step;
    if (!Number.isInteger(index) || index <= previous) {
      throw damaged("a point is not the only one at its bucket's start");
    }
    previous = index;
  }
}

/** The points of all buckets from first to last, some at a time: those of a slice, and zeros. */
function* parts({ t, v }: Slice, first: number, last: number, step: number, lease: Lease): Generator<Slice> {
  for (let from = first, i = 0; from <= last; from += PART_POINTS * step) {
    const part = zeros(from, Math.min(Math.floor((last - from) / step) + 1, PART_POINTS), step);
    for (; i < t.length && (t[i]! - from) / step < PART_POINTS; i++) part.v[(t[i]! - from) / step] = v[i]!;
    lease.keep([part.t, part.v]);
    yield part;
  }
}

function zeros(first: number, length: number, step: number): Slice {
  const t = new Float64Array(length);
  for (let i = 0; i < length; i++) t[i] = first + i * step;
  return { t, v: new Float64Array(length) };
}
