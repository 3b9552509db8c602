/**
 * The part of a cost basis distribution that is around the price: at each close the bucket that holds the price, and some
 * below and above it. All buckets below those are one, and so are all above. Source: docs/api.md#around-the-price.
 */

import {
  type Bucket,
  COST_BUCKETS,
  costBucket,
  costBucketNumber,
  type Resolution,
  SINGLE_SERIES,
} from "../../data-schema/registry.ts";
import { listedSeries, type Manifest } from "../../data-schema/stored.ts";
import type { SeriesContext } from "../context.ts";
import { readBatches } from "./read-batches.ts";
import type { ReadObject } from "./table-parts.ts";

/** What a bucket is to a holder: in the money, at the price, or out of the money. */
export const SIDES = ["in", "at", "out"] as const;

/** The names of the buckets of all that is cheaper, and dearer, than what is shown. */
const [BELOW, ABOVE] = ["below", "above"];

/** The closes of an asset: the starts of their buckets, Unix seconds, ascending. */
interface Closes {
  manifest: Manifest;
  resolution: Resolution;
  t: Float64Array;
}

/** The objects that have the prices of some closes, of which there is one at least. */
export const priceObjects = ({ manifest, resolution, t }: Closes): ReadObject[] =>
  Array.from(listedSeries(manifest, [resolution]))
    .filter(({ metric, period }) => metric === "price" && period.from <= t.at(-1)! && period.to > t[0]!)
    .map((object) => ({ object, opened: null, targets: [{ selector: SINGLE_SERIES, column: 0 }] }));

/**
 * The prices at some closes, by time; none where the price is 0, as it is before the first one.
 *
 * @throws {Problem} 500 or 503 as `readRange`
 */
export async function readPrices(closes: Closes, context: SeriesContext): Promise<Map<number, number>> {
  const { t } = closes;
  const prices = new Map<number, number>();
  if (t.length === 0) return prices;
  const bounds = {
    since: t[0]!,
    until: t.at(-1)!,
    sinceBlock: Number.NEGATIVE_INFINITY,
    untilBlock: Number.POSITIVE_INFINITY,
  };
  const reading = { bounds, hasBlocks: false, keptRows: 0 };
  for await (const { rows, free } of readBatches(priceObjects(closes), reading, context)) {
    for (const [row, time] of rows.t.entries()) prices.set(time, rows.v[row]!);
    free();
  }
  return prices;
}

/** The window of buckets at each close. */
export class AroundPrice {
  readonly #width: number;
  readonly #prices: ReadonlyMap<number, number>;
  /** The numbers of the buckets that hold the prices, by time. */
  readonly #centers = new Map<number, number>();

  /** @param width buckets on each side of the one that holds the price */
  constructor(width: number, prices: ReadonlyMap<number, number>) {
    this.#width = width;
    this.#prices = prices;
  }

  priceAt(t: number): number {
    return this.#prices.get(t) ?? 0;
  }

  /** The number of the bucket that holds the price. */
  centerAt(t: number): number {
    const known = this.#centers.get(t);
    if (known !== undefined) return known;
    const center = costBucketNumber(this.priceAt(t));
    this.#centers.set(t, center);
    return center;
  }

  /** The bucket that a bucket counts for: itself, by its number; -1 for all below, and `COST_BUCKETS` for all above. */
  shownAs(number: number, t: number): number {
    const center = this.centerAt(t);
    if (number < center - this.#width) return -1;
    return number > center + this.#width ? COST_BUCKETS : number;
  }

  /** The place in `SIDES` of what `shownAs` gives. */
  sideOf(shown: number, t: number): number {
    return 1 + Math.sign(shown - this.centerAt(t));
  }

  /** What `shownAs` gives, as a bucket of one time, or of several: null where these differ. */
  bucketOf(shown: number, times: Iterable<number>): Bucket {
    if (shown >= 0 && shown < COST_BUCKETS) return costBucket(shown);
    const sign = shown < 0 ? -1 : 1;
    const inner = new Set(Array.from(times, (t) => this.centerAt(t) + sign * this.#width));
    const [last] = inner;
    const edge = inner.size === 1 ? costBucket(last!) : undefined;
    // Below the lowest bucket of costs there is what was free.
    if (sign < 0) return { name: BELOW, from: null, to: edge ? (edge.from ?? 0) : null };
    return { name: ABOVE, from: edge?.to ?? null, to: null };
  }
}
