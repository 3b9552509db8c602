/** `soprano rollback`: activates an earlier build again. */

import {
  lackingIn,
  listedObjects,
  type Manifest,
  type ManifestObject,
  references,
  seriesParts,
} from "../../../data-schema/stored.ts";
import { advised, advisedBuild } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { listingProblems, listObjects } from "../../store/listing.ts";
import { withParts } from "../../store/parts.ts";
import { prefetch } from "../../store/prefetch.ts";
import type { ObjectStore, StoredObject } from "../../store/store.ts";
import { byteProblems } from "../../store/stored-content.ts";
import { activate, record } from "../publish/activate.ts";
import { runningCollection } from "../publish/collections.ts";
import { recordChange } from "../publish/write-changes.ts";
import { buildNamed, readBuilds, readCurrent } from "./stored-builds.ts";

/**
 * Activates a build, if all its series are there and have the bytes that its manifest lists.
 *
 * @param prefix the first digits of the build's id, as many as identify it
 * @param tell called with a sentence if the clocks of two machines differ
 * @param dryRun only checks; writes nothing
 * @returns the manifest that is active now, or would be, and the build that was
 * @throws {Failure} there is no such build, its objects are not complete, a garbage collection is running, or another
 *   build was activated meanwhile
 */
export async function rollback(
  store: ObjectStore,
  symbol: string,
  prefix: string,
  { tell = () => {}, dryRun = false }: { tell?: (sentence: string) => void; dryRun?: boolean } = {},
): Promise<{ manifest: Manifest; before: string }> {
  const current = await readCurrent(store, symbol);
  const {
    build,
    bytes,
    etag,
    manifest,
    problem: unreadable,
  } = buildNamed(await readBuilds(store, symbol), symbol, prefix);
  if (!manifest) throw new Failure(`Build ${build} of ${symbol} can't be read (${unreadable}): choose another one.`);
  if (build === current.manifest.build) throw new Failure(`Build ${build} of ${symbol} is already active.`);
  const { contract, chain } = current.manifest;
  if (manifest.contract !== contract || manifest.chain !== chain) {
    throw new Failure(
      `Build ${build} is of the contract ${manifest.contract} on ${manifest.chain}: choose another one.`,
    );
  }
  checkComplete(
    symbol,
    build,
    listingProblems(references(manifest, seriesParts(manifest)), await listObjects(store, symbol)),
  );
  if (dryRun) {
    checkComplete(symbol, build, await readingProblems(store, manifest));
    return { manifest, before: current.manifest.build };
  }
  if (!(await record(store, manifest, bytes, etag))) {
    throw new Failure(`Build ${build} of ${symbol} was removed meanwhile: see ${advised("builds", symbol)}.`);
  }
  // Asked after the manifest was recorded: a collection that begins from here on keeps the build.
  const collecting = await runningCollection(store, symbol);
  if (collecting) {
    throw new Failure(
      `A garbage collection of ${symbol} is running, or was killed: roll back once it has ended, at ` +
        `${collecting.toISOString()} at the latest.`,
    );
  }
  checkComplete(symbol, build, await readingProblems(store, manifest));
  const reason = { causes: [{ kind: "rollback" as const }] };
  const activation = await recordChange(store, manifest, current.manifest, false, reason, tell);
  if (!(await activate(store, manifest, activation, current.etag))) {
    throw new Failure(
      `Another build of ${symbol} was activated meanwhile, and stays active: see ${advised("builds", symbol)}.`,
    );
  }
  return { manifest, before: current.manifest.build };
}

/** @throws {Failure} there are problems */
function checkComplete(symbol: string, build: string, [problem, ...more]: readonly string[]): void {
  if (problem === undefined) return;
  throw new Failure(
    `Build ${build} of ${symbol} is not complete: ${problem} ` +
      `${more.length > 0 ? `${more.length} more objects are missing or damaged. ` : ""}` +
      `Choose another one of those that ${advised("builds", symbol)} lists.`,
  );
}

/** Reads every series: a listing does not show damage. */
async function readingProblems(store: ObjectStore, manifest: Manifest): Promise<string[]> {
  const problems: string[] = [];
  for await (const { item, object } of prefetch(
    withParts(store, manifest),
    [...listedObjects(manifest)],
    ({ key }) => key,
  )) {
    for (const problem of object ? objectProblems(item, object) : [`${item.key} is missing.`]) problems.push(problem);
  }
  return problems;
}

const objectProblems = (item: ManifestObject, object: StoredObject): string[] => [
  ...byteProblems(item, object),
  ...lackingIn(item.key, object.metadata).map(
    (name) =>
      `${item.key} lacks the custom metadata ${name}: write it again with ${advisedBuild(undefined, "--full")}.`,
  ),
];
