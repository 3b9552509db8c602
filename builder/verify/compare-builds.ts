/** Compares the active build with the previous one: their manifests and their days. */

import type { Manifest } from "../../data-schema/manifest.ts";
import { METRICS, type MetricName } from "../../data-schema/metrics.ts";
import { seriesKey } from "../../data-schema/objects.ts";
import type { ReadBuild } from "../builds/builds.ts";
import type { SeriesRun } from "../engine/series.ts";
import { decodeSeries } from "../output/decode.ts";
import type { ObjectStore } from "../store/store.ts";
import { bySelector, type Series } from "./columns.ts";
import { changesBetween, firstRestatedDay, hashOf, restatedDays, restatedPeriods } from "./history.ts";

export interface History {
  /** The previous build. */
  build: string;
  /** Differences in what was complete then, a line each. */
  restated: string[];
  /** Changed inputs that may explain them. */
  changes: string[];
  /** Why some days were not compared. */
  note?: string;
}

/** The newest build of the same token that was made before. */
export function previousBuild(manifest: Manifest, builds: readonly ReadBuild[]): Manifest | undefined {
  const { build, contract, chain, created } = manifest;
  return builds
    .flatMap((other) => other.manifest ?? [])
    .filter((other) => other.contract === contract && other.chain === chain)
    .filter((other) => other.build !== build && other.created <= created)
    .sort((a, b) => Date.parse(b.created) - Date.parse(a.created))[0];
}

/** @param days the day series of the active build */
export async function compareBuilds(
  store: ObjectStore,
  manifest: Manifest,
  previous: Manifest,
  days: Series,
): Promise<History> {
  /** The first day of each metric that differs, up to the last day of the previous build. */
  const first = new Map<MetricName, number>();
  let missing = 0;
  const hashIn = ({ resolutions }: Manifest, metric: MetricName) => hashOf(resolutions.day.periods[0], metric);
  const { last } = previous.resolutions.day;
  for (const { name } of METRICS) {
    const before = hashIn(previous, name);
    // A build of an earlier version may lack a metric: to add it restates nothing.
    const isListed = previous.resolutions.day.periods[0]?.metrics[name] !== undefined;
    if (last === null || !isListed || before === hashIn(manifest, name)) continue;
    const runs =
      before === undefined ? [] : await readDays(store, seriesKey(previous.symbol, "day", name, "all", before));
    if (!runs) missing++;
    const read = days.get(name);
    if (!runs || !read) continue;
    const day = firstRestatedDay(read, bySelector(runs), last);
    if (day !== undefined) first.set(name, day);
  }
  return {
    build: previous.build,
    restated: [...restatedDays(first), ...restatedPeriods(manifest, previous)],
    changes: changesBetween(manifest, previous),
    ...(missing > 0 && { note: `${missing} of its day objects are missing or damaged, and were not compared` }),
  };
}

/** @returns undefined when the object is missing or can't be read */
async function readDays(store: ObjectStore, key: string): Promise<SeriesRun[] | undefined> {
  const object = await store.get(key);
  try {
    return object && decodeSeries(object.bytes);
  } catch {
    return undefined;
  }
}
