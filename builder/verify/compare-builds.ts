/** The last build against the one before it: what `history.ts` says of their manifests and their days. */

import type { Manifest } from "../../data-schema/manifest.ts";
import { METRICS, type MetricName } from "../../data-schema/metrics.ts";
import { seriesKey } from "../../data-schema/objects.ts";
import type { ReadBuild } from "../builds/builds.ts";
import type { SeriesRun } from "../engine/series.ts";
import { decodeSeries } from "../output/decode.ts";
import type { ObjectStore } from "../store/store.ts";
import { changesBetween, firstRestatedDay, restatedDays, restatedPeriods } from "./history.ts";
import { bySelector, type Series } from "./series.ts";

export interface History {
  /** The earlier build. */
  build: string;
  /** What differs in periods that were sealed, a line each. */
  restated: string[];
  /** What the two builds were made of that may explain it. */
  changes: string[];
  /** Why days were not compared. */
  note?: string;
}

/** The newest of the other builds of the same token that were made before. */
export function earlierBuild(manifest: Manifest, builds: readonly ReadBuild[]): Manifest | undefined {
  const { build, contract, chain, created } = manifest;
  return builds
    .flatMap((other) => other.manifest ?? [])
    .filter((other) => other.build !== build && other.contract === contract && other.chain === chain)
    .filter((other) => other.created <= created)
    .sort((a, b) => Date.parse(b.created) - Date.parse(a.created))[0];
}

/** @param days the day series of the later build */
export async function compareBuilds(
  store: ObjectStore,
  manifest: Manifest,
  earlier: Manifest,
  days: Series,
): Promise<History> {
  const { first, missing } = await restatedMetrics(store, manifest, earlier, days);
  return {
    build: earlier.build,
    restated: [...restatedDays(first), ...restatedPeriods(manifest, earlier)],
    changes: changesBetween(manifest, earlier),
    ...(missing > 0 && { note: `${missing} of its day objects are gone or damaged, and were not compared` }),
  };
}

/** The first day that differs, of each metric that has one, up to the last day of the earlier build. */
async function restatedMetrics(store: ObjectStore, manifest: Manifest, earlier: Manifest, days: Series) {
  const first = new Map<MetricName, number>();
  let missing = 0;
  const [before, now] = [earlier, manifest].map(({ resolutions }) => resolutions.day.periods.at(0)?.metrics);
  const { last } = earlier.resolutions.day;
  for (const { name } of METRICS) {
    const [a, b] = [before, now].map((metrics) => {
      const entry = metrics?.[name];
      return entry && "hash" in entry ? entry.hash : undefined;
    });
    if (last === null || a === b) continue;
    const runs = a === undefined ? [] : await readDays(store, seriesKey(earlier.symbol, "day", name, "all", a));
    if (!runs) missing++;
    const read = days.get(name);
    if (!runs || !read) continue;
    const day = firstRestatedDay(read, bySelector(runs), last);
    if (day !== undefined) first.set(name, day);
  }
  return { first, missing };
}

/** Undefined when the object is gone, or can't be read. */
async function readDays(store: ObjectStore, key: string): Promise<SeriesRun[] | undefined> {
  const object = await store.get(key);
  try {
    return object && decodeSeries(object.bytes);
  } catch {
    return undefined;
  }
}
