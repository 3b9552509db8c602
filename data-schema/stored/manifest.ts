/**
 * The manifest: what one build of one asset published. It lists every object, with what a reader needs to read it in
 * ranges and to check that its bytes are those that were written. Source: docs/formats.md#manifest.
 */

import * as v from "valibot";
import { BALANCE_UNIT_PATTERN, MAX_DECIMALS, MAX_SUPPLY_PATTERN, SYMBOL_PATTERN } from "../asset.ts";
import { HOLDING_TERMS } from "../registry/cohorts.ts";
import {
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  type DistributionName,
  isDistribution,
  isLotDistribution,
  LOT_DISTRIBUTIONS,
  type LotDistribution,
} from "../registry/distributions.ts";
import { EXCHANGE_SELECTORS } from "../registry/exchanges.ts";
import { isLotMethod, LOT_METHODS, type LotMethod } from "../registry/lots.ts";
import { METRICS, type MetricName } from "../registry/metrics.ts";
import { isOwnCohort, type OwnCohort } from "../registry/own-cohorts.ts";
import {
  type BucketResolution,
  byCalendar,
  byHourMultiple,
  byResolution,
  RESOLUTION_FACTS,
  RESOLUTIONS,
  type Resolution,
} from "../registry/resolutions.ts";
import { eventsSchema } from "./calendar-events.ts";
import { type Activation, activationSchema } from "./changes.ts";
import {
  bucketStart,
  buildIdField,
  hash,
  iso,
  lotMethod,
  MOST_SECONDS,
  ownSelector,
  periodNameField,
  positive,
  wholeCount,
} from "./fields.ts";
import { FRESHNESS } from "./freshness.ts";
import { holdersSchema } from "./holders/holder-objects.ts";
import { publishedTransfersSchema } from "./large-transfers.ts";
import { seriesKey } from "./objects.ts";
import { type StoredSeries, storedSeries } from "./stored-series.ts";

/** Version of the manifests that are written. Source: docs/formats-changelog.md. */
export const MANIFEST_VERSION = 2;

/** Versions of manifests that can be read. 1 has neither weeks, nor months, nor prices, nor all of an object's digest. */
const READABLE_VERSIONS = [1, MANIFEST_VERSION] as const;

/** A manifest and the catalog name so many gaps of the price, since the catalog's place is small. */
export const MAX_PRICE_GAPS = 10;

/** The catalog has so many corrected prices, the last by time, and so many characters of their reasons, since its place is small. */
export const MAX_LISTED_CORRECTIONS = 3;
const LISTED_REASON = 80;

/** The catalog names so many exchanges with deposit addresses, for the same reason. */
export const MAX_DEPOSIT_EXCHANGES = 12;

/** Length of the longest version of shipped labels. */
export const MAX_LABELS_VERSION = 64;

/** Unix seconds, from 1970 to the end of 9999. */
const seconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MOST_SECONDS));

/** `{ rows: 0 }` for a metric without a row in the period, which has no object. */
const seriesObject = v.union([v.strictObject({ rows: v.literal(0) }), storedSeries]);

/** Bucket starts that fall into [from, to), Unix seconds. */
const period = v.strictObject({
  name: periodNameField,
  from: bucketStart,
  to: seconds,
  metrics: v.record(v.picklist(METRICS.map((metric) => metric.name)), seriesObject),
  /** The object of each own cohort; absent without. */
  own: v.exactOptional(v.record(ownSelector, seriesObject)),
  /** The object of each method of lots; absent without. */
  lots: v.exactOptional(v.record(lotMethod, seriesObject)),
});

/** The buckets that begin in a calendar year, [from, to) in Unix seconds, and the object of each distribution. */
const distributionYear = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^\d{4}$/)),
  from: bucketStart,
  to: seconds,
  objects: v.record(v.picklist(DISTRIBUTION_NAMES), seriesObject),
  /** The objects of distributions of lots; absent without. */
  lots: v.exactOptional(v.record(v.picklist(LOT_DISTRIBUTIONS), seriesObject)),
});

/** Whether periods follow each other without a gap and cover every time from first to last. */
function covers(periods: readonly { from: number; to: number }[], first: number | null, last: number | null): boolean {
  const [start, end] = [periods.at(0), periods.at(-1)];
  if (first === null || last === null) return first === last && !start;
  if (!start || !end) return false;
  const isGapless = periods.every(({ from, to }, i) => from < to && (i === 0 || periods[i - 1]!.to === from));
  return isGapless && start.from <= first && first <= last && last < end.to;
}

/** First and last complete bucket, by their starts in Unix seconds; null if no bucket is complete. */
const buckets = (resolution: BucketResolution) => {
  const bucket = v.nullable(
    v.pipe(
      bucketStart,
      v.check((seconds) => RESOLUTION_FACTS[resolution].start(seconds) === seconds),
    ),
  );
  return v.pipe(
    v.strictObject({ first: bucket, last: bucket, periods: v.array(period) }),
    v.check(({ first, last, periods }) => covers(periods, first, last)),
  );
};

/** A block with an event: number and time; null if there is none. */
const blockPoint = v.nullable(v.strictObject({ block: wholeCount, t: seconds }));

const blocks = v.pipe(
  v.strictObject({ first: blockPoint, last: blockPoint, periods: v.array(period) }),
  v.check(({ first, last, periods }) => covers(periods, first?.t ?? null, last?.t ?? null)),
);

/**
 * Holders whose balances were compared with the chain's before the build, of all, and the block of the comparison. A
 * sample is less than all. Source: docs/chain.md#the-check.
 */
const checked = v.strictObject({
  block: wholeCount,
  holders: wholeCount,
  of: wholeCount,
  since: v.exactOptional(wholeCount),
});

/**
 * So many pools and feeds said the same as the logs from which the prices of all hours since were computed, and at which
 * block they were compared. Source: docs/chain.md#the-proof-of-prices.
 */
const priceProof = v.strictObject({ block: wholeCount, since: seconds, pools: wholeCount, feeds: wholeCount });

/** A range of time: from and to, Unix seconds. */
const stretch = v.tuple([seconds, seconds]);

/** Observations of the price before `asOf`, and the longest stretches without one that last more than seven days. */
const price = v.strictObject({
  first: seconds,
  last: seconds,
  /** The gaps, each from the last price before to the next one, or to `asOf`; ascending. */
  gaps: v.pipe(v.array(stretch), v.maxLength(MAX_PRICE_GAPS)),
  /** Gaps beyond those; absent if there are none. */
  moreGaps: v.optional(positive),
});

/** Prices that the operator has set, ascending: from when on each counts, USD per token, and why. Source: docs/building.md#corrected-prices. */
const corrections = v.array(
  v.strictObject({ t: seconds, usd: v.pipe(v.number(), v.finite(), v.minValue(0)), reason: v.string() }),
);

/** A share: at most 1, to six decimals. */
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** What labelled addresses hold and move, by the days up to the last complete one; builder/engine/calendar/coverage.ts says how. */
const labelCoverage = {
  /** Digest of the user's own files, as of `inputs`; absent without. */
  sha256: v.exactOptional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
  /** Labelled addresses. */
  addresses: wholeCount,
  /** Addresses that have held the token, and that hold it. These and the shares are absent while no day is complete. */
  held: v.exactOptional(wholeCount),
  holders: v.exactOptional(wholeCount),
  /** Shares of all tokens, and of the volume of the last 365 days; absent if there were none. */
  supplyShare: v.exactOptional(share),
  volumeShare: v.exactOptional(share),
};

/** Exchanges and contracts, each if there is a list of them. */
const labels = v.strictObject({
  exchanges: v.exactOptional(
    v.strictObject({
      /** The version of the exchange labels that ship with Soprano; absent without. */
      version: v.exactOptional(v.pipe(v.string(), v.maxLength(MAX_LABELS_VERSION))),
      ...labelCoverage,
    }),
  ),
  contracts: v.exactOptional(v.strictObject(labelCoverage)),
});

/** Deposit addresses of exchanges. Source: docs/formats.md#deposit-addresses. */
const deposits = v.strictObject({
  /** What the table was computed for, and the table; absent where the operator names a file. */
  asOf: v.exactOptional(iso),
  table: v.exactOptional(v.strictObject({ hash, size: positive })),
  /** Deposit addresses of each exchange, by its name. */
  exchanges: v.record(v.picklist(EXCHANGE_SELECTORS), positive),
  /** The share of the last 365 days' inflow of exchanges that arrived at them; absent while that is not known, or nothing did. */
  inflowShare: v.exactOptional(share),
});

/** A week or month that is not complete: what its days add up to, by metric. As in a checkpoint. */
const openBucket = v.strictObject({ from: bucketStart, sums: v.record(v.string(), v.array(v.number())) });

/** An own cohort: the list that it was made from, and who of it holds the token. */
const ownCohort = v.strictObject({
  /** SHA-256, hex, of the addresses on the list. */
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** On the list. */
  addresses: wholeCount,
  /** Addresses on the list that hold the token at `asOf`. */
  holders: wholeCount,
  /** From which the next build goes on; under `builds/` only, and absent while no day is complete. */
  open: v.exactOptional(v.strictObject(byCalendar(() => openBucket))),
});

/** An input file, by its key in ASSET.json (`role`), with its SHA-256 in hex. */
const inputFile = v.strictObject({
  role: v.string(),
  file: v.string(),
  sha256: v.string(),
  bytes: wholeCount,
  rows: wholeCount,
});

/** The files of a role, in numbers; `sha256` is a digest of the list. */
const inputSummary = v.strictObject({
  role: v.string(),
  files: wholeCount,
  bytes: wholeCount,
  rows: wholeCount,
  sha256: v.string(),
});

/** How holders of an old contract got the tokens of the new one. Source: docs/migrations.md. */
export const MIGRATION_RULES = ["swap", "snapshot"] as const;
export type MigrationRuleName = (typeof MIGRATION_RULES)[number];

/** Contracts that a token had before: its history begins with their transfers. Source: docs/migrations.md. */
const predecessors = v.array(
  v.strictObject({
    contract: v.pipe(v.string(), v.regex(/^0x[0-9a-f]{40}$/)),
    /** Old tokens to new ones, `OLD:NEW`. */
    ratio: v.string(),
    by: v.picklist(MIGRATION_RULES),
    /** The last block of the old contract that counts; absent while tokens are still swapped. */
    until: v.exactOptional(wholeCount),
  }),
);

const manifestSchema = v.strictObject({
  schema: v.picklist(READABLE_VERSIONS),
  symbol: v.pipe(v.string(), v.regex(SYMBOL_PATTERN)),
  name: v.string(),
  chain: v.string(),
  contract: v.pipe(v.string(), v.regex(/^0x[0-9a-f]{40}$/)),
  decimals: v.pipe(wholeCount, v.maxValue(MAX_DECIMALS)),
  maxSupply: v.pipe(v.string(), v.regex(MAX_SUPPLY_PATTERN)),
  /** The unit T of the balance cohorts in whole tokens, as a decimal such as `6e-1`. */
  balanceUnit: v.pipe(v.string(), v.regex(BALANCE_UNIT_PATTERN)),
  /** Events before this time are included. */
  asOf: iso,
  /** Derived from the inputs and the engine's version, not from a clock. */
  build: buildIdField,
  created: iso,
  /** What the build resumed from, or why it was a full build. */
  reason: v.optional(v.string()),
  engine: v.string(),
  /** Under `builds/`, and in version 1, each file; in `current/` a summary for each role. */
  inputs: v.array(v.union([inputFile, inputSummary])),
  /** Events of the whole history, and holders at `asOf`. Builds of 0.1 counted addresses, not holders. */
  counts: v.object({ transfers: wholeCount, mints: wholeCount, burns: wholeCount, holders: v.optional(wholeCount) }),
  /** Before `asOf`, USD per token: the scale for the rounding of costs. 0 without prices. */
  highestPrice: v.optional(v.pipe(v.number(), v.finite(), v.minValue(0))),
  /** Absent if the transfers were not compared with the chain. No part of the build's id. */
  checked: v.optional(checked),
  /** Absent if the prices were not computed from pools, or not proven. No part of the build's id. */
  priceProof: v.optional(priceProof),
  /** How fresh the data should be; absent if ASSET.json does not say. No part of the build's id. */
  freshness: v.optional(v.picklist(FRESHNESS)),
  /** Absent without prices. */
  price: v.optional(price),
  /** Absent where no price is corrected. */
  corrections: v.exactOptional(corrections),
  /** The contracts that the token had before, the oldest first; absent without. */
  predecessors: v.exactOptional(predecessors),
  /** Absent without labels, and in version 1. */
  labels: v.optional(labels),
  /** Absent without deposit addresses. */
  deposits: v.exactOptional(deposits),
  /** Own cohorts; absent without. */
  cohorts: v.exactOptional(v.record(ownSelector, ownCohort)),
  /** Methods of lots, and how many lots there are at the last close; absent without. */
  lots: v.exactOptional(v.record(lotMethod, v.strictObject({ lots: wholeCount }))),
  /** What the next build can resume from; absent if no day is complete. */
  checkpoint: v.optional(
    v.strictObject({
      hash,
      size: v.pipe(wholeCount, v.minValue(12)),
      /** The transfers of the week and the month that are open; absent if there are none. */
      transfers: v.exactOptional(v.strictObject({ hash, size: v.pipe(wholeCount, v.minValue(12)) })),
      /** The lots of each method; absent without. */
      lots: v.exactOptional(v.record(lotMethod, v.strictObject({ hash, size: v.pipe(wholeCount, v.minValue(12)) }))),
    }),
  ),
  resolutions: v.strictObject({
    ...byHourMultiple((resolution) => v.optional(buckets(resolution))),
    day: buckets("day"),
    hour: v.optional(buckets("hour")),
    block: v.optional(blocks),
    /** Version 1 of the format has no weeks and months; version 2 always has. */
    ...byCalendar((resolution) => v.optional(buckets(resolution))),
  }),
  /** The years of the distributions, ascending; absent in builds that are older than they. */
  distributions: v.exactOptional(
    v.strictObject(
      Object.fromEntries(
        DISTRIBUTION_RESOLUTIONS.map((resolution) => [resolution, v.array(distributionYear)]),
      ) as Record<(typeof DISTRIBUTION_RESOLUTIONS)[number], v.ArraySchema<typeof distributionYear, undefined>>,
    ),
  ),
  /** What serves holders; absent if no day is complete, and in builds that are older than it. */
  holders: v.exactOptional(holdersSchema),
  /** Absent if no day is complete, and in builds that are older than it. */
  transfers: v.exactOptional(publishedTransfersSchema),
  /** The operator's calendar; absent without events. */
  events: v.exactOptional(eventsSchema),
});

export type Manifest = v.InferOutput<typeof manifestSchema>;
export type PriceRange = v.InferOutput<typeof price>;
export type PublishedLabels = v.InferOutput<typeof labels>;
export type LabelCoverage = NonNullable<PublishedLabels["contracts"]>;
type PublishedCorrection = v.InferOutput<typeof corrections>[number];
export type PublishedDeposits = v.InferOutput<typeof deposits>;
export type InputSummary = v.InferOutput<typeof inputSummary>;
export type Checked = v.InferOutput<typeof checked>;
export type PricesProven = v.InferOutput<typeof priceProof>;
export type OwnCohortFacts = v.InferOutput<typeof ownCohort>;
export type DistributionYear = v.InferOutput<typeof distributionYear>;
export type ManifestPeriod = v.InferOutput<typeof period>;
export type SeriesObject = v.InferOutput<typeof seriesObject>;

/** The engine with which a metric or selector came: builds of those before lack it. */
const CAME_WITH: ReadonlyMap<string, number> = new Map([
  ...HOLDING_TERMS.map((term) => [term, 4] as const),
  ...METRICS.filter(({ selectors, kind }) => selectors.v1 === undefined && kind !== "price").map(
    ({ name, cameWith = 4 }) => [name, cameWith] as const,
  ),
]);

/** What made a build. */
export type BuildEngine = Pick<Manifest, "engine">;

/** Whether a build is older than a metric or selector, so that it has no series of it. */
export const isOlderThan = ({ engine }: BuildEngine, name: string): boolean =>
  Number(engine) < (CAME_WITH.get(name) ?? 0);

/** Whether an object holds series of several metrics, so that its values have no unit in common. */
export const hasVariousUnits = (of: string): boolean =>
  [isOwnCohort, isLotMethod, isDistribution, isLotDistribution].some((is) => is(of));

/** What an object holds the series of. */
export type SeriesOf = TableOf | DistributionName | LotDistribution;
/** What periods list, unlike distributions: series that are read by themselves. */
export type TableOf = MetricName | OwnCohort | LotMethod;

/** A series object that a manifest lists, and its key. */
export interface ManifestSeries<Of extends SeriesOf = MetricName> {
  key: string;
  symbol: string;
  resolution: Resolution;
  metric: Of;
  period: Pick<ManifestPeriod, "name" | "from" | "to">;
  entry: StoredSeries;
}

/** Any object that holds series. */
export type ManifestObject = ManifestSeries<SeriesOf>;

/** Every series object of a metric that a manifest lists: by resolution, by period, in registry order. */
export const listedSeries = (manifest: Manifest, resolutions = RESOLUTIONS): Generator<ManifestSeries> =>
  listedIn(
    manifest,
    METRICS.map(({ name }) => name),
    resolutions,
  );

/** Every object of an own cohort that a manifest lists. */
export const listedOwn = (manifest: Manifest, resolutions = RESOLUTIONS): Generator<ManifestSeries<OwnCohort>> =>
  listedIn(manifest, Object.keys(manifest.cohorts ?? {}) as OwnCohort[], resolutions);

/** The methods of lots of a build. */
export const lotMethodsOf = ({ lots = {} }: Pick<Manifest, "lots">): LotMethod[] =>
  LOT_METHODS.filter((method) => lots[method] !== undefined);

/** Every object of a method of lots that a manifest lists. */
export const listedLots = (manifest: Manifest, resolutions = RESOLUTIONS): Generator<ManifestSeries<LotMethod>> =>
  listedIn(manifest, lotMethodsOf(manifest), resolutions);

/** The objects of each kind of table that periods list. */
export const LISTED = { metrics: listedSeries, own: listedOwn, lots: listedLots };

/** Every object of a distribution that a manifest lists. */
export function* listedDistributions({
  symbol,
  distributions,
}: Manifest): Generator<ManifestSeries<DistributionName | LotDistribution>> {
  for (const resolution of DISTRIBUTION_RESOLUTIONS) {
    for (const year of distributions?.[resolution] ?? []) {
      for (const name of [...DISTRIBUTION_NAMES, ...LOT_DISTRIBUTIONS]) {
        yield* distributionIn(symbol, resolution, name, year);
      }
    }
  }
}

/** The object of a distribution and a year; none if the year has no row of it. */
export function distributionIn<Of extends DistributionName | LotDistribution>(
  symbol: string,
  resolution: Resolution,
  name: Of,
  { objects, lots, ...period }: DistributionYear,
): ManifestSeries<Of>[] {
  const entry = isLotDistribution(name) ? lots?.[name] : objects[name as DistributionName];
  return listedAs(symbol, resolution, name, period, entry);
}

/** Every object that readers need. */
export function* listedObjects(manifest: Manifest): Generator<ManifestObject> {
  yield* listedSeries(manifest);
  yield* listedOwn(manifest);
  yield* listedLots(manifest);
  yield* listedDistributions(manifest);
}

function* listedIn<Of extends TableOf>(
  { symbol, resolutions }: Manifest,
  all: readonly Of[],
  wanted: readonly Resolution[],
): Generator<ManifestSeries<Of>> {
  for (const resolution of wanted) {
    for (const period of resolutions[resolution]?.periods ?? []) {
      for (const of of all) yield* listedOf(symbol, resolution, of, period);
    }
  }
}

/** What a period says of a metric, an own cohort, or a method of lots; undefined if it does not list it. */
export function entryOf({ metrics, own, lots }: ManifestPeriod, of: TableOf): SeriesObject | undefined {
  if (isOwnCohort(of)) return own?.[of];
  return isLotMethod(of) ? lots?.[of] : metrics[of];
}

/** The object of a metric, an own cohort, or a method of lots, and a period; none if the period does not list it, or has no row of it. */
export function listedOf<Of extends TableOf>(
  symbol: string,
  resolution: Resolution,
  of: Of,
  period: ManifestPeriod,
): ManifestSeries<Of>[] {
  return listedAs(symbol, resolution, of, period, entryOf(period, of));
}

function listedAs<Of extends SeriesOf>(
  symbol: string,
  resolution: Resolution,
  of: Of,
  period: ManifestSeries["period"],
  entry: SeriesObject | undefined,
): ManifestSeries<Of>[] {
  if (!entry || !("hash" in entry)) return [];
  const key = seriesKey(symbol, resolution, of, period.name, entry.hash);
  return [{ key, symbol, resolution, metric: of, period, entry }];
}

/** A manifest that this version cannot read. The message names the field, but not its value. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

/**
 * Reads a manifest.
 *
 * @throws {ManifestError} not JSON, another schema version, or a field that is missing, unknown or malformed
 */
export function parseManifest(text: string): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ManifestError("the manifest is not JSON");
  }
  const version = (json as { schema?: unknown } | null)?.schema;
  if (!READABLE_VERSIONS.some((known) => known === version)) {
    throw new ManifestError(
      `the manifest has schema version ${JSON.stringify(version)}, this reader knows ${READABLE_VERSIONS.join(" and ")}`,
    );
  }
  const result = v.safeParse(manifestSchema, json);
  if (!result.success) {
    const path = v.getDotPath(result.issues[0]) ?? "the manifest";
    throw new ManifestError(`the manifest's field ${path} is missing, unknown or malformed`);
  }
  return result.output;
}

/** First and last point. */
const range = v.tuple([bucketStart, bucketStart]);

const catalogEntrySchema = v.object({
  ...v.pick(manifestSchema, ["symbol", "name", "chain", "contract", "decimals", "balanceUnit", "asOf", "build"])
    .entries,
  /** First and last point per resolution, Unix seconds. */
  ranges: v.object(byResolution(() => v.exactOptional(range))),
  checked: v.exactOptional(checked),
  priceProof: v.exactOptional(priceProof),
  freshness: v.exactOptional(v.picklist(FRESHNESS)),
  price: v.exactOptional(price),
  /** How many there are, and the last of them. */
  corrections: v.exactOptional(
    v.strictObject({ count: positive, last: v.pipe(corrections, v.maxLength(MAX_LISTED_CORRECTIONS)) }),
  ),
  predecessors: v.exactOptional(predecessors),
  labels: v.exactOptional(labels),
  /** The exchanges with the most deposit addresses, and how many the others have together: the catalog's place is small. */
  deposits: v.exactOptional(
    v.strictObject({ ...v.omit(deposits, ["table"]).entries, others: v.exactOptional(positive) }),
  ),
  /** For each own cohort, the addresses on its list, and how many of them hold the token. */
  cohorts: v.exactOptional(v.record(ownSelector, v.tuple([wholeCount, wholeCount]))),
  /** Its methods of lots; absent without. */
  lots: v.exactOptional(v.array(lotMethod)),
  /** How many events its calendar has; absent without. */
  events: v.exactOptional(positive),
  /** Absent in builds of 0.2 and before. */
  activation: v.exactOptional(activationSchema),
});

/** What the catalog says of an asset: the custom metadata `catalog` (JSON) of `current/<SYMBOL>.json`. */
export type CatalogEntry = v.InferOutput<typeof catalogEntrySchema>;

/** The short form of a manifest, and of its activation. */
export function catalogEntry(manifest: Manifest, activation?: Activation): CatalogEntry {
  const { symbol, name, chain, contract, decimals, balanceUnit, asOf, build, resolutions } = manifest;
  const { checked, priceProof, freshness, price, corrections, predecessors, labels } = manifest;
  const { deposits, cohorts, events } = manifest;
  const ranges: CatalogEntry["ranges"] = {};
  for (const resolution of RESOLUTIONS) {
    if (resolution === "block") continue;
    const { first, last } = resolutions[resolution] ?? { first: null, last: null };
    if (first !== null && last !== null) ranges[resolution] = [first, last];
  }
  const { block } = resolutions;
  if (block?.first && block.last) ranges.block = [block.first.t, block.last.t];
  return {
    symbol,
    name,
    chain,
    contract,
    decimals,
    balanceUnit,
    asOf,
    build,
    ranges,
    ...(checked && { checked }),
    ...(priceProof && { priceProof }),
    ...(freshness && { freshness }),
    ...(price && { price }),
    ...(corrections && { corrections: correctionsInShort(corrections) }),
    ...(predecessors && { predecessors }),
    ...(labels && { labels }),
    ...(deposits && { deposits: depositsInShort(deposits) }),
    ...(cohorts && { cohorts: inShort(cohorts) }),
    ...(manifest.lots && { lots: lotMethodsOf(manifest) }),
    ...(events && { events: events.length }),
    ...(activation && { activation }),
  };
}

function correctionsInShort(all: readonly PublishedCorrection[]): NonNullable<CatalogEntry["corrections"]> {
  const last = all.slice(-MAX_LISTED_CORRECTIONS).map(({ reason, ...correction }) => {
    const isLong = reason.length > LISTED_REASON;
    return { ...correction, reason: isLong ? `${reason.slice(0, LISTED_REASON - 1).toWellFormed()}…` : reason };
  });
  return { count: all.length, last };
}

function depositsInShort({ table: _, exchanges, ...facts }: PublishedDeposits): NonNullable<CatalogEntry["deposits"]> {
  // A sort keeps the order of equal ones, which is that of the registry.
  const byCount = Object.entries(exchanges).sort(([, a], [, b]) => b - a);
  const others = byCount.slice(MAX_DEPOSIT_EXCHANGES).reduce((sum, [, addresses]) => sum + addresses, 0);
  const listed = Object.fromEntries(byCount.slice(0, MAX_DEPOSIT_EXCHANGES));
  return { ...facts, exchanges: listed, ...(others > 0 && { others }) };
}

function inShort(cohorts: NonNullable<Manifest["cohorts"]>): NonNullable<CatalogEntry["cohorts"]> {
  const entries = Object.entries(cohorts) as [OwnCohort, OwnCohortFacts][];
  return Object.fromEntries(entries.map(([name, { addresses, holders }]) => [name, [addresses, holders]]));
}

/** Reads the custom metadata; undefined if there is none, or if another version wrote it. */
export function parseCatalogEntry(text: string | undefined): CatalogEntry | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), catalogEntrySchema), text);
  return result.success ? result.output : undefined;
}

const buildSummarySchema = v.pick(manifestSchema, ["asOf", "created", "engine", "reason"]);

/** What a list call shows of a build: the custom metadata `build` (JSON) of `builds/<SYMBOL>/<build>.json`. */
export type BuildSummary = v.InferOutput<typeof buildSummarySchema>;

/** A reason names files: custom metadata has a place for so many characters of it. */
const REASON_CHARACTERS = 500;

/** The short form of a recorded manifest. */
export function buildSummary({ asOf, created, engine, reason }: Manifest): BuildSummary {
  return { asOf, created, engine, ...(reason !== undefined && { reason: reason.slice(0, REASON_CHARACTERS) }) };
}

/** Reads the custom metadata; undefined if there is none, or if another version wrote it. */
export function parseBuildSummary(text: string | undefined): BuildSummary | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), buildSummarySchema), text);
  return result.success ? result.output : undefined;
}
