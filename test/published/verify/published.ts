/** Published tokens to plant faults in: built for real, in memory. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Series } from "../../../builder/engine/series.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import { seriesFile } from "../../../builder/published/objects/encode-series.ts";
import { type Verification, verify } from "../../../builder/published/verify/verify.ts";
import { type MetricName, metricByName } from "../../../data-schema/registry/metrics.ts";
import type { Resolution } from "../../../data-schema/registry/resolutions.ts";
import { buildKey, currentKey, namePart, seriesKey } from "../../../data-schema/stored/objects.ts";
import { type Manifest, parseManifest } from "../../../data-schema/stored.ts";
import { runBuild } from "../../build/checkpoint/nights.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpack } from "../../store/unpacked.ts";

/** Builds, and takes the packs apart, so that faults are planted in objects. */
export async function buildInto(store: MemoryStore, assetPath: string): Promise<void> {
  await runBuild(store, assetPath, { allowSupply: false, allowShorter: false });
  await unpack(store);
}

/** An asset file like another one, but for some fields. */
export function variant(assetPath: string, name: string, changes: object): string {
  const path = join(assetPath, "..", name);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(assetPath, "utf8")), ...changes }));
  return path;
}

export function copyOf(store: MemoryStore): MemoryStore {
  const copy = new MemoryStore();
  copy.now = store.now;
  for (const [key, object] of store.objects) copy.objects.set(key, object);
  return copy;
}

export function manifestIn(store: MemoryStore, symbol: string): Manifest {
  return parseManifest(new TextDecoder().decode(store.objects.get(currentKey(symbol))!.bytes));
}

/** Puts another manifest in the place of the active one, and of its build's. */
export async function putManifest(store: MemoryStore, manifest: Manifest): Promise<void> {
  await store.write(buildKey(manifest.symbol, manifest.build), manifest);
  await store.write(currentKey(manifest.symbol), manifest);
}

export function verifyIn(store: MemoryStore, symbol: string): Promise<Verification> {
  return verify(store, symbol, silentProgress());
}

/** A manifest as a build of version 1 of the format left it: without weeks, months, prices, distributions, times, and half of each hash. */
export function ofVersion1(manifest: Manifest): Manifest {
  const { week: _, month: __, ...resolutions } = structuredClone(manifest.resolutions);
  for (const { metrics } of Object.values(resolutions).flatMap((one) => one?.periods ?? [])) {
    delete metrics.price;
    for (const entry of Object.values(metrics)) {
      if (!("hash" in entry)) continue;
      entry.hash = namePart(entry.hash);
      delete entry.first;
      delete entry.last;
    }
  }
  const { distributions: ___, ...others } = manifest;
  return { ...others, schema: 1, resolutions };
}

/** Where an object is in a manifest. */
export interface Place {
  resolution: Resolution;
  metric: MetricName;
  /** Index; the first if left out. */
  period?: number;
}

function placeIn(manifest: Manifest, { resolution, metric, period: index = 0 }: Place) {
  const period = manifest.resolutions[resolution]!.periods[index]!;
  const entry = period.metrics[metric]!;
  if (!entry || !("hash" in entry)) throw new Error(`${metric} has no object`);
  return { period, entry, key: seriesKey(manifest.symbol, resolution, metric, period.name, entry.hash) };
}

export function keyOf(manifest: Manifest, place: Place): string {
  return placeIn(manifest, place).key;
}

/** The runs of an object, to be changed at will. */
export function runsIn(store: MemoryStore, manifest: Manifest, place: Place): Series[] {
  return decodeSeries(store.objects.get(keyOf(manifest, place))!.bytes).map(({ selector, t, v, block }) => ({
    selector,
    t: t.slice(),
    v: v.slice(),
    ...(block && { block: block.slice() }),
  }));
}

/** Replaces an object as a build would have written it with other runs: name, manifest and checksums are right. */
export async function replaceRuns(
  store: MemoryStore,
  symbol: string,
  place: Place,
  change: (series: Series[]) => Series[],
): Promise<void> {
  const manifest = manifestIn(store, symbol);
  const { period } = placeIn(manifest, place);
  const { resolution, metric } = place;
  const runs = change(runsIn(store, manifest, place));
  const file = seriesFile(symbol, metricByName(metric), resolution, period.name, runs)!;
  period.metrics[metric] = file.entry;
  await store.write(seriesKey(symbol, resolution, metric, period.name, file.entry.hash), file.bytes);
  await putManifest(store, manifest);
}

/** Changes one value: that of a selector at an index from the end. */
export async function changeValue(
  store: MemoryStore,
  symbol: string,
  place: Place & { selector: string },
  change: (v: number) => number = (v) => v * 1.000001 + 1e-6,
): Promise<void> {
  await replaceRuns(store, symbol, place, (runs) => {
    const run = runs.find(({ selector }) => selector === place.selector);
    if (!run) throw new Error(`${place.metric} has no ${place.selector}`);
    const middle = run.v.length >> 1;
    run.v[middle] = change(run.v[middle]!);
    return runs;
  });
}
