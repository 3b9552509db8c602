/** Checks one object against its manifest. */

import { VARIOUS_UNITS } from "../../../data-schema/parquet.ts";
import {
  type DistributionResolution,
  isDistribution,
  isLotDistribution,
  isLotMethod,
  isOwnCohort,
  type MetricName,
  metricByName,
  type Resolution,
} from "../../../data-schema/registry.ts";
import { hasVariousUnits, type Manifest, type ManifestObject, type SeriesOf } from "../../../data-schema/stored.ts";
import { type Series, timesOf } from "../../engine/series.ts";
import type { StoredObject } from "../../store/store.ts";
import { byteProblems } from "../../store/stored-content.ts";
import { decodeObject } from "../objects/decode-series.ts";
import { type Bounds, boundsOf, pointProblems } from "./check-points.ts";
import { distributionProblems } from "./compare-distribution.ts";
import { lotProblems } from "./lot-rules.ts";
import { ownProblems } from "./own-cohort-rules.ts";

/**
 * Checks an object's bytes, its own entry, and its points.
 *
 * @returns a sentence for each problem; no runs when the object can't be read
 */
export function checkObject(
  manifest: Manifest,
  listed: ManifestObject,
  object: StoredObject,
): { problems: string[]; series?: Series[] } {
  const { key, resolution, metric, period } = listed;
  const problems = byteProblems(listed, object);
  // A damaged object is not worth decoding.
  if (problems.length > 0) return { problems };
  const wrong = (problem: string) => `${key}: ${problem}.`;
  try {
    const { info, series: runs } = decodeObject(object.bytes);
    const rows = runs.reduce((sum, { t }) => sum + t.length, 0);
    const { symbol } = manifest;
    const unit = hasVariousUnits(metric) ? VARIOUS_UNITS : metricByName(metric as MetricName).unit;
    const expected = { symbol, metric, resolution, unit, period: period.name };
    for (const [field, value] of Object.entries(expected)) {
      const found = info[field as keyof typeof expected];
      if (found !== value) problems.push(wrong(`its ${field} is ${found}, but the manifest says ${value}`));
    }
    const { entry } = listed;
    if (rows !== entry.rows) {
      problems.push(wrong(`it has ${rows} rows, but the manifest lists ${entry.rows}`));
    }
    const { first, last } = timesOf(runs);
    // Version 1 of the manifest lists neither.
    if (manifest.schema > 1 && (first !== entry.first || last !== entry.last)) {
      problems.push(wrong("its first or last t is not the one that the manifest lists"));
    }
    const bounds = boundsOf(manifest, resolution, period);
    for (const problem of problemsOf(metric, resolution, runs, bounds)) problems.push(wrong(problem));
    return { problems, series: runs };
  } catch (error) {
    return { problems: [wrong((error as Error).message)] };
  }
}

function problemsOf(of: SeriesOf, resolution: Resolution, series: readonly Series[], bounds: Bounds): string[] {
  if (isOwnCohort(of)) return ownProblems(of, resolution, series, bounds);
  if (isLotMethod(of)) return lotProblems(of, resolution, series, bounds);
  if (isDistribution(of) || isLotDistribution(of))
    return distributionProblems(of, resolution as DistributionResolution, series, bounds);
  return pointProblems(metricByName(of), resolution, series, bounds);
}
