/**
 * The check before a build is activated: what can be checked without reading anything back. `Publication` checks that
 * the store has every object.
 */

import type { Manifest } from "../../data-schema/manifest.ts";
import { METRICS, type MetricName, metricByName } from "../../data-schema/metrics.ts";
import type { SeriesRun } from "../engine/series.ts";
import { Failure } from "../failure.ts";
import { decodeSeries } from "../output/decode.ts";
import { bySelector } from "./columns.ts";
import { manifestProblems } from "./manifest.ts";
import { boundsOf, pointProblems } from "./points.ts";
import { daysBetween, solveAll } from "./solve.ts";

/** Problems that a failure quotes; of more, it gives their number. */
const MAX_QUOTED = 5;

/**
 * Checks a build before it is activated: its manifest, and docs/methodology.md §8 on its days.
 *
 * @param days bytes of every day object
 * @throws {Failure} with what is wrong
 */
export function verifyBeforeSwap(manifest: Manifest, days: ReadonlyMap<MetricName, Uint8Array>): void {
  const problems = [...manifestProblems(manifest), ...dayProblems(manifest, days)];
  if (problems.length === 0) return;
  const quoted = problems.slice(0, MAX_QUOTED).map((problem) => `\n  ${problem}`);
  if (problems.length > MAX_QUOTED) quoted.push(`\n  … and ${problems.length - MAX_QUOTED} more.`);
  throw new Failure(
    `${manifest.symbol}: build ${manifest.build} is wrong and was not published; the active build stays. ` +
      `Build again with --full; if that fails, too, report it. What is wrong:${quoted.join("")}`,
  );
}

/** The days of a build, checked against docs/methodology.md §8. */
function dayProblems(manifest: Manifest, days: ReadonlyMap<MetricName, Uint8Array>): string[] {
  const { highestPrice, resolutions } = manifest;
  const { first, last, periods } = resolutions.day;
  const [period] = periods;
  if (first === null || last === null || !period) return [];
  const bounds = boundsOf(manifest, "day", period);
  const problems: string[] = [];
  const none = new Map<string, SeriesRun>();
  const series = new Map(METRICS.map(({ name }): [MetricName, Map<string, SeriesRun>] => [name, none]));
  for (const [metric, bytes] of days) {
    try {
      const runs = decodeSeries(bytes);
      problems.push(...pointProblems(metricByName(metric), "day", runs, bounds).map((text) => `${metric}: ${text}.`));
      series.set(metric, bySelector(runs));
    } catch (error) {
      problems.push(`${metric}: ${(error as Error).message}.`);
      series.delete(metric);
    }
  }
  return [...problems, ...solveAll("day", series, { days: daysBetween(first, last), highestPrice }).problems];
}
