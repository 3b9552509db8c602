/** Query and manifest → the buckets of a distribution and their sums, from the objects of its years. */

import {
  type Bucket,
  bucketFieldsOf,
  bucketNamed,
  bucketOf,
  bucketSeries,
  bucketStarts,
  byKey,
  type DistributionField,
  dividesLots,
  isLotSelector,
  lotDistribution,
  methodOf,
  numberOfCosts,
  presenceOf,
  RESOLUTION_FACTS,
  selectorsOfDistribution,
} from "../../data-schema/registry.ts";
import { type DistributionYear, distributionIn, lotMethodsOf, type Manifest } from "../../data-schema/stored.ts";
import { before } from "../../data-schema/text.ts";
import type { SeriesContext } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import { damaged, Problem } from "../problems/problem.ts";
import type { DistributionQuery } from "../request/distribution-query.ts";
import { type Bound, reversed } from "../request/table-query.ts";
import { AroundPrice, priceObjects, readPrices } from "./around-price.ts";
import { noLots } from "./no-lots.ts";
import type { Bounds } from "./objects/batches.ts";
import { type Opened, open, openBytes } from "./objects/open-object.ts";
import { firstAtOrAfter } from "./objects/slice.ts";
import { readBatches } from "./read-batches.ts";
import { costOf, type ReadObject } from "./table-parts.ts";

/** The isolate keeps batches of so many rows for the next request, unless the objects have so many that they push out all else. */
const KEPT_ROWS = 65_536;
const MOST_KEPT_ROWS = 524_288;

/** Rows times buckets of an answer. */
const MOST_CELLS = 2_000_000;

/** What an answer shows. */
export interface Distribution extends Pick<DistributionQuery, "name" | "selector" | "resolution" | "around"> {
  manifest: Manifest;
  /** The starts of its buckets of time, Unix seconds, ascending. */
  t: Float64Array;
}

/**
 * The distribution of a query.
 *
 * @throws {Problem} 400 the build is older than distributions; 400 the range is reversed
 */
export function distributionOf(query: DistributionQuery, manifest: Manifest): Distribution {
  const { name, selector, resolution, around, last } = query;
  const { symbol, build, distributions, resolutions } = manifest;
  const methods = lotMethodsOf(manifest);
  if (isLotSelector(selector) && !methods.includes(methodOf(selector))) throw noLots(symbol, selector, methods);
  if (!distributions) {
    throw new Problem("unavailable-metric", `The build ${build} of ${symbol} is older than distributions.`, {
      parameter: "a",
    });
  }
  const range = resolutions[resolution];
  const [first, end] = [range?.first ?? Number.POSITIVE_INFINITY, range?.last ?? Number.NEGATIVE_INFINITY];
  const at = (bound: Bound) => (typeof bound === "number" ? bound : before(Math.max(end, 0), bound));
  const [since, until] = [at(query.since), at(query.until)];
  if (since > until) throw reversed("s", "u");
  const [from, to] = [Math.max(since, first), Math.min(until, end)];
  const t = from <= to ? bucketStarts(resolution, from, to) : new Float64Array();
  return { name, selector, resolution, around, manifest, t: last === null ? t : t.slice(-last) };
}

/** Version of the answers: raise it if the same query on the same build gives another text. */
const REPRESENTATION = 1;

/** The strong entity tag of a distribution. */
export function distributionTag(
  { manifest, name, selector, resolution, around, t }: Distribution,
  { time, format }: DistributionQuery,
): Promise<string> {
  const { symbol, build } = manifest;
  const parts = [REPRESENTATION, symbol, build, name, selector, resolution, t.at(0), t.at(-1), time, format, around];
  return digestTag(JSON.stringify(parts));
}

/**
 * How many numbers an answer has at most, if those of its years are spread evenly over their days: all may be of `total`,
 * and half of them of `users`, a part of it.
 */
export function roughPoints(distribution: Distribution): number {
  const { manifest, selector, resolution, t } = distribution;
  if (t.length === 0) return 0;
  const { least } = RESOLUTION_FACTS[resolution];
  const years = yearsOf({ manifest, resolution, t });
  const points = years.reduce((sum, year) => {
    const rows = objectsIn(distribution, year).reduce((sum, { entry }) => sum + entry.rows, 0);
    const asked = Math.min(year.to, t.at(-1)! + least) - Math.max(year.from, t[0]!);
    return sum + rows * Math.min(1, asked / (year.to - year.from));
  }, 0);
  const [whole, ...others] = selectorsOfDistribution(distributionObject(distribution));
  return Math.ceil(selector === whole ? points : points / (1 + others.length));
}

/** What the objects of a distribution divide: addresses, or lots by a method. */
const distributionObject = ({ name, selector }: Pick<Distribution, "name" | "selector">) =>
  isLotSelector(selector) && dividesLots(name) ? lotDistribution(methodOf(selector), name) : name;

/** The object of a year; none if the year has no row of it. */
const objectsIn = (distribution: Distribution, year: DistributionYear) =>
  distributionIn(distribution.manifest, distribution.resolution, distributionObject(distribution), year);

/** The years that have some of its times, of which there is one at least. */
function yearsOf({ manifest, resolution, t }: Pick<Distribution, "manifest" | "resolution" | "t">): DistributionYear[] {
  return manifest.distributions![resolution].filter(({ from, to }) => from <= t.at(-1)! && to > t[0]!);
}

/** Its objects that may have rows of the answer, with their footers. */
export async function openYears(distribution: Distribution, context: SeriesContext): Promise<Opened[]> {
  if (distribution.t.length === 0) return [];
  const objects = yearsOf(distribution).flatMap((year) => objectsIn(distribution, year));
  const opened: Opened[] = [];
  const { lease } = context;
  await lease.enter();
  for (const object of objects) {
    lease.reserve(openBytes(object), true);
    const { footer, whole } = await open(object, context).finally(() => lease.release(openBytes(object)));
    if (whole) lease.free([whole]);
    opened.push({ object, footer, whole: null });
  }
  return opened;
}

/** The names of all buckets that the objects have. */
function namesIn({ selector }: Distribution, years: readonly Opened[]): Set<string> {
  const prefix = bucketSeries(presenceOf(selector), selector, "");
  const series = years.flatMap(({ footer }) => Object.keys(footer.info.cohorts));
  return new Set(series.filter((one) => one.startsWith(prefix)).map(bucketOf));
}

/** All buckets that the objects have, ascending. */
function bucketsIn(distribution: Distribution, years: readonly Opened[]): Bucket[] {
  const { name, manifest } = distribution;
  const buckets = Array.from(namesIn(distribution, years), (bucket) => {
    const known = bucketNamed(name, bucket);
    if (!known) throw damaged(`${name} of ${manifest.symbol} has a bucket ${bucket}`);
    return known;
  });
  return buckets.sort(byKey);
}

/** Cells that an answer may have, at most, as far as the footers tell. */
export function mostCells(distribution: Distribution, years: readonly Opened[]): number {
  const beside = distribution.around === null ? 0 : OUTER_BUCKETS;
  return Math.min(MOST_CELLS, distribution.t.length * (namesIn(distribution, years).size + beside));
}

/** Below and above those around the price. */
const OUTER_BUCKETS = 2;

/** The columns of an answer, and what is read for them. */
export interface ShownBuckets {
  /** The buckets that are read, ascending. */
  stored: readonly Bucket[];
  /** The buckets of the answer, ascending: those that have an address at some time. */
  shown: readonly Bucket[];
  /** Which of the buckets that are shown a stored one counts for at a time, by their places. */
  placeOf(stored: number, t: number): number;
  /** Null where the answer has all buckets. */
  around: ShownAround | null;
}

/** What else there is to know of the buckets around the price. */
interface ShownAround {
  price: AroundPrice;
  /** A bucket as it is at a time, and its place in `SIDES`. */
  at(place: number, t: number): { bucket: Bucket; side: number };
  /** The place of the bucket that holds the price; -1 where it has no address. */
  placeOfPrice(t: number): number;
}

/**
 * What an answer has a column for.
 *
 * @throws {Problem} 400 the buckets are too many for its rows; 500 or 503 as `readRange`
 */
export async function layoutOf(
  distribution: Distribution,
  years: readonly Opened[],
  context: SeriesContext,
): Promise<ShownBuckets> {
  const { t, around } = distribution;
  const all = bucketsIn(distribution, years);
  const layout =
    around === null
      ? await layoutOfAll(distribution, years, all, context)
      : await layoutAround(distribution, years, all, around, context);
  const { length } = layout.shown;
  if (length * t.length > MOST_CELLS) {
    throw new Problem(
      "too-many-cells",
      `These are ${t.length} rows of ${length} buckets: an answer has up to ${MOST_CELLS} cells. Ask for less time, or for weeks or months.`,
      { parameter: "s" },
    );
  }
  return layout;
}

async function layoutOfAll(
  distribution: Distribution,
  years: readonly Opened[],
  all: readonly Bucket[],
  context: SeriesContext,
): Promise<ShownBuckets> {
  const isPresent = new Uint8Array(all.length);
  await eachPart(distribution, years, presenceOf(distribution.selector), all, context, (bucket) => {
    isPresent[bucket] = 1;
  });
  const shown = all.filter((_, index) => isPresent[index]);
  return { stored: shown, shown, placeOf: (bucket) => bucket, around: null };
}

async function layoutAround(
  distribution: Distribution,
  years: readonly Opened[],
  stored: readonly Bucket[],
  width: number,
  context: SeriesContext,
): Promise<ShownBuckets> {
  const price = new AroundPrice(width, await readPrices(distribution, context));
  const numbers = stored.map(numberOfCosts);
  /** The times at which each bucket that is shown has an address. */
  const times = new Map<number, Set<number>>();
  await eachPart(distribution, years, presenceOf(distribution.selector), stored, context, (bucket, own) => {
    for (const t of own) {
      const shown = price.shownAs(numbers[bucket]!, t);
      const known = times.get(shown) ?? new Set();
      times.set(shown, known.add(t));
    }
  });
  const shown = [...times.keys()].sort((a, b) => a - b);
  const places = new Map(shown.map((number, place) => [number, place]));
  return {
    stored,
    shown: shown.map((number) => price.bucketOf(number, times.get(number)!)),
    placeOf: (bucket, t) => places.get(price.shownAs(numbers[bucket]!, t))!,
    around: {
      price,
      at: (place, t) => {
        const number = shown[place]!;
        return { bucket: price.bucketOf(number, [t]), side: price.sideOf(number, t) };
      },
      placeOfPrice: (t) => {
        const center = price.centerAt(t);
        return times.get(center)?.has(t) ? places.get(center)! : -1;
      },
    },
  };
}

/**
 * A field of all buckets, row by row: for each t, a value for each bucket that is shown; 0 where it is empty. Whoever takes it
 * frees it.
 *
 * @throws {Problem} 500 or 503 as `readRange`
 */
export async function readField(
  distribution: Distribution,
  years: readonly Opened[],
  field: DistributionField,
  { stored, shown, placeOf }: ShownBuckets,
  context: SeriesContext,
): Promise<Float64Array> {
  const { t } = distribution;
  const width = shown.length;
  const matrix = new Float64Array(t.length * width);
  context.lease.keep([matrix]);
  await eachPart(distribution, years, field, stored, context, (bucket, times, values) => {
    let row = firstAtOrAfter(t, times[0]!);
    for (const [i, time] of times.entries()) {
      while (row < t.length && t[row]! < time) row++;
      if (t[row] !== time) throw damaged("a point is not the only one at its bucket's start");
      matrix[row++ * width + placeOf(bucket, time)]! += values[i]!;
    }
  });
  return matrix;
}

/** How often an answer reads from the bucket, at most: footers, addresses for the buckets, then all fields. */
export function readsOf(distribution: Distribution, years: readonly Opened[]): number {
  const { t } = distribution;
  if (t.length === 0) return 0;
  const bounds = boundsOf(t);
  const buckets = bucketsIn(distribution, years);
  const presence = presenceOf(distribution.selector);
  const reads = bucketFieldsOf(distribution.selector).map((field) => {
    const objects = readObjectsOf(distribution, years, field, buckets);
    // One of them is read for the buckets, too.
    const times = field === presence ? 2 : 1;
    return times * objects.reduce((sum, item) => sum + costOf(item, bounds).reads, 0);
  });
  const prices = distribution.around === null ? 0 : priceObjects(distribution).length;
  return reads.reduce((sum, own) => sum + own, years.length + prices);
}

/** What is read of each year for a field. */
const readObjectsOf = (
  { selector }: Distribution,
  years: readonly Opened[],
  field: DistributionField,
  buckets: readonly Bucket[],
): ReadObject[] =>
  years.map((opened) => {
    const { cohorts } = opened.footer.info;
    const named = buckets.map(({ name }, column) => ({ selector: bucketSeries(field, selector, name), column }));
    return {
      object: opened.object,
      opened,
      targets: named.filter((target) => Object.hasOwn(cohorts, target.selector)),
    };
  });

const boundsOf = (t: Float64Array): Bounds => ({
  since: t[0]!,
  until: t.at(-1)!,
  sinceBlock: Number.NEGATIVE_INFINITY,
  untilBlock: Number.POSITIVE_INFINITY,
});

type Visit = (bucket: number, times: Float64Array, values: Float64Array) => void;

/** Visits the points of a field within the times of the answer, some of a bucket at a time. */
async function eachPart(
  distribution: Distribution,
  years: readonly Opened[],
  field: DistributionField,
  buckets: readonly Bucket[],
  context: SeriesContext,
  visit: Visit,
): Promise<void> {
  const { t } = distribution;
  if (t.length === 0) return;
  const objects = readObjectsOf(distribution, years, field, buckets);
  const bounds = boundsOf(t);
  const rows = years.reduce((sum, { object }) => sum + object.entry.rows, 0);
  const reading = { bounds, hasBlocks: false, keptRows: rows <= MOST_KEPT_ROWS ? KEPT_ROWS : 0 };
  for await (const { batch, rows, free } of readBatches(objects, reading, context)) {
    for (const { column, from, to } of batch.parts) {
      const [times, values] = [rows.t.subarray(from, to), rows.v.subarray(from, to)];
      const [first, end] = [firstAtOrAfter(times, t[0]!), firstAtOrAfter(times, t.at(-1)! + 1)];
      if (first < end) visit(column, times.subarray(first, end), values.subarray(first, end));
    }
    free();
  }
}
