/**
 * What differs between two builds, found as plainly as docs/formats.md#changes states it: all points of both are read with
 * another Parquet reader, and laid side by side.
 */

import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { withParts } from "../../../builder/store/parts.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { METRICS } from "../../../data-schema/registry/metrics.ts";
import { RESOLUTIONS, type Resolution } from "../../../data-schema/registry/resolutions.ts";
import { type ChangeEntry, parseChangeEntry, type SeriesChange } from "../../../data-schema/stored/changes.ts";
import { buildKey, changePrefix } from "../../../data-schema/stored/objects.ts";
import { listedSeries, type Manifest, parseManifest } from "../../../data-schema/stored.ts";

const textOf = async (store: ObjectStore, key: string) => new TextDecoder().decode((await store.get(key))!.bytes);

/** All entries of an asset's log, ascending. */
export async function entriesOf(store: ObjectStore, symbol: string): Promise<ChangeEntry[]> {
  const keys = [...(await store.list(changePrefix(symbol))).keys()].sort();
  return Promise.all(keys.map(async (key) => parseChangeEntry(await textOf(store, key))));
}

/** The series of an entry as they must be. */
export async function slowComparison(
  store: ObjectStore,
  { symbol, build, previousBuild }: ChangeEntry,
): Promise<SeriesChange[]> {
  if (previousBuild === null) return [];
  const manifestOf = async (id: string) => parseManifest(await textOf(store, buildKey(symbol, id)));
  const before = await manifestOf(previousBuild);
  const [was, is] = [await pointsOf(store, before), await pointsOf(store, await manifestOf(build))];
  const changes: SeriesChange[] = [];
  for (const resolution of RESOLUTIONS) {
    for (const { name: metric } of METRICS) {
      const name = `${resolution} ${metric}`;
      const [wasHere, isHere] = [was.get(name) ?? new Map(), is.get(name) ?? new Map()] as [Points, Points];
      const differing = [...new Set([...wasHere.keys(), ...isHere.keys()])]
        .map((place) => ({ was: wasHere.get(place), is: isHere.get(place) }))
        .filter(({ was, is }) => wasComplete(before, resolution, (was ?? is)!.t))
        .filter(({ was, is }) => !Object.is(was?.v, is?.v) || was?.t !== is?.t);
      if (differing.length === 0) continue;
      const relative = differing.flatMap(({ was, is }) =>
        was && is && was.v !== 0 ? [Math.min(Math.abs(is.v - was.v) / Math.abs(was.v), Number.MAX_VALUE)] : [],
      );
      changes.push({
        resolution,
        metric,
        first: Math.min(...differing.map(({ was, is }) => (was ?? is)!.t)),
        points: differing.length,
        appeared: differing.filter(({ was }) => !was).length,
        disappeared: differing.filter(({ is }) => !is).length,
        largest: relative.length > 0 ? Math.max(...relative) : null,
      });
    }
  }
  return changes;
}

/** By selector, and block or time. */
type Points = Map<string, { t: number; v: number }>;

interface Row {
  cohort: string;
  t: Date;
  v: number;
  block?: bigint;
}

/** Rows by the key of their object: builds share most of their objects. */
const read = new WeakMap<ObjectStore, Map<string, Row[]>>();

async function rowsOf(store: ObjectStore, parts: ObjectStore, key: string): Promise<Row[]> {
  const known = read.get(store) ?? new Map<string, Row[]>();
  read.set(store, known);
  if (!known.has(key)) {
    const file = (await parts.get(key))!.bytes.slice().buffer as ArrayBuffer;
    known.set(key, (await parquetReadObjects({ file, compressors })) as unknown as Row[]);
  }
  return known.get(key)!;
}

/** By resolution and metric. */
async function pointsOf(store: ObjectStore, manifest: Manifest): Promise<Map<string, Points>> {
  const all = new Map<string, Points>();
  const parts = withParts(store, manifest);
  for (const { key, resolution, metric } of listedSeries(manifest)) {
    const name = `${resolution} ${metric}`;
    const points = all.get(name) ?? new Map();
    all.set(name, points);
    for (const { cohort, t, v, block } of await rowsOf(store, parts, key)) {
      points.set(`${cohort} ${block ?? t.getTime()}`, { t: t.getTime() / 1000, v });
    }
  }
  return all;
}

function wasComplete({ asOf, resolutions }: Manifest, resolution: Resolution, t: number): boolean {
  if (resolution === "block") return t < Date.parse(asOf) / 1000;
  const last = resolutions[resolution]?.last ?? null;
  return last !== null && t <= last;
}
