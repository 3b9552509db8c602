/** Query and manifest → points, in as few reads as possible, side by side. */

import type { Slice } from "../../data-schema/parquet.ts";
import { BUCKET_SECONDS, V1_RESOLUTIONS } from "../../data-schema/registry.ts";
import type { Manifest } from "../../data-schema/stored.ts";
import type { Lease } from "../budget.ts";
import type { SeriesContext } from "../context.ts";
import type { Rows } from "../format/pieces.ts";
import { Problem } from "../problems/problem.ts";
import type { Query } from "../request/validate.ts";
import { fillZeros } from "./fill.ts";
import { seriesObjects } from "./objects/objects.ts";
import { within } from "./objects/slice.ts";
import { type Decoded, readPieces, SHORT_POINTS } from "./pieces.ts";

/** Longer slices are not cached: one long series would push out everything else. */
const CACHED_ROWS = 32_768;

/**
 * Up to this many points are read before the response begins, so that failures become problem documents; fewer while
 * other requests hold much.
 */
const GATHERED_POINTS = 131_072;

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
  let { since, until } = query;
  if (resolution !== "block") {
    const { first, last } = manifest.resolutions[resolution]!;
    since = Math.max(since, first ?? Number.POSITIVE_INFINITY);
    until = Math.min(until, last ?? Number.NEGATIVE_INFINITY);
  }
  const objects = seriesObjects(query, manifest.symbol, published.periods, since, until);
  const step = resolution === "block" ? 0 : BUCKET_SECONDS[resolution];
  const pieces = objects.map((object) => ({ object, targets: [{ selector, column: 0 }], opened: null }));
  const bounds = { since, until, sinceBlock: Number.NEGATIVE_INFINITY, untilBlock: Number.POSITIVE_INFINITY };
  const lonePoints = step > 0 ? (until - since) / step : 0;
  const reading = { bounds, hasBlocks: false, keptRows: CACHED_ROWS, lonePoints };
  const slices = slicesOf(readPieces(pieces, reading, context), since, until, context.lease);
  if (resolution === "block" || shape === "ratio") return slices;
  return fillZeros(slices, Math.ceil(since / step) * step, until, step, context.lease);
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
