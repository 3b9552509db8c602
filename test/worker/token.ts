/** A token with made-up series, published as the builder publishes them. */

import type { Series } from "../../builder/engine/series.ts";
import { lowerBound } from "../../builder/lib/columns/lower-bound.ts";
import { seriesFile } from "../../builder/published/objects/encode-series.ts";
import { SCHEMA_VERSION, type SeriesUnit, VARIOUS_UNITS } from "../../data-schema/parquet/series-object.ts";
import {
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  type DistributionName,
  type DistributionResolution,
  isLotDistribution,
  LOT_DISTRIBUTIONS,
  type LotDistribution,
  partsOfDistribution,
} from "../../data-schema/registry/distributions.ts";
import { type LotMethod, lotCohortsOf, lotSelectors, lotSeries } from "../../data-schema/registry/lots.ts";
import {
  METRICS,
  type Metric,
  type MetricName,
  OWN_METRICS,
  resolutionsOf,
  seriesOf,
} from "../../data-schema/registry/metrics.ts";
import type { OwnCohort } from "../../data-schema/registry/own-cohorts.ts";
import {
  type BucketResolution,
  nextYearStart,
  type Resolution,
  yearStart,
} from "../../data-schema/registry/resolutions.ts";
import type { Activation } from "../../data-schema/stored/changes.ts";
import { currentKey, seriesKey } from "../../data-schema/stored/objects.ts";
import { REMOVAL_METADATA, removedKey } from "../../data-schema/stored/removals.ts";
import {
  catalogEntry,
  type DistributionYear,
  type Manifest,
  type ManifestPeriod,
  parseManifest,
  type TableOf,
} from "../../data-schema/stored.ts";
import { publishHolders, type StoredHolders } from "./holders-token.ts";
import { publishTransfers, type StoredTransfer } from "./transfers-token.ts";

/** A point as it is stored: Unix seconds, and for a sum never 0. */
export interface Point {
  t: number;
  v: number;
  /** Its place among the points of its period if left out. */
  block?: number;
}

interface Period {
  name: string;
  from: number;
  to: number;
}

/** The points of a series, ascending. */
export type SeriesPoints = (metric: MetricName, resolution: Resolution, selector: string) => Point[];

export interface Token {
  symbol: string;
  /** Periods of each resolution that is published. */
  periods: Partial<Record<Resolution, Period[]>>;
  /** First and last complete bucket; none if left out. */
  range?: Partial<Record<BucketResolution, [first: number, last: number]>>;
  series: SeriesPoints;
  /** Own cohorts; `series` gets each as a selector. */
  own?: readonly OwnCohort[];
  /** Methods of lots, whose selectors `series` gets, too. */
  lots?: readonly LotMethod[];
  /** The series of a distribution, by name; they are published in calendar years. */
  distributions?: (name: DistributionName, resolution: DistributionResolution) => Series[];
  /** Distributions of the methods of lots. */
  lotDistributions?: (name: LotDistribution, resolution: DistributionResolution) => Series[];
  /** Metrics to publish; all if left out. */
  metrics?: readonly MetricName[];
  build?: string;
  asOf?: string;
  checked?: Manifest["checked"];
  freshness?: Manifest["freshness"];
  labels?: Manifest["labels"];
  deposits?: Manifest["deposits"];
  corrections?: Manifest["corrections"];
  predecessors?: Manifest["predecessors"];
  activation?: Activation;
  price?: Manifest["price"];
  holders?: StoredHolders;
  transfers?: readonly StoredTransfer[];
  events?: Manifest["events"];
}

/** What is used of an R2 bucket, the Worker's or Miniflare's. */
interface Bucket {
  put(
    key: string,
    value: string | Uint8Array,
    options: { sha256?: string; customMetadata?: Record<string, string> },
  ): Promise<unknown>;
}

export const DAY = 86_400;
export const HOUR = 3_600;

/** Unix seconds of an ISO 8601 time. */
export function at(iso: string): number {
  return Date.parse(iso.length === 10 ? `${iso}T00:00:00Z` : `${iso}Z`) / 1000;
}

/** What a manifest may say of how far to trust its data. */
export const QUALITY = {
  checked: { block: 21_000_000, holders: 10, of: 12 },
  price: {
    first: at("2025-03-01"),
    last: at("2025-12-31T23:00:00"),
    moreGaps: 2,
    gaps: [[at("2025-04-01"), at("2025-04-09")]] as [number, number][],
  },
  labels: {
    exchanges: {
      version: "ethereum-2026-11",
      addresses: 698,
      held: 41,
      holders: 12,
      supplyShare: 0.3,
      volumeShare: 0.2,
    },
    contracts: { sha256: "c".repeat(64), addresses: 7, held: 7, holders: 0, supplyShare: 0 },
  },
  deposits: {
    asOf: "2025-12-01T00:00:00.000Z",
    table: { hash: "d".repeat(32), size: 9 },
    exchanges: { coinone: 254, ftx: 717 },
    inflowShare: 0.432,
  },
  activation: {
    change: 1,
    at: "2026-01-01T02:00:00.000Z",
    knownSince: "2026-01-01T02:00:00.000Z",
    nights: [
      [at("2025-12-31"), 5_400],
      [at("2026-01-01"), 7_200],
    ] as [number, number][],
  },
};

/** Marks a symbol as removed, or as one that an asset had before, as the builder does. */
export async function mark(bucket: Bucket, symbol: string, became: string | null): Promise<void> {
  const text = JSON.stringify({ schema: 1, symbol, at: "2026-01-01T00:00:00Z", became });
  await bucket.put(removedKey(symbol), text, { customMetadata: { [REMOVAL_METADATA]: text } });
}

/** What becomes of a token that has been published; it returns the manifest that is active then. */
type Afterwards = (symbol: string) => Promise<Manifest>;
let afterwards: Afterwards | undefined;
export const afterPublishing = (then: Afterwards): void => {
  afterwards = then;
};

/** Stores a token's objects, then its manifest. */
export async function publish(bucket: Bucket, token: Token): Promise<Manifest> {
  const written: Partial<Record<Resolution, ManifestPeriod[]>> = {};
  for (const [resolution, periods] of Object.entries(token.periods) as [Resolution, Period[]][]) {
    written[resolution] = await Promise.all(periods.map((period) => publishPeriod(bucket, token, resolution, period)));
  }
  const buckets = (resolution: BucketResolution) => {
    const [first, last] = token.range?.[resolution] ?? [null, null];
    return { first, last, periods: written[resolution] ?? [] };
  };
  const manifest = {
    schema: SCHEMA_VERSION,
    symbol: token.symbol,
    name: "Test token",
    chain: "ethereum",
    contract: `0x${"ab".repeat(20)}`,
    decimals: 18,
    maxSupply: "1000000",
    balanceUnit: "5e-4",
    asOf: token.asOf ?? "2026-01-01T00:00:00Z",
    build: token.build ?? "0123456789abcdef",
    created: "2026-01-01T00:00:00Z",
    engine: "test",
    inputs: [],
    counts: { transfers: 0, mints: 0, burns: 0, addresses: 0 },
    ...(token.checked && { checked: token.checked }),
    ...(token.freshness && { freshness: token.freshness }),
    ...(token.price && { price: token.price }),
    ...(token.labels && { labels: token.labels }),
    ...(token.deposits && { deposits: token.deposits }),
    ...(token.corrections && { corrections: token.corrections }),
    ...(token.predecessors && { predecessors: token.predecessors }),
    ...(token.lots && { lots: Object.fromEntries(token.lots.map((method, i) => [method, { lots: i + 1 }])) }),
    ...(token.own && {
      cohorts: Object.fromEntries(
        token.own.map((cohort, i) => [cohort, { sha256: "0".repeat(64), addresses: i + 2, holders: i + 1 }]),
      ),
    }),
    ...(token.holders && (await publishHolders(bucket, token.symbol, token.holders))),
    ...(token.transfers && { transfers: await publishTransfers(bucket, token.symbol, token.transfers) }),
    ...(token.events && { events: token.events }),
    ...(token.distributions && { distributions: await publishDistributions(bucket, token) }),
    resolutions: {
      day: buckets("day"),
      ...(written.hour ? { hour: buckets("hour") } : {}),
      ...(written.block ? { block: blocks(written.block) } : {}),
      ...(written.week ? { week: buckets("week") } : {}),
      ...(written.month ? { month: buckets("month") } : {}),
    },
  };
  const text = JSON.stringify(manifest);
  const published = parseManifest(text);
  await bucket.put(currentKey(token.symbol), text, {
    customMetadata: { catalog: JSON.stringify(catalogEntry(published, token.activation)) },
  });
  return (await afterwards?.(token.symbol)) ?? published;
}

async function publishDistributions(bucket: Bucket, { symbol, distributions, lots, lotDistributions }: Token) {
  const ofLots = LOT_DISTRIBUTIONS.filter((name) => lots?.includes(partsOfDistribution(name).method!));
  const published = DISTRIBUTION_RESOLUTIONS.map(async (resolution) => {
    const series = [
      ...DISTRIBUTION_NAMES.map((name) => ({ name, runs: distributions!(name, resolution) })),
      ...ofLots.map((name) => ({ name, runs: lotDistributions?.(name, resolution) ?? [] })),
    ];
    // Many series have the same times.
    const times = new Set(series.flatMap(({ runs }) => runs.map(({ t }) => t)));
    const years = [...new Set([...times].flatMap((t) => Array.from(t, (time) => yearStart(time))))].sort(
      (a, b) => a - b,
    );
    const entries = years.map(async (from): Promise<DistributionYear> => {
      const [year, to] = [String(new Date(from * 1000).getUTCFullYear()), nextYearStart(from)];
      const objects = {} as DistributionYear["objects"];
      const entriesOfLots: NonNullable<DistributionYear["lots"]> = {};
      for (const { name, runs } of series) {
        const own = runs.flatMap(({ selector, t, v }) => {
          const [first, end] = [lowerBound(t, t.length, from), lowerBound(t, t.length, to)];
          return first < end ? [{ selector, t: t.subarray(first, end), v: v.subarray(first, end) }] : [];
        });
        const file = seriesFile(symbol, { name, unit: VARIOUS_UNITS }, resolution, year, own);
        const entry = file?.entry ?? { rows: 0 as const };
        if (isLotDistribution(name)) entriesOfLots[name] = entry;
        else objects[name] = entry;
        if (!file) continue;
        const key = seriesKey(symbol, resolution, name, year, file.entry.hash);
        await bucket.put(key, file.bytes, { sha256: file.entry.hash });
      }
      return { name: year, from, to, objects, ...(lots && { lots: entriesOfLots }) };
    });
    return [resolution, await Promise.all(entries)];
  });
  return Object.fromEntries(await Promise.all(published));
}

function blocks(periods: ManifestPeriod[]) {
  const [first, last] = [periods[0]!.from, periods.at(-1)!.to - 1];
  return { first: { block: 0, t: first }, last: { block: 1, t: last }, periods };
}

async function publishPeriod(
  bucket: Bucket,
  { symbol, series, metrics, own, lots }: Token,
  resolution: Resolution,
  { name, from, to }: Period,
): Promise<ManifestPeriod> {
  const entries: ManifestPeriod["metrics"] = {};
  const ownEntries: NonNullable<ManifestPeriod["own"]> = {};
  const isPublished = (metric: Metric) =>
    resolutionsOf(metric).includes(resolution) &&
    (metrics === undefined || metrics.includes(metric.name as MetricName));
  /** @param as what the object calls the series */
  const runsOf = (metric: MetricName, selector: string, as: string) => {
    const points = series(metric, resolution, selector).filter(({ t }) => t >= from && t < to);
    if (points.length === 0) return [];
    // From the points themselves, with a function, each array would take several times as long.
    return [
      {
        selector: as,
        t: new Float64Array(points.map(({ t }) => t)),
        v: new Float64Array(points.map(({ v }) => v)),
        ...(resolution === "block" && { block: new Float64Array(points.map(({ block }, index) => block ?? index)) }),
      },
    ];
  };
  const put = async (of: { name: TableOf; unit: SeriesUnit }, series: Series[]) => {
    const file = seriesFile(symbol, of, resolution, name, series);
    if (!file) return { rows: 0 as const };
    const key = seriesKey(symbol, resolution, of.name, name, file.entry.hash);
    await bucket.put(key, file.bytes, { sha256: file.entry.hash });
    return file.entry;
  };
  for (const metric of METRICS.filter(isPublished)) {
    const runs = seriesOf(metric).flatMap((selector) => runsOf(metric.name, selector, selector));
    entries[metric.name] = await put(metric, runs);
  }
  for (const cohort of own ?? []) {
    const runs = OWN_METRICS.filter(isPublished).flatMap((metric) => runsOf(metric.name, cohort, metric.name));
    ownEntries[cohort] = await put({ name: cohort, unit: VARIOUS_UNITS }, runs);
  }
  const lotEntries: NonNullable<ManifestPeriod["lots"]> = {};
  for (const method of lots ?? []) {
    const runs = METRICS.filter(isPublished).flatMap((metric) =>
      lotSelectors(method, lotCohortsOf(metric.name)).flatMap((selector) =>
        runsOf(metric.name, selector, lotSeries(metric.name, selector)),
      ),
    );
    lotEntries[method] = await put({ name: method, unit: VARIOUS_UNITS }, runs);
  }
  return { name, from, to, metrics: entries, ...(own && { own: ownEntries }), ...(lots && { lots: lotEntries }) };
}
