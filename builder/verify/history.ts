/**
 * One build against an earlier one: what was complete then should be the same now. Where it is not, history was
 * *restated*: by corrected or late rows, other labels or prices, or another engine.
 */

import type { Manifest, ManifestPeriod } from "../../data-schema/manifest.ts";
import { METRICS, type MetricName } from "../../data-schema/metrics.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import type { SeriesRun } from "../engine/series.ts";
import { timeText } from "./solve.ts";

/** Sealed periods of hours and blocks whose objects differ: a sentence each. */
export function restatedPeriods(manifest: Manifest, earlier: Manifest): string[] {
  return (["hour", "block"] as const).flatMap((resolution) => {
    const now = manifest.resolutions[resolution]?.periods;
    // Resolutions come and go as the asset file says.
    if (!now) return [];
    return sealedPeriods(earlier, resolution).flatMap((before) => restatedPeriod(resolution, before, now));
  });
}

/** The periods of a build that no later one adds points to. */
export function sealedPeriods({ asOf, resolutions }: Manifest, resolution: "hour" | "block"): ManifestPeriod[] {
  const periods = resolutions[resolution]?.periods ?? [];
  // The last period of blocks is open until its densest series is long enough, whenever that will be.
  if (resolution === "block") return periods.slice(0, -1);
  return periods.filter(({ to }) => to <= Date.parse(asOf) / 1000);
}

function restatedPeriod(resolution: Resolution, before: ManifestPeriod, now: readonly ManifestPeriod[]): string[] {
  const same = now.find(({ name }) => name === before.name);
  const what = `${resolution} ${before.name}`;
  if (same?.from !== before.from || same.to !== before.to) return [`${what}: the period has other ends, or is gone.`];
  const metrics = METRICS.filter(({ name }) => hashOf(same, name) !== hashOf(before, name)).map(({ name }) => name);
  return metrics.length === 0 ? [] : [`${what}: ${namesOf(metrics)}.`];
}

const hashOf = (period: ManifestPeriod, metric: MetricName) => {
  const entry = period.metrics[metric];
  return entry && "hash" in entry ? entry.hash : undefined;
};

/** Few metrics by their names, many by their number. */
function namesOf(metrics: readonly MetricName[]): string {
  return metrics.length <= 4
    ? metrics.join(", ")
    : `${metrics.length} metrics, such as ${metrics.slice(0, 3).join(", ")}`;
}

/**
 * The first day that differs; undefined when there is none.
 *
 * @param last the last complete day of the earlier build, Unix seconds
 */
export function firstRestatedDay(
  runs: ReadonlyMap<string, SeriesRun>,
  earlier: ReadonlyMap<string, SeriesRun>,
  last: number,
): number | undefined {
  let first = Number.POSITIVE_INFINITY;
  const none = { selector: "", t: new Float64Array(0), v: new Float64Array(0) };
  for (const selector of new Set([...runs.keys(), ...earlier.keys()])) {
    first = Math.min(first, firstDifference(runs.get(selector) ?? none, earlier.get(selector) ?? none));
  }
  return first <= last ? first : undefined;
}

/** The first time at which two runs differ; infinite when they do not. */
function firstDifference(a: SeriesRun, b: SeriesRun): number {
  for (let i = 0; i < a.t.length || i < b.t.length; i++) {
    if (a.t[i] !== b.t[i] || !Object.is(a.v[i], b.v[i])) return Math.min(a.t[i] ?? Infinity, b.t[i] ?? Infinity);
  }
  return Number.POSITIVE_INFINITY;
}

/** Days that were restated, in sentences: metrics that differ from the same day on are one. */
export function restatedDays(firstDays: ReadonlyMap<MetricName, number>): string[] {
  const metricsByDay = new Map<number, MetricName[]>();
  for (const [metric, day] of firstDays) metricsByDay.set(day, [...(metricsByDay.get(day) ?? []), metric]);
  return [...metricsByDay]
    .sort(([a], [b]) => a - b)
    .map(([day, metrics]) => `day, from ${timeText(day).slice(0, 10)} on: ${namesOf(metrics)}.`);
}

/** What two builds were made of that may explain it; empty when the manifests say nothing. */
export function changesBetween(manifest: Manifest, earlier: Manifest): string[] {
  const changes = (["engine", "decimals", "maxSupply", "contract", "chain"] as const)
    .filter((field) => manifest[field] !== earlier[field])
    .map((field) => `${field} ${earlier[field]} → ${manifest[field]}`);
  const digests = new Map(manifest.inputs.map(({ role, file, sha256 }) => [`${role} ${file}`, sha256]));
  const files = earlier.inputs
    .map(({ role, file, sha256 }) => ({ name: `${role} ${file}`, sha256 }))
    .filter(({ name, sha256 }) => digests.get(name) !== sha256)
    .map(({ name }) => `${name} ${digests.has(name) ? "changed" : "is gone"}`);
  return [...changes, ...files];
}
