/**
 * What may be collected: builds that have been out of force for long, and objects that none of the kept ones refers to.
 * Pure; collect.ts does it.
 *
 * A build is out of force since another one was put in force after it. The time of a manifest under `builds/` is when
 * that was, but for a build that was killed, or lost a race, between its manifest and the swap: that one never was in
 * force. So what counts is not the next manifest but the one after, or the swap that made the one in force what it is.
 */

import type { Manifest } from "../../data-schema/manifest.ts";
import { type Reference, references } from "../store/listing.ts";
import type { ListedObject } from "../store/store.ts";

/** A build's manifest, and when it was put in force last. */
export interface DatedManifest {
  key: string;
  uploaded: Date;
  manifest: Manifest;
}

/** What there is of an asset. */
export interface Holdings {
  /** The manifest in force, and when it was put in force. */
  current: { manifest: Manifest; uploaded: Date };
  /** In any order; with the one in force, or without it. */
  builds: readonly DatedManifest[];
  /** Series objects and checkpoints, by key. */
  objects: ReadonlyMap<string, ListedObject>;
}

export interface Terms {
  /** Builds to keep besides the one in force. */
  keep: number;
  /** For how long something must have been of no use, milliseconds. */
  minAge: number;
  now: Date;
}

/** The builds that may go. */
export function uselessBuilds({ current, builds }: Holdings, { keep, minAge, now }: Terms): DatedManifest[] {
  const others = builds
    .filter(({ manifest }) => manifest.build !== current.manifest.build)
    .sort((a, b) => b.uploaded.getTime() - a.uploaded.getTime());
  return others.filter(({ uploaded }, index) => {
    const outOfForceSince = index < 2 ? current.uploaded : others[index - 2].uploaded;
    // One that came just now may be about to be put in force.
    return index >= keep && isOld(outOfForceSince) && isOld(uploaded);
  });

  function isOld(date: Date): boolean {
    return now.getTime() - date.getTime() >= minAge;
  }
}

/**
 * The objects that no manifest refers to. What was written lately is left: it may belong to a build that is under way.
 *
 * @param gone builds that are there still, but do not count
 */
export function uselessObjects(
  { current, builds, objects }: Holdings,
  gone: readonly DatedManifest[],
  { minAge, now }: Terms,
): Reference[] {
  const kept = [current, ...builds.filter((build) => !gone.includes(build))];
  const needed = new Set(kept.flatMap(({ manifest }) => references(manifest).map(({ key }) => key)));
  return [...objects]
    .filter(([key, { uploaded }]) => !needed.has(key) && now.getTime() - uploaded.getTime() >= minAge)
    .map(([key, { size }]) => ({ key, size }));
}
