/** The objects of series that a manifest lists. */

import type { DistributionName, LotDistribution } from "../../registry/distributions.ts";
import {
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  isLotDistribution,
  LOT_DISTRIBUTIONS,
} from "../../registry/distributions.ts";
import { isLotMethod, LOT_METHODS, type LotMethod } from "../../registry/lots.ts";
import { METRICS, type MetricName } from "../../registry/metrics.ts";
import { isOwnCohort, type OwnCohort } from "../../registry/own-cohorts.ts";
import { RESOLUTIONS, type Resolution } from "../../registry/resolutions.ts";
import { seriesKey } from "../objects.ts";
import { type Pack, packOf } from "../packs.ts";
import type { StoredSeries } from "../stored-series.ts";
import type { DistributionYear, Manifest, ManifestPeriod, SeriesObject, SeriesOf, TableOf } from "./manifest.ts";

/** A series object that a manifest lists, and its key. */
export interface ManifestSeries<Of extends SeriesOf = MetricName> {
  key: string;
  symbol: string;
  resolution: Resolution;
  metric: Of;
  period: Pick<ManifestPeriod, "name" | "from" | "to">;
  entry: StoredSeries;
  /** Absent if it is an object of its own. */
  pack?: Pack;
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
export function* listedDistributions(
  manifest: Manifest,
): Generator<ManifestSeries<DistributionName | LotDistribution>> {
  for (const resolution of DISTRIBUTION_RESOLUTIONS) {
    for (const year of manifest.distributions?.[resolution] ?? []) {
      for (const name of [...DISTRIBUTION_NAMES, ...LOT_DISTRIBUTIONS]) {
        yield* distributionIn(manifest, resolution, name, year);
      }
    }
  }
}

/** The object of a distribution and a year; none if the year has no row of it. */
export function distributionIn<Of extends DistributionName | LotDistribution>(
  manifest: Manifest,
  resolution: Resolution,
  name: Of,
  { objects, lots, ...period }: DistributionYear,
): ManifestSeries<Of>[] {
  const entry = isLotDistribution(name) ? lots?.[name] : objects[name as DistributionName];
  return listedAs(manifest, resolution, name, period, entry);
}

/** Every object that readers need. */
export function* listedObjects(manifest: Manifest): Generator<ManifestObject> {
  yield* listedSeries(manifest);
  yield* listedOwn(manifest);
  yield* listedLots(manifest);
  yield* listedDistributions(manifest);
}

function* listedIn<Of extends TableOf>(
  manifest: Manifest,
  all: readonly Of[],
  wanted: readonly Resolution[],
): Generator<ManifestSeries<Of>> {
  for (const resolution of wanted) {
    for (const period of manifest.resolutions[resolution]?.periods ?? []) {
      for (const of of all) yield* listedOf(manifest, resolution, of, period);
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
  manifest: Manifest,
  resolution: Resolution,
  of: Of,
  period: ManifestPeriod,
): ManifestSeries<Of>[] {
  return listedAs(manifest, resolution, of, period, entryOf(period, of));
}

function listedAs<Of extends SeriesOf>(
  manifest: Manifest,
  resolution: Resolution,
  of: Of,
  period: ManifestSeries["period"],
  entry: SeriesObject | undefined,
): ManifestSeries<Of>[] {
  if (!entry || !("hash" in entry)) return [];
  const { symbol } = manifest;
  const key = seriesKey(symbol, resolution, of, period.name, entry.hash);
  const pack = packOf(manifest, entry);
  return [{ key, symbol, resolution, metric: of, period, entry, ...(pack && { pack }) }];
}
