/**
 * The check before a build is activated: what can be checked without reading anything back. `Publication` checks that
 * the store has every object. Own cohorts and lots are left to `verify`: the last stage keeps nothing of their objects once
 * they are written, and every night would read three back for each method, decode all days, and hold them beside those of
 * addresses. That is 2 MB, half a second and 12 MB of memory for three years.
 */

import {
  BUCKET_SECONDS,
  byWhole,
  CALENDAR_RESOLUTIONS,
  METRICS,
  type MetricName,
  metricByName,
  monthStart,
  RESOLUTION_FACTS,
  type WholeResolution,
  weekStart,
} from "../../../data-schema/registry.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import type { Series } from "../../engine/series.ts";
import { advisedBuild } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { decodeSeries } from "../objects/decode-series.ts";
import type { WholeObject, WholeSeries } from "../objects/encode-series.ts";
import { boundsOf, pointProblems } from "./check-points.ts";
import { manifestProblems } from "./manifest-problems.ts";
import { bySelector, type SeriesByMetric } from "./rules/series-columns.ts";
import { daysBetween, solveAll } from "./rules/solve.ts";
import { compareWithDays } from "./rules/weeks-from-days.ts";

/** Problems that a failure quotes; of more, it gives their number. */
const MAX_QUOTED = 5;

/**
 * Whether all points are checked, and not the new ones alone: those of a full build, and those of the first build after the
 * end of a week, so that what a night passes over is found within seven days.
 *
 * @param resumed the end of the days that the build before has published, Unix seconds; undefined for a full build
 */
export function isWholeCheck({ resolutions }: Pick<Manifest, "resolutions">, resumed: number | undefined): boolean {
  const { last } = resolutions.day;
  return resumed === undefined || (last !== null && weekStart(last + BUCKET_SECONDS.day) > weekStart(resumed));
}

/** From when on points are needed to check those since a time: the week and the month that are open then, and a day before. */
export const recentSince = (resumed = Number.POSITIVE_INFINITY): number =>
  Number.isFinite(resumed)
    ? Math.min(weekStart(resumed), monthStart(resumed), resumed - BUCKET_SECONDS.day)
    : Number.POSITIVE_INFINITY;

/**
 * Checks a build before it is activated: its manifest, and docs/methodology.md §8 on its days, weeks and months. Unless the
 * check is a whole one, points before `resumed` are left out: they were checked by the build that added them, and were read
 * from objects that were compared with their hashes.
 *
 * @param path of its ASSET.json
 * @param whole the day, week and month objects: every day object, and those of the others that are new
 * @param resumed as in `isWholeCheck`
 * @throws {Failure} with what is wrong
 */
export function verifyBeforeSwap(path: string, manifest: Manifest, whole: WholeSeries, resumed?: number): void {
  const since = isWholeCheck(manifest, resumed) ? undefined : resumed;
  const problems = [...manifestProblems(manifest), ...wholeProblems(manifest, whole, since)];
  if (problems.length === 0) return;
  const quoted = problems.slice(0, MAX_QUOTED).map((problem) => `\n  ${problem}`);
  if (problems.length > MAX_QUOTED) quoted.push(`\n  … and ${problems.length - MAX_QUOTED} more.`);
  throw new Failure(
    `${manifest.symbol}: build ${manifest.build} is wrong and was not published; the active build stays. ` +
      `Run ${advisedBuild(path, "--full")}; if that fails, too, report it. What is wrong:${quoted.join("")}`,
  );
}

/**
 * The days of a build, checked against docs/methodology.md §8, and its weeks and months, checked against the days.
 *
 * @param since only what is new since then, Unix seconds
 */
function wholeProblems(manifest: Manifest, whole: WholeSeries, since?: number): string[] {
  const { highestPrice, resolutions } = manifest;
  const { first, last } = resolutions.day;
  if (first === null || last === null) return [];
  const problems: string[] = [];
  const runsOf: RunsOf = since === undefined ? ({ bytes }) => decodeSeries(bytes) : ({ recent }) => recent;
  const series = byWhole((resolution) => seriesOf(manifest, resolution, whole[resolution], runsOf, problems));
  const days = series.day;
  const before = since === undefined ? first : Math.max(first, since - BUCKET_SECONDS.day);
  const context = { days: daysBetween(before, last), checkedDays: since !== undefined && before < since ? 1 : 0 };
  for (const problem of solveAll("day", days, { ...context, highestPrice }).problems) problems.push(problem);
  for (const resolution of CALENDAR_RESOLUTIONS) {
    const { first, last } = resolutions[resolution] ?? { first: null, last: null };
    // Weeks and months that are the same as in the last build were checked then.
    if (first === null || last === null || whole[resolution].size === 0) continue;
    const firstNew = since === undefined ? first : Math.max(first, RESOLUTION_FACTS[resolution].start(since));
    for (const problem of compareWithDays(resolution, series[resolution], days, { first: firstNew, last }).problems) {
      problems.push(problem);
    }
  }
  return problems;
}

type RunsOf = (object: WholeObject) => readonly Series[];

/** The series of a resolution with one period; what is wrong with their points is added to the problems. */
function seriesOf(
  manifest: Manifest,
  resolution: WholeResolution,
  objects: ReadonlyMap<MetricName, WholeObject>,
  runsOf: RunsOf,
  problems: string[],
): SeriesByMetric {
  const [period] = manifest.resolutions[resolution]?.periods ?? [];
  const none = new Map<string, Series>();
  const series = new Map(METRICS.map(({ name }): [MetricName, Map<string, Series>] => [name, none]));
  if (!period) return series;
  const bounds = boundsOf(manifest, resolution, period);
  for (const [metric, object] of objects) {
    try {
      const runs = runsOf(object);
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
