/** `soprano gc`: removes builds and objects that are of no use any more. What may go is garbage.ts. */

import { currentKey } from "../../data-schema/objects.ts";
import { Failure } from "../failure.ts";
import { listObjects, type Reference } from "../store/listing.ts";
import type { ObjectStore } from "../store/store.ts";
import { readBuilds, readCurrent } from "./builds.ts";
import { type Holdings, type Terms, uselessBuilds, uselessObjects } from "./garbage.ts";

/** What was removed, or would be. */
export interface Collected {
  /** Ids of builds. */
  builds: string[];
  /** Series objects and checkpoints. */
  objects: Reference[];
  /** How many more builds go once they have been superseded for long enough. */
  waiting: number;
}

/**
 * Removes what may go.
 *
 * The manifests go first. Then everything is read again, and of the objects those go that no manifest refers to which
 * is there by now: a build that came between keeps what it needs, and if this ends halfway, no manifest lacks an
 * object, and the next run removes the rest.
 *
 * @throws {Failure} a manifest can't be read, so that nobody knows what it refers to; then nothing is removed
 */
export async function collect(
  store: ObjectStore,
  symbol: string,
  { dryRun, ...terms }: Terms & { dryRun: boolean },
): Promise<Collected> {
  const before = await readHoldings(store, symbol);
  const gone = uselessBuilds(before, terms);
  const builds = gone.map(({ manifest }) => manifest.build);
  const waiting = uselessBuilds(before, { ...terms, minAge: 0 }).length - gone.length;
  if (dryRun) return { builds, objects: uselessObjects(before, gone, terms), waiting };
  await store.delete(gone.map(({ key }) => key));
  const objects = uselessObjects(await readHoldings(store, symbol), [], terms);
  await store.delete(objects.map(({ key }) => key));
  return { builds, objects, waiting };
}

/** The objects are listed first, so that every manifest is read that may have come for one of them. */
async function readHoldings(store: ObjectStore, symbol: string): Promise<Holdings> {
  const objects = await listObjects(store, symbol);
  const builds = await readBuilds(store, symbol);
  const unreadable = builds.find(({ manifest }) => manifest === undefined);
  if (unreadable) {
    throw new Failure(
      `${unreadable.key} can't be read (${unreadable.problem}), so nobody knows which objects it needs; nothing was removed. ` +
        "Use the version of soprano that wrote it, or remove that manifest by hand.",
    );
  }
  const current = await readCurrent(store, symbol);
  const listed = (await store.list(currentKey(symbol))).get(currentKey(symbol));
  return {
    current: { manifest: current.manifest, uploaded: listed?.uploaded ?? new Date() },
    builds: builds.map(({ key, uploaded, manifest }) => ({ key, uploaded, manifest: manifest! })),
    objects,
  };
}
