/**
 * Finds garbage: builds that have been inactive for long, and objects that no kept build refers to.
 *
 * A build becomes inactive when the next one is activated: the time of that manifest under `builds/`. A build that was
 * killed or lost a race after it wrote its manifest was never active, though. So not the next manifest counts but the
 * one after it, or else the write that made the active build active.
 *
 * Which builds were active last, the log of changes tells. Ages go by the store's clock: that of the machine that built may
 * be wrong, and in a bucket that was copied all is new, which keeps it for longer.
 */

import { type Manifest, type Reference, references } from "../../../data-schema/stored.ts";
import type { StoredKey } from "../../store/store.ts";

/** A build's manifest, and when it was put: just before it was last activated, unless the bucket was copied since. */
export interface DatedManifest {
  key: string;
  uploaded: Date;
  manifest: Manifest;
}

/** What there is of an asset. */
export interface StoredAsset {
  /** The active manifest, and when it was activated. */
  current: { manifest: Manifest; uploaded: Date };
  /** The builds, the last activated first, with or without the active one. */
  builds: readonly DatedManifest[];
  /** Series objects and checkpoints, by key. */
  objects: ReadonlyMap<string, StoredKey>;
}

/** What to keep. */
export interface Retention {
  /** Builds besides the active one. */
  keep: number;
  /** How long a build must have been inactive, and how old an object must be, in milliseconds. */
  minAge: number;
  now: Date;
}

/** The builds that may go. */
export function collectableBuilds({ current, builds }: StoredAsset, { keep, minAge, now }: Retention): DatedManifest[] {
  const others = builds.filter(({ manifest }) => manifest.build !== current.manifest.build);
  return others.filter(({ uploaded }, index) => {
    const inactiveSince = (others[index - 2] ?? current).uploaded;
    // A new one may be about to be activated.
    return index >= keep && isOld(inactiveSince) && isOld(uploaded);
  });

  function isOld(date: Date): boolean {
    return now.getTime() - date.getTime() >= minAge;
  }
}

/**
 * The objects that no manifest refers to, but for recent ones: they may belong to a build that is running.
 *
 * @param gone builds that are still there, but don't count
 */
export function unreferencedObjects(
  { current, builds, objects }: StoredAsset,
  gone: readonly DatedManifest[],
  { minAge, now }: Retention,
): Reference[] {
  const kept = [current, ...builds.filter((build) => !gone.includes(build))];
  const needed = new Set(kept.flatMap(({ manifest }) => references(manifest).map(({ key }) => key)));
  return [...objects]
    .filter(([key, { uploaded }]) => !needed.has(key) && now.getTime() - uploaded.getTime() >= minAge)
    .map(([key, { size }]) => ({ key, size }));
}
