/** What the log of what was known says of a build, and what follows from it. */

import { isLotSelector, methodOf } from "../registry/lots.ts";
import { isOwnCohort, type OwnCohort } from "../registry/own-cohorts.ts";
import { RESOLUTIONS, type Resolution } from "../registry/resolutions.ts";
import type { KnownLine } from "./known-log.ts";
import { lotMethodsOf } from "./manifest/listed-objects.ts";
import { isOlderThan, type Manifest } from "./manifest/manifest.ts";

/** First and last bucket of a build, or the times of its first and last block, Unix seconds; null if it has none. */
export function rangeIn({ resolutions }: Manifest, resolution: Resolution): [first: number, last: number] | null {
  if (resolution === "block") {
    const { first, last } = resolutions.block ?? { first: null, last: null };
    return first && last ? [first.t, last.t] : null;
  }
  const { first, last } = resolutions[resolution] ?? { first: null, last: null };
  return first !== null && last !== null ? [first, last] : null;
}

/** The line of an activation. */
export function knownLine(manifest: Manifest, n: number, at: string, replaced: string | null): KnownLine {
  const { build, asOf, engine, resolutions, cohorts, lots } = manifest;
  const published = RESOLUTIONS.filter((resolution) => resolutions[resolution] !== undefined);
  const ranges = Object.fromEntries(published.map((resolution) => [resolution, rangeIn(manifest, resolution)]));
  return {
    n,
    at,
    build,
    asOf,
    engine,
    ranges,
    ...(cohorts && { cohorts: (Object.keys(cohorts) as OwnCohort[]).sort() }),
    ...(lots && { lots: lotMethodsOf(manifest) }),
    ...(replaced !== null && { replaced }),
  };
}

/** When builds were last activated, by id. @param lines ascending */
export const lastActivations = (lines: readonly KnownLine[]): Map<string, string> =>
  new Map(lines.map(({ build, at }) => [build, at]));

/** Whether an activation published a series. */
export function publishes(line: KnownLine, resolution: Resolution, metric: string, selector: string): boolean {
  if (line.ranges[resolution] === undefined) return false;
  if (isOwnCohort(selector) && !line.cohorts?.includes(selector)) return false;
  if (isLotSelector(selector) && !line.lots?.includes(methodOf(selector))) return false;
  return !isOlderThan(line, metric) && !isOlderThan(line, selector);
}
