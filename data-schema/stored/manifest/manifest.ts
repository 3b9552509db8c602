/**
 * The manifest: what one build of one asset published. It lists every object, with what a reader needs to read it in
 * ranges and to check that its bytes are those that were written. Source: docs/formats.md#manifest.
 */

import * as v from "valibot";
import { BALANCE_UNIT_PATTERN, MAX_DECIMALS, MAX_SUPPLY_PATTERN, SYMBOL_PATTERN } from "../../asset.ts";
import { HOLDING_TERMS } from "../../registry/cohorts.ts";
import {
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  type DistributionName,
  isDistribution,
  isLotDistribution,
  LOT_DISTRIBUTIONS,
  type LotDistribution,
} from "../../registry/distributions.ts";
import { EXCHANGE_SELECTORS } from "../../registry/exchanges.ts";
import { isLotMethod, type LotMethod } from "../../registry/lots.ts";
import { METRICS, type MetricName } from "../../registry/metrics.ts";
import { isOwnCohort, type OwnCohort } from "../../registry/own-cohorts.ts";
import { type BucketResolution, byCalendar, byHourMultiple, RESOLUTION_FACTS } from "../../registry/resolutions.ts";
import { eventsSchema } from "../calendar-events.ts";
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
} from "../fields.ts";
import { FRESHNESS } from "../freshness.ts";
import { holdersSchema } from "../holders/holder-objects.ts";
import { publishedTransfersSchema } from "../large-transfers.ts";
import { packsField, placeField } from "../packs.ts";
import { storedSeries } from "../stored-series.ts";

/** Version of the manifests that are written. Source: docs/formats-changelog.md. */
export const MANIFEST_VERSION = 2;

/** Versions of manifests that can be read. 1 has neither weeks, nor months, nor prices, nor all of an object's digest. */
export const READABLE_VERSIONS = [1, MANIFEST_VERSION] as const;

/** A manifest and the catalog name so many gaps of the price, since the catalog's place is small. */
export const MAX_PRICE_GAPS = 10;

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
  table: v.exactOptional(v.strictObject({ hash, size: positive, at: placeField })),
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

/** A table of what the next build goes on with. */
const besideCheckpoint = v.strictObject({ hash, size: v.pipe(wholeCount, v.minValue(12)), at: placeField });

export const manifestSchema = v.strictObject({
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
      transfers: v.exactOptional(besideCheckpoint),
      /** The lots of each method; absent without. */
      lots: v.exactOptional(v.record(lotMethod, besideCheckpoint)),
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
  /** The packs that have the parts with an `at`; absent without such parts. */
  packs: v.exactOptional(packsField),
});

export type Manifest = v.InferOutput<typeof manifestSchema>;
export type PriceRange = v.InferOutput<typeof price>;
export type PublishedLabels = v.InferOutput<typeof labels>;
export type LabelCoverage = NonNullable<PublishedLabels["contracts"]>;
export type PublishedCorrection = v.InferOutput<typeof corrections>[number];
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
