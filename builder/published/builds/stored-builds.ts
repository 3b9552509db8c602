/** The builds of an asset in the store: the active one, and earlier ones. */

import { buildPrefix, CURRENT_PREFIX, currentKey, listedSymbol, type Manifest } from "../../../data-schema/stored.ts";
import { advised, advisedBuild } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import type { ObjectStore, StoredObject } from "../../store/store.ts";
import { readManifest } from "../publish/publication.ts";

/** A build's manifest under `builds/`. */
export interface ReadBuild {
  build: string;
  key: string;
  bytes: Uint8Array;
  etag: string;
  /** When its manifest was put: a build and a rollback do so just before they activate it, and whoever copies a bucket. */
  uploaded: Date;
  /** Undefined when it is damaged, or this version can't read it. */
  manifest: Manifest | undefined;
  /** Why not. */
  problem?: string;
}

/** The active build. */
export type CurrentBuild = StoredObject & { manifest: Manifest };

/** @throws {Failure} the asset is not published, or its active manifest can't be read */
export async function readCurrent(store: ObjectStore, symbol: string): Promise<CurrentBuild> {
  const key = currentKey(symbol);
  const object = await store.get(key);
  if (!object) throw new Failure(`${symbol} is not published in ${store.name}: there is no ${key}.`);
  const { manifest, problem } = readManifest(object);
  if (!manifest) {
    const todo = object.isDamaged
      ? `write it again with ${advisedBuild(undefined, "--full")}`
      : "use the version of soprano that wrote it";
    throw new Failure(`${key} in ${store.name} can't be read (${problem}): ${todo}.`);
  }
  if (manifest.symbol !== symbol) throw new Failure(`${key} in ${store.name} is the manifest of ${manifest.symbol}.`);
  return { manifest, ...object };
}

/** Every build's manifest, the last put first. */
export async function readBuilds(store: ObjectStore, symbol: string): Promise<ReadBuild[]> {
  const prefix = buildPrefix(symbol);
  const builds: ReadBuild[] = [];
  for (const [key, { uploaded }] of await store.list(prefix)) {
    const object = await store.get(key);
    // Removed meanwhile.
    if (!object) continue;
    const build = key.slice(prefix.length).replace(/\.json$/, "");
    const read = readManifest(object);
    const isOwn = !read.manifest || (read.manifest.symbol === symbol && read.manifest.build === build);
    const owned = isOwn ? read : { manifest: undefined, problem: "it is another build's" };
    builds.push({ build, key, bytes: object.bytes, etag: object.etag, uploaded, ...owned });
  }
  return builds.sort((a, b) => b.uploaded.getTime() - a.uploaded.getTime() || (a.build < b.build ? 1 : -1));
}

/**
 * The build that the first digits of its id name.
 *
 * @throws {Failure} there is none, or more than one
 */
export function buildNamed(builds: readonly ReadBuild[], symbol: string, prefix: string): ReadBuild {
  const found = builds.filter(({ build }) => build.startsWith(prefix.toLowerCase()));
  const [first, second] = found;
  if (first && !second) return first;
  const which = first ? `has ${found.length} builds that begin` : "has no build that begins";
  throw new Failure(`${symbol} ${which} with ${prefix}: ${advised("builds", symbol)} lists them.`);
}

/** The symbols of all assets that are published. @throws {Failure} nothing is published */
export async function publishedSymbols(store: ObjectStore): Promise<string[]> {
  const listed = Array.from((await store.list(CURRENT_PREFIX)).keys(), listedSymbol);
  const symbols = listed.flatMap(({ symbol, isRemoved }) => (isRemoved ? [] : [symbol]));
  if (symbols.length === 0)
    throw new Failure(`Nothing is published in ${store.name}: build an asset first, with ${advisedBuild()}.`);
  return symbols;
}
