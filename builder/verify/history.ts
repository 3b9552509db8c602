/**
 * Finds what a build *restated*: values that were complete in the previous build, and differ now. Late or corrected
 * rows restate history, and so do other labels, prices or engines.
 */

import type { Manifest, ManifestPeriod } from "../../data-schema/manifest.ts";
import { METRICS, type MetricName } from "../../data-schema/metrics.ts";
import { namePart } from "../../data-schema/objects.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import type { SeriesRun } from "../engine/series.ts";
import { timeText } from "./solve.ts";

/** A sentence for each sealed period of hours or blocks whose objects differ. */
export function restatedPeriods(manifest: Manifest, previous: Manifest): string[] {
  return (["hour", "block"] as const).flatMap((resolution) => {
    const now = manifest.resolutions[resolution]?.periods;
    // The asset file decides which resolutions there are.
    if (!now) return [];
    return sealedPeriods(previous, resolution).flatMap((before) => restatedPeriod(resolution, before, now));
  });
}

/** The periods of a build that no later build adds points to. */
export function sealedPeriods({ asOf, resolutions }: Manifest, resolution: "hour" | "block"): ManifestPeriod[] {
  const periods = resolutions[resolution]?.periods ?? [];
  // The last period of blocks stays open until its densest series is long enough.
  if (resolution === "block") return periods.slice(0, -1);
  return periods.filter(({ to }) => to <= Date.parse(asOf) / 1000);
}

function restatedPeriod(resolution: Resolution, before: ManifestPeriod, now: readonly ManifestPeriod[]): string[] {
  const same = now.find(({ name }) => name === before.name);
  const what = `${resolution} ${before.name}`;
  if (same?.from !== before.from || same.to !== before.to)
    return [`${what}: the period has other ends, or is missing.`];
  const metrics = METRICS.map(({ name }) => name)
    // A build of an earlier version may lack a metric: to add it restates nothing.
    .filter((name) => before.metrics[name] && hashOf(same, name) !== hashOf(before, name));
  return metrics.length === 0 ? [] : [`${what}: ${namesOf(metrics)}.`];
}

/** The hash in the name of a metric's object; undefined for a metric without points. */
export function hashOf(period: ManifestPeriod | undefined, metric: MetricName): string | undefined {
  const entry = period?.metrics[metric];
  return entry && "hash" in entry ? namePart(entry.hash) : undefined;
}

/** Names a few metrics, counts many. */
function namesOf(metrics: readonly MetricName[]): string {
  return metrics.length <= 4
    ? metrics.join(", ")
    : `${metrics.length} metrics, such as ${metrics.slice(0, 3).join(", ")}`;
}

/**
 * The first day that differs.
 *
 * @param last the last complete day of the previous build, Unix seconds
 */
export function firstRestatedDay(
  runs: ReadonlyMap<string, SeriesRun>,
  previous: ReadonlyMap<string, SeriesRun>,
  last: number,
): number | undefined {
  let first = Number.POSITIVE_INFINITY;
  const none = { selector: "", t: new Float64Array(0), v: new Float64Array(0) };
  for (const selector of new Set([...runs.keys(), ...previous.keys()])) {
    first = Math.min(first, firstDifference(runs.get(selector) ?? none, previous.get(selector) ?? none));
  }
  return first <= last ? first : undefined;
}

/** The first time at which two runs differ; infinite when they don't. */
function firstDifference(a: SeriesRun, b: SeriesRun): number {
  for (let i = 0; i < a.t.length || i < b.t.length; i++) {
    if (a.t[i] !== b.t[i] || !Object.is(a.v[i], b.v[i])) return Math.min(a.t[i] ?? Infinity, b.t[i] ?? Infinity);
  }
  return Number.POSITIVE_INFINITY;
}

/** A sentence for each day from which metrics differ. */
export function restatedDays(firstDays: ReadonlyMap<MetricName, number>): string[] {
  const metricsByDay = new Map<number, MetricName[]>();
  for (const [metric, day] of firstDays) metricsByDay.set(day, [...(metricsByDay.get(day) ?? []), metric]);
  return [...metricsByDay]
    .sort(([a], [b]) => a - b)
    .map(([day, metrics]) => `day, from ${timeText(day).slice(0, 10)} on: ${namesOf(metrics)}.`);
}

/** Changed inputs that may explain why two builds differ, from their manifests under `builds/`. */
export function changesBetween(manifest: Manifest, previous: Manifest): string[] {
  const changes = (["engine", "decimals", "maxSupply", "contract", "chain"] as const)
    .filter((field) => manifest[field] !== previous[field])
    .map((field) => `${field} ${previous[field]} → ${manifest[field]}`);
  const filesOf = ({ inputs }: Manifest) =>
    inputs.flatMap((input) => ("file" in input ? [{ name: `${input.role} ${input.file}`, sha256: input.sha256 }] : []));
  const digests = new Map(filesOf(manifest).map(({ name, sha256 }) => [name, sha256]));
  // Without its record, only the active manifest is known, which lists no files.
  const files = (digests.size === 0 ? [] : filesOf(previous))
    .filter(({ name, sha256 }) => digests.get(name) !== sha256)
    .map(({ name }) => `${name} ${digests.has(name) ? "changed" : "is missing"}`);
  return [...changes, ...files];
}
