/** When builds were last active, by what is recorded: the times of a bucket's objects change when it is copied. */

import { type ChangeEntry, type KnownLine, lastActivations, type Manifest } from "../../../data-schema/stored.ts";
import type { ObjectStore } from "../../store/store.ts";
import { activations } from "../publish/write-changes.ts";
import { readLogChunk } from "../publish/write-known-log.ts";
import type { ReadBuild } from "./stored-builds.ts";

/** A build, and when it was last activated. */
export interface ActivatedBuild extends ReadBuild {
  lastActive: Date;
}

/**
 * Builds in the order of their last activations, the last one first. One that never was active, or only before there was a
 * log, counts by when it was made.
 *
 * The time is the earlier of two: that of the machine that built, whose clock may be ahead, and the store's, in which
 * what was copied is new.
 */
export async function byActivation(
  store: ObjectStore,
  active: Manifest,
  builds: readonly ReadBuild[],
): Promise<ActivatedBuild[]> {
  const entries = activations(store, active);
  const { value: newest } = await entries.next();
  const times = lastActivations(newest?.known ? await readKnownLines(store, active.symbol, newest) : []);
  if (newest) times.set(newest.build, newest.activated);
  // The log of what was known may have begun later than that of changes, which has its activations one by one.
  const since = newest?.known?.since ?? "9999";
  const isOlder = ({ build, manifest }: ReadBuild) =>
    !times.has(build) && (manifest === undefined || manifest.created < since);
  while (builds.some(isOlder)) {
    const { value: entry } = await entries.next();
    if (!entry) break;
    if (!times.has(entry.build)) times.set(entry.build, entry.activated);
  }
  return builds
    .map((build) => {
      const recorded = times.get(build.build) ?? build.manifest?.created;
      const uploaded = build.uploaded.getTime();
      return { build, uploaded, time: recorded === undefined ? uploaded : Date.parse(recorded) };
    })
    .sort((a, b) => b.time - a.time || b.uploaded - a.uploaded || (a.build.build < b.build.build ? 1 : -1))
    .map(({ build, uploaded, time }) => ({ ...build, lastActive: new Date(Math.min(time, uploaded)) }));
}

/** The lines of the log of what was known, ascending, as far as they can be read. */
export async function readKnownLines(store: ObjectStore, symbol: string, { known }: ChangeEntry): Promise<KnownLine[]> {
  const chunks: (readonly KnownLine[])[] = [known!.lines];
  for (let { older } = known!; older !== null; ) {
    const chunk = await readLogChunk(store, symbol, older);
    chunks.unshift(chunk?.lines ?? []);
    older = chunk?.older ?? null;
  }
  return chunks.flat();
}
