/** `soprano rollback`: activates an earlier build again. */

import type { Manifest } from "../../data-schema/manifest.ts";
import { Failure } from "../failure.ts";
import { activate } from "../publish/activate.ts";
import { listingProblems, listObjects, seriesReferences } from "../store/listing.ts";
import type { ObjectStore } from "../store/store.ts";
import { type ReadBuild, readBuilds, readCurrent } from "./builds.ts";

/**
 * Activates a build, if all its series are there.
 *
 * @param prefix the first digits of the build's id, as many as identify it
 * @returns the manifest that is active now, and the build that was
 * @throws {Failure} there is no such build, its objects are not complete, or another build was activated meanwhile
 */
export async function rollback(
  store: ObjectStore,
  symbol: string,
  prefix: string,
): Promise<{ manifest: Manifest; before: string }> {
  const current = await readCurrent(store, symbol);
  const { build, bytes, manifest, problem: unreadable } = named(await readBuilds(store, symbol), symbol, prefix);
  if (!manifest) throw new Failure(`Build ${build} of ${symbol} can't be read (${unreadable}): choose another one.`);
  if (build === current.manifest.build) throw new Failure(`Build ${build} of ${symbol} is already active.`);
  const { contract, chain } = current.manifest;
  if (manifest.contract !== contract || manifest.chain !== chain) {
    throw new Failure(
      `Build ${build} is of the contract ${manifest.contract} on ${manifest.chain}: choose another one.`,
    );
  }
  const [problem, ...more] = listingProblems(seriesReferences(manifest), await listObjects(store, symbol));
  if (problem) {
    throw new Failure(
      `Build ${build} of ${symbol} is not complete: ${problem} ` +
        `${more.length > 0 ? `${more.length} more objects are missing or damaged. ` : ""}` +
        `Choose one that \`soprano builds ${symbol}\` says can be rolled back to.`,
    );
  }
  if (!(await activate(store, manifest, bytes, { current: current.etag }))) {
    throw new Failure(
      `Another build of ${symbol} was activated meanwhile, and stays active: see \`soprano builds ${symbol}\`.`,
    );
  }
  return { manifest, before: current.manifest.build };
}

export function named(builds: readonly ReadBuild[], symbol: string, prefix: string): ReadBuild {
  const found = builds.filter(({ build }) => build.startsWith(prefix.toLowerCase()));
  const [first, second] = found;
  if (first && !second) return first;
  const which = first ? `has ${found.length} builds that begin` : "has no build that begins";
  throw new Failure(`${symbol} ${which} with ${prefix}: \`soprano builds ${symbol}\` lists them.`);
}
