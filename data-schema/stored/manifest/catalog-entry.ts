/** What lists say of a manifest: its short forms in the metadata of objects. Source: docs/formats.md#manifest. */

import * as v from "valibot";
import type { OwnCohort } from "../../registry/own-cohorts.ts";
import { byResolution, RESOLUTIONS } from "../../registry/resolutions.ts";
import { type Activation, activationSchema } from "../changes.ts";
import { bucketStart, lotMethod, ownSelector, positive, wholeCount } from "../fields.ts";
import { FRESHNESS } from "../freshness.ts";
import { lotMethodsOf } from "./listed-objects.ts";
import {
  type Manifest,
  manifestSchema,
  type OwnCohortFacts,
  type PublishedCorrection,
  type PublishedDeposits,
} from "./manifest.ts";

/** The catalog has so many corrected prices, the last by time, and so many characters of their reasons, since its place is small. */
export const MAX_LISTED_CORRECTIONS = 3;
const LISTED_REASON = 80;

/** The catalog names so many exchanges with deposit addresses, since its place is small. */
export const MAX_DEPOSIT_EXCHANGES = 12;

const of = manifestSchema.entries;

/** First and last point. */
const range = v.tuple([bucketStart, bucketStart]);

const catalogEntrySchema = v.object({
  ...v.pick(manifestSchema, ["symbol", "name", "chain", "contract", "decimals", "balanceUnit", "asOf", "build"])
    .entries,
  /** First and last point per resolution, Unix seconds. */
  ranges: v.object(byResolution(() => v.exactOptional(range))),
  checked: v.exactOptional(of.checked.wrapped),
  priceProof: v.exactOptional(of.priceProof.wrapped),
  freshness: v.exactOptional(v.picklist(FRESHNESS)),
  price: v.exactOptional(of.price.wrapped),
  /** How many there are, and the last of them. */
  corrections: v.exactOptional(
    v.strictObject({ count: positive, last: v.pipe(of.corrections.wrapped, v.maxLength(MAX_LISTED_CORRECTIONS)) }),
  ),
  predecessors: v.exactOptional(of.predecessors.wrapped),
  labels: v.exactOptional(of.labels.wrapped),
  /** The exchanges with the most deposit addresses, and how many the others have together: the catalog's place is small. */
  deposits: v.exactOptional(
    v.strictObject({ ...v.omit(of.deposits.wrapped, ["table"]).entries, others: v.exactOptional(positive) }),
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
