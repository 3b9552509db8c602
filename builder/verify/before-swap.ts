/** The check between writing a build and putting it in force: what can be known without reading anything back. */

import { createHash } from "node:crypto";
import { listedSeries, type Manifest } from "../../data-schema/manifest.ts";
import { METRICS, type MetricName, metricByName } from "../../data-schema/metrics.ts";
import { checkpointPrefix, seriesPrefix } from "../../data-schema/objects.ts";
import type { SeriesRun } from "../engine/series.ts";
import { Failure } from "../failure.ts";
import { decodeSeries } from "../output/decode.ts";
import type { ObjectStore } from "../store/store.ts";
import { listingProblems, references } from "./listing.ts";
import { manifestProblems } from "./manifest.ts";
import { boundsOf, pointProblems } from "./points.ts";
import { bySelector } from "./series.ts";
import { daysBetween, solveAll } from "./solve.ts";

/** Problems that a failure tells in full; of more, their number. */
const MOST_TOLD = 5;

/**
 * Checks a build before it is put in force: its manifest, that everything it refers to is in the store, and §8 of the
 * methodology on its days.
 *
 * @param days bytes of every day object that there is
 * @param md5s hex MD5 by key of what this build has written, as far as it is known
 * @throws {Failure} what is wrong; nothing has been published
 */
export async function verifyBeforeSwap(
  store: ObjectStore,
  manifest: Manifest,
  days: ReadonlyMap<MetricName, Uint8Array>,
  md5s: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const problems = [
    ...manifestProblems(manifest),
    ...(await missingObjects(store, manifest, days, md5s)),
    ...dayProblems(manifest, days),
  ];
  if (problems.length === 0) return;
  const told = problems.slice(0, MOST_TOLD).map((problem) => `\n  ${problem}`);
  if (problems.length > MOST_TOLD) told.push(`\n  … and ${problems.length - MOST_TOLD} more.`);
  throw new Failure(
    `${manifest.symbol}: build ${manifest.build} is not right, and was not published; what was in force stays so. ` +
      `Build again with --full; if that fails likewise, report it. What is wrong:${told.join("")}`,
  );
}

async function missingObjects(
  store: ObjectStore,
  manifest: Manifest,
  days: ReadonlyMap<MetricName, Uint8Array>,
  md5s: ReadonlyMap<string, string>,
): Promise<string[]> {
  const { symbol, checkpoint } = manifest;
  const prefixes = [seriesPrefix(symbol), ...(checkpoint ? [checkpointPrefix(symbol)] : [])];
  const listings = await Promise.all(prefixes.map((prefix) => store.list(prefix)));
  const known = new Map(md5s);
  for (const { key, resolution, metric } of listedSeries(manifest)) {
    const bytes = resolution === "day" ? days.get(metric) : undefined;
    if (bytes) known.set(key, createHash("md5").update(bytes).digest("hex"));
  }
  return listingProblems(references(manifest), new Map(listings.flatMap((listing) => [...listing])), known);
}

/** The days of a build, held against §8. */
function dayProblems(manifest: Manifest, days: ReadonlyMap<MetricName, Uint8Array>): string[] {
  const { first, last, periods } = manifest.resolutions.day;
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
  return [...problems, ...solveAll("day", series, daysBetween(first, last)).problems];
}
