/** The path of a file → what it names. Nothing else of the bucket has such a path. */

import {
  DISTRIBUTION_NAMES,
  isDistribution,
  isDistributionResolution,
  isLotDistribution,
  isLotMethod,
  isOwnCohort,
  LOT_DISTRIBUTIONS,
  METRICS,
  RESOLUTION_FACTS,
  RESOLUTIONS,
  type Resolution,
  resolutionsOf,
} from "../../data-schema/registry.ts";
import { type ManifestObject, type SeriesOf, seriesKey, seriesPrefix } from "../../data-schema/stored.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem } from "../problems/problem.ts";

/** A series object by its name. Whether there is one is not known yet. */
export interface FilePath {
  resolution: Resolution;
  /** The metric, own cohort, method of lots or distribution whose series it has. */
  metric: SeriesOf;
  period: string;
  /** First 32 hex digits of the SHA-256 of its bytes. */
  hash: string;
}

/** The path of all files. */
export const FILES_PATH = "/v3/files/";

/** The periods of distributions. */
const YEAR = /^\d{4}$/;

const FORM = "A file's path is /v3/files/<ASSET>/<resolution>/<metric>/<period>.<hash>.parquet.";

/**
 * The file that the parts of a path name.
 *
 * @throws {Problem} 404 unknown-file, with what could stand there
 */
export function filePath(resolution: string, metric: string, file: string): FilePath {
  const ofResolution = chosen(resolution, RESOLUTIONS, "There is no such resolution.");
  const metrics = METRICS.filter((one) => resolutionsOf(one).includes(ofResolution)).map((one) => one.name);
  const distributions = isDistributionResolution(ofResolution) ? [...DISTRIBUTION_NAMES, ...LOT_DISTRIBUTIONS] : [];
  const ofMetric =
    isOwnCohort(metric) || isLotMethod(metric)
      ? metric
      : chosen(metric, [...metrics, ...distributions], `There is no such metric by ${ofResolution}.`);
  const [, period = "", hash = ""] = file.match(/^([\d-]+|all)\.([0-9a-f]{32})\.parquet$/) ?? [];
  const periods =
    isDistribution(ofMetric) || isLotDistribution(ofMetric) ? YEAR : RESOLUTION_FACTS[ofResolution].period;
  if (!periods.test(period)) {
    throw new Problem("unknown-file", `${FORM} GET /v3/files/<ASSET> lists those there are.`);
  }
  return { resolution: ofResolution, metric: ofMetric, period, hash };
}

function chosen<T extends string>(written: string, allowed: readonly T[], detail: string): T {
  const known = allowed.find((candidate) => candidate === written);
  if (known !== undefined) return known;
  throw new Problem("unknown-file", `${detail} ${FORM}`, { allowed, suggestion: nearest(written, allowed) });
}

/** The path of a listed object below that of its asset's files. */
export function pathOf({ symbol, key }: ManifestObject): string {
  return key.slice(seriesPrefix(symbol).length);
}

/** The path of an asset's files. */
export function filesPath(symbol: string): string {
  return `${FILES_PATH}${symbol}`;
}

/** The key of a file's object. */
export function fileKey(symbol: string, { resolution, metric, period, hash }: FilePath): string {
  return seriesKey(symbol, resolution, metric, period, hash);
}
