/**
 * The check between writing a build and putting it in force: what can be known without reading anything back. That
 * all it lists is in the store, its publication sees to.
 */

import type { Manifest } from "../../data-schema/manifest.ts";
import { METRICS, type MetricName, metricByName } from "../../data-schema/metrics.ts";
import type { SeriesRun } from "../engine/series.ts";
import { Failure } from "../failure.ts";
import { decodeSeries } from "../output/decode.ts";
import { manifestProblems } from "./manifest.ts";
import { boundsOf, pointProblems } from "./points.ts";
import { bySelector } from "./series.ts";
import { daysBetween, solveAll } from "./solve.ts";

/** Problems that a failure tells in full; of more, their number. */
const MOST_TOLD = 5;

/**
 * Checks a build before it is put in force: its manifest, and §8 of the methodology on its days.
 *
 * @param days bytes of every day object that there is
 * @throws {Failure} what is wrong
 */
export function verifyBeforeSwap(manifest: Manifest, days: ReadonlyMap<MetricName, Uint8Array>): void {
  const problems = [...manifestProblems(manifest), ...dayProblems(manifest, days)];
  if (problems.length === 0) return;
  const told = problems.slice(0, MOST_TOLD).map((problem) => `\n  ${problem}`);
  if (problems.length > MOST_TOLD) told.push(`\n  … and ${problems.length - MOST_TOLD} more.`);
  throw new Failure(
    `${manifest.symbol}: build ${manifest.build} is not right, and was not published; what was in force stays so. ` +
      `Build again with --full; if that fails likewise, report it. What is wrong:${told.join("")}`,
  );
}

/** The days of a build, held against §8. */
function dayProblems(manifest: Manifest, days: ReadonlyMap<MetricName, Uint8Array>): string[] {
  const { highestPrice, resolutions } = manifest;
  const { first, last, periods } = resolutions.day;
  if (first === null || last === null) return [];
  const bounds = boundsOf(manifest, "day", periods[0]);
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
