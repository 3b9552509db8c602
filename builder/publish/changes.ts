/** Writes the log of changes: an entry for each activation, before the swap. Source: docs/formats.md#changes. */

import { isDeepStrictEqual } from "node:util";
import {
  type Cause,
  CHANGES_VERSION,
  type ChangeEntry,
  changeSummary,
  parseChangeEntry,
} from "../../data-schema/changes.ts";
import type { Manifest } from "../../data-schema/manifest.ts";
import { changeKey, changeNumber, changePrefix } from "../../data-schema/objects.ts";
import { type Comparison, compareBuilds } from "../history/compare-builds.ts";
import { sha256Hex } from "../store/content.ts";
import type { ObjectStore } from "../store/store.ts";

/** Why a build is activated. */
export interface Activation {
  causes: readonly Cause[];
  /** Unix seconds: the build has taken over all points before from the active one. */
  unchangedBefore?: number | undefined;
}

/**
 * Writes the entry of an activation, unless an interrupted run of the same activation has left it. An entry counts once the
 * active manifest names its number, or a later entry names it as the one before. Entries are never overwritten, so builds
 * that race for a number take different ones.
 *
 * @param active the manifest to be replaced; undefined if there is none, or none that can be read
 * @param isUnreadable whether there is one that can't be read
 * @returns the number of the entry
 */
export async function recordChange(
  store: ObjectStore,
  manifest: Manifest,
  active: Manifest | undefined,
  isUnreadable: boolean,
  { causes, unchangedBefore }: Activation,
): Promise<number> {
  const { symbol, build, asOf } = manifest;
  const known = active?.activation?.change;
  // Published once more, because something of it was missing: it changes nothing.
  if (active?.build === build && known !== undefined) return known;
  const listed = await store.list(changePrefix(symbol));
  const numbers = Array.from(listed.keys(), (key) => changeNumber(symbol, key))
    .filter((n) => n > 0)
    .sort((a, b) => b - a);
  const [highest = 0] = numbers;
  // An active manifest that can't be read doesn't tell its number.
  const previous = active ? (known ?? (await entryOf(store, active, numbers))) : isUnreadable ? highest : 0;
  const compared = active ? await compareBuilds(store, active, manifest, unchangedBefore) : NOTHING;
  const entry: Omit<Undated, "n"> = {
    ...{ schema: CHANGES_VERSION, symbol, previous: previous || null },
    ...{ build, previousBuild: active?.build ?? null, asOf },
    causes: active || isUnreadable ? [...causes] : [FIRST_BUILD],
    ...compared,
  };
  const leftovers = numbers.filter((n) => n > previous);
  for (const n of leftovers.slice(0, MOST_READ)) if (await isThere(store, { ...entry, n })) return n;
  for (let n = highest + 1; ; n++) {
    const isOurs = await put(store, { ...entry, n, activated: new Date().toISOString() });
    if (isOurs || (await isThere(store, { ...entry, n }))) return n;
  }
}

/** Entries that are read, of those that may not count. */
const MOST_READ = 100;

/** The entry of an active manifest of version 1, which has no place for its number; 0 if there is none. */
async function entryOf(store: ObjectStore, { symbol, build }: Manifest, numbers: readonly number[]): Promise<number> {
  for (const n of numbers.slice(0, MOST_READ)) if ((await read(store, symbol, n))?.build === build) return n;
  return 0;
}

const NOTHING: Comparison = { series: [], uncompared: 0 };

const FIRST_BUILD: Cause = { kind: "first-build" };

type Undated = Omit<ChangeEntry, "activated">;

/** Whether the entry of a number is this one. */
async function isThere(store: ObjectStore, entry: Undated): Promise<boolean> {
  const found = await read(store, entry.symbol, entry.n);
  return found !== undefined && isDeepStrictEqual(found, { ...entry, activated: found.activated });
}

/** @returns undefined if there is none, or none that can be read */
async function read(store: ObjectStore, symbol: string, n: number): Promise<ChangeEntry | undefined> {
  const object = await store.get(changeKey(symbol, n));
  try {
    return object && !object.isDamaged ? parseChangeEntry(new TextDecoder().decode(object.bytes)) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns false: there is one of this number */
function put(store: ObjectStore, entry: ChangeEntry): Promise<boolean> {
  const bytes = new TextEncoder().encode(JSON.stringify(entry));
  return store.put(changeKey(entry.symbol, entry.n), bytes, {
    contentType: "application/json",
    sha256: sha256Hex(bytes),
    metadata: { change: JSON.stringify(changeSummary(entry)) },
    replaces: null,
  });
}
