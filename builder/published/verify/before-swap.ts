/**
 * The check before a build is activated: what can be checked without reading anything back. `Publication` checks that
 * the store has every object.
 */

import {
  byWhole,
  CALENDAR_RESOLUTIONS,
  METRICS,
  type MetricName,
  metricByName,
  type WholeResolution,
} from "../../../data-schema/registry.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import type { Series } from "../../engine/series.ts";
import { advisedBuild } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { decodeSeries } from "../objects/decode-series.ts";
import type { WholeSeries } from "../objects/encode-series.ts";
import { boundsOf, pointProblems } from "./check-points.ts";
import { manifestProblems } from "./manifest-problems.ts";
import { bySelector, type SeriesByMetric } from "./rules/series-columns.ts";
import { daysBetween, solveAll } from "./rules/solve.ts";
import { compareWithDays } from "./rules/weeks-from-days.ts";

/** Problems that a failure quotes; of more, it gives their number. */
const MAX_QUOTED = 5;

/**
 * Checks a build before it is activated: its manifest, and docs/methodology.md §8 on its days, weeks and months.
 *
 * @param path of its ASSET.json
 * @param whole bytes of the day, week and month objects: of every day object, and of the others that are new
 * @throws {Failure} with what is wrong
 */
export function verifyBeforeSwap(path: string, manifest: Manifest, whole: WholeSeries): void {
  const problems = [...manifestProblems(manifest), ...wholeProblems(manifest, whole)];
  if (problems.length === 0) return;
  const quoted = problems.slice(0, MAX_QUOTED).map((problem) => `\n  ${problem}`);
  if (problems.length > MAX_QUOTED) quoted.push(`\n  … and ${problems.length - MAX_QUOTED} more.`);
  throw new Failure(
    `${manifest.symbol}: build ${manifest.build} is wrong and was not published; the active build stays. ` +
      `Run ${advisedBuild(path, "--full")}; if that fails, too, report it. What is wrong:${quoted.join("")}`,
  );
}

/** The days of a build, checked against docs/methodology.md §8, and its weeks and months, checked against the days. */
function wholeProblems(manifest: Manifest, whole: WholeSeries): string[] {
  const { highestPrice, resolutions } = manifest;
  const { first, last } = resolutions.day;
  if (first === null || last === null) return [];
  const problems: string[] = [];
  const decoded = byWhole((resolution) => decode(manifest, resolution, whole[resolution], problems));
  const days = decoded.day;
  for (const problem of solveAll("day", days, { days: daysBetween(first, last), highestPrice }).problems)
    problems.push(problem);
  for (const resolution of CALENDAR_RESOLUTIONS) {
    const { first, last } = resolutions[resolution] ?? { first: null, last: null };
    // Weeks and months that are the same as in the last build were checked then.
    if (first === null || last === null || whole[resolution].size === 0) continue;
    for (const problem of compareWithDays(resolution, decoded[resolution], days, { first, last }).problems) {
      problems.push(problem);
    }
  }
  return problems;
}

/** Decodes the objects of a resolution with one period, and adds what is wrong with their points to the problems. */
function decode(
  manifest: Manifest,
  resolution: WholeResolution,
  objects: ReadonlyMap<MetricName, Uint8Array>,
  problems: string[],
): SeriesByMetric {
  const [period] = manifest.resolutions[resolution]?.periods ?? [];
  const none = new Map<string, Series>();
  const series = new Map(METRICS.map(({ name }): [MetricName, Map<string, Series>] => [name, none]));
  if (!period) return series;
  const bounds = boundsOf(manifest, resolution, period);
  for (const [metric, bytes] of objects) {
    try {
      const runs = decodeSeries(bytes);
      const wrong = pointProblems(metricByName(metric), resolution, runs, bounds);
      for (const problem of wrong.map((text) => `${metric}: ${text}.`)) problems.push(problem);
      series.set(metric, bySelector(runs));
    } catch (error) {
      problems.push(`${metric}: ${(error as Error).message}.`);
      series.delete(metric);
    }
  }
  return series;
}
