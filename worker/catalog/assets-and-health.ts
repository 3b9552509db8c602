/** What the published manifests say: GET /v1/assets, the assets, and GET /health, how old their data is. */

import { balanceEdgesInTokens } from "../../data-schema/asset.ts";
import { SCHEMA_VERSION } from "../../data-schema/parquet.ts";
import { RESOLUTIONS, type Resolution, V1_RESOLUTIONS } from "../../data-schema/registry.ts";
import {
  type CatalogEntry,
  catalogEntry,
  DEFAULT_FRESHNESS,
  type Manifest,
  MOST_AGE_SECONDS,
} from "../../data-schema/stored.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import type { Context } from "../context.ts";
import type { Isolate } from "../isolate.ts";
import { manifestFaults } from "../locate/check.ts";
import { listAssets } from "../locate/listed-assets.ts";
import { locate } from "../locate/locate.ts";
import { Problem } from "../problems/problem.ts";
import type { ProblemType } from "../problems/problems.ts";
import { VERSION } from "../version.ts";

/**
 * The entry of every asset, and the symbols of those whose manifest cannot be read. One whose manifest is damaged or
 * missing has no entry.
 *
 * @throws {Problem} 503 the store is out of reach
 */
async function catalogEntries(context: Context): Promise<{ entries: CatalogEntry[]; unreadable: string[] }> {
  const assets = await listAssets(context);
  const faults = new Map(await manifestFaults(assets, context));
  const found = assets.map(async ({ symbol, entry }) => {
    if (faults.get(symbol)?.type === "damaged-data") return [];
    if (entry !== undefined) return [entry];
    try {
      return [catalogEntry(await locate(symbol, context))];
    } catch (error) {
      if (!(error instanceof Problem && LEFT_OUT.includes(error.type))) throw error;
      if (error.type === "damaged-data") faults.set(symbol, error);
      return [];
    }
  });
  const entries = (await Promise.all(found)).flat();
  return { entries, unreadable: assets.map(({ symbol }) => symbol).filter((symbol) => faults.has(symbol)) };
}

const LEFT_OUT: readonly ProblemType[] = ["unsupported-asset", "removed-asset", "damaged-data"];

/** /v1/assets is frozen: members that stored entries gain later, such as `checked` and the range of weeks, are not in it. */
export async function assetCatalog(context: Context) {
  const { entries } = await catalogEntries(context);
  return { assets: entries.map((entry) => describedAsset(entry, V1_RESOLUTIONS)) };
}

/** The assets of v3: with all resolutions, and what tells how far to trust the data. */
export async function tableAssetCatalog(context: Context) {
  const { entries } = await catalogEntries(context);
  return { assets: entries.map((entry) => describedTableAsset(entry, context)) };
}

/** One of them. */
export async function tableAsset(active: Manifest, context: Context) {
  const listed = (await listAssets(context)).find(({ symbol }) => symbol === active.symbol);
  return describedTableAsset(listed?.entry ?? catalogEntry(active), context);
}

const describedTableAsset = (entry: CatalogEntry, { isolate, now }: Context) => ({
  ...describedAsset(entry, RESOLUTIONS),
  was: formerSymbols(entry.symbol, isolate.removals),
  ...qualityOf(entry, now()),
});

/** The symbols that an asset had before; undefined without. */
function formerSymbols(symbol: string, removals: Isolate["removals"]): string[] | undefined {
  const former = Array.from(removals, ([name, { became }]) => (became === symbol ? [name] : [])).flat();
  return former.length === 0 ? undefined : former.sort();
}

/** @param resolutions whose ranges it gives */
function describedAsset(
  { symbol, name, chain, contract, decimals, asOf, build, balanceUnit, ranges }: CatalogEntry,
  resolutions: readonly Resolution[],
) {
  return {
    symbol,
    name,
    chain,
    contract,
    decimals,
    asOf,
    build,
    ranges: Object.fromEntries(
      resolutions.flatMap((resolution) => {
        const range = ranges[resolution];
        return range === undefined
          ? []
          : [[resolution, { first: isoTimeWithoutZone(range[0]), last: isoTimeWithoutZone(range[1]) }]];
      }),
    ),
    balanceEdges: balanceEdgesInTokens(balanceUnit),
  };
}

/**
 * How old the data is, how long it took to come, and what is known of its sources. JSON leaves out what is undefined.
 *
 * @param now milliseconds. The age is in hours, so that the document, and its ETag, change once an hour
 */
function qualityOf(entry: CatalogEntry, now: number) {
  const {
    asOf,
    activation,
    checked,
    freshness = DEFAULT_FRESHNESS,
    price,
    corrections,
    predecessors,
    labels,
    cohorts,
    lots,
    events,
  } = entry;
  return {
    ageHours: Math.max(0, Math.floor((now - Date.parse(asOf)) / 3_600_000)),
    freshness,
    activated: activation?.at,
    knownSince: activation?.knownSince,
    nights: nightsOf(entry),
    checked,
    priceProof: priceProofOf(entry),
    price: price && { first: isoTimeWithoutZone(price.first), last: isoTimeWithoutZone(price.last), ...gapsOf(price) },
    corrections: corrections && {
      count: corrections.count,
      last: corrections.last.map(({ t, ...correction }) => ({ t: isoTimeWithoutZone(t), ...correction })),
    },
    predecessors,
    labels,
    deposits: depositsOf(entry),
    cohorts:
      cohorts &&
      Object.entries(cohorts)
        .map(([selector, [addresses, holders] = [0, 0]]) => ({ selector, addresses, holders }))
        .toSorted((a, b) => (a.selector < b.selector ? -1 : 1)),
    lots,
    events,
  };
}

/** How many deposit addresses there are, and how many of them each exchange has, the most first. */
function depositsOf({ deposits }: CatalogEntry) {
  if (!deposits) return undefined;
  const { asOf, exchanges, others = 0, inflowShare } = deposits;
  const list = Object.entries(exchanges)
    .map(([exchange, addresses = 0]) => ({ exchange, addresses }))
    .toSorted((a, b) => b.addresses - a.addresses || (a.exchange < b.exchange ? -1 : 1));
  return { asOf, addresses: list.reduce((sum, one) => sum + one.addresses, others), exchanges: list, inflowShare };
}

/** How long after its end the data of the last times was out, ascending. */
const nightsOf = ({ activation }: CatalogEntry) =>
  activation?.nights.map(([asOf, latencySeconds]) => ({ asOf: isoTimeWithoutZone(asOf), latencySeconds }));

const priceProofOf = ({ priceProof }: CatalogEntry) =>
  priceProof && { ...priceProof, since: isoTimeWithoutZone(priceProof.since) };

const gapsOf = ({ gaps, moreGaps }: NonNullable<CatalogEntry["price"]>) => ({
  gaps: gaps.map(([from, to]) => ({ from: isoTimeWithoutZone(from), to: isoTimeWithoutZone(to) })),
  moreGaps,
});

/**
 * The state of each asset: how old its data is, and whether that meets its target; how long the last publications took,
 * what was checked before the last one, and what is missing.
 *
 * @throws {Problem} 503 the store is out of reach
 */
export async function status(context: Context) {
  const { entries, unreadable } = await catalogEntries(context);
  const assets = entries.map((entry) => {
    const { symbol, name, asOf, activation, checked, freshness = DEFAULT_FRESHNESS, price } = entry;
    const ageSeconds = Math.max(0, Math.floor((context.now() - Date.parse(asOf)) / 1000));
    const mostAgeSeconds = MOST_AGE_SECONDS[freshness];
    return {
      symbol,
      name,
      asOf,
      ageSeconds,
      freshness,
      mostAgeSeconds,
      isFresh: ageSeconds <= mostAgeSeconds,
      activated: activation?.at,
      publications: nightsOf(entry) ?? [],
      checked,
      priceProof: priceProofOf(entry),
      prices: price && gapsOf(price),
    };
  });
  const isFresh = assets.every((asset) => asset.isFresh);
  return {
    status: unreadable.length > 0 ? "degraded" : isFresh ? "ok" : "late",
    assets,
    unreadable: unreadable.length === 0 ? undefined : unreadable,
  };
}

/**
 * Whether the store and every manifest can be read, and how old the data is.
 *
 * @param maxAge how old it may be, in seconds, or each asset's own target; null if that does not matter
 * @throws {Problem} 503 the store is out of reach
 */
export async function health(context: Context, maxAge: number | "target" | null) {
  const { entries, unreadable } = await catalogEntries(context);
  const ageOf = ({ asOf }: CatalogEntry) => Math.floor((context.now() - Date.parse(asOf)) / 1000);
  const mostOf = ({ freshness = DEFAULT_FRESHNESS }: CatalogEntry) =>
    maxAge === "target" ? MOST_AGE_SECONDS[freshness] : (maxAge ?? Number.POSITIVE_INFINITY);
  const late = entries.filter((entry) => ageOf(entry) > mostOf(entry)).map(({ symbol }) => symbol);
  return {
    status: unreadable.length > 0 ? "degraded" : late.length > 0 ? "late" : "ok",
    version: VERSION,
    schema: SCHEMA_VERSION,
    assets: entries.map((entry) => {
      const { symbol, asOf, build } = entry;
      return { symbol, asOf, ageSeconds: ageOf(entry), build };
    }),
    late: late.length === 0 ? undefined : late,
    // JSON leaves out what is undefined.
    unreadable: unreadable.length === 0 ? undefined : unreadable,
  };
}
