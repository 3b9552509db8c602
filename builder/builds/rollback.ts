/** `soprano rollback`: puts an earlier build in force again. */

import type { Manifest } from "../../data-schema/manifest.ts";
import { Failure } from "../failure.ts";
import { putInForce } from "../publish/in-force.ts";
import { listingProblems, listObjects, seriesReferences } from "../store/listing.ts";
import type { ObjectStore } from "../store/store.ts";
import { type ReadBuild, readBuilds, readCurrent } from "./builds.ts";

/**
 * Puts a build in force, once all its series are there.
 *
 * @param prefix the first digits of the build's id, as many as tell it from others
 * @returns the manifest that is in force now, and the build that was
 * @throws {Failure} no such build, or not all of it is there, or another one was put in force meanwhile
 */
export async function rollback(
  store: ObjectStore,
  symbol: string,
  prefix: string,
): Promise<{ manifest: Manifest; before: string }> {
  const current = await readCurrent(store, symbol);
  const { build, bytes, manifest, problem } = named(await readBuilds(store, symbol), symbol, prefix);
  if (!manifest) throw new Failure(`Build ${build} of ${symbol} can't be read (${problem}): choose another one.`);
  if (build === current.manifest.build) throw new Failure(`Build ${build} of ${symbol} is in force already.`);
  const { contract, chain } = current.manifest;
  if (manifest.contract !== contract || manifest.chain !== chain) {
    throw new Failure(
      `Build ${build} is of the contract ${manifest.contract} on ${manifest.chain}: choose another one.`,
    );
  }
  const problems = listingProblems(seriesReferences(manifest), await listObjects(store, symbol));
  if (problems.length > 0) {
    throw new Failure(
      `Build ${build} of ${symbol} is not whole: ${problems[0]} ` +
        `${problems.length > 1 ? `So it is with ${problems.length - 1} more. ` : ""}` +
        `Choose one that \`soprano builds ${symbol}\` says can be rolled back to.`,
    );
  }
  if (!(await putInForce(store, manifest, bytes, { current: current.etag }))) {
    throw new Failure(
      `Another build of ${symbol} was put in force meanwhile, and stays: see \`soprano builds ${symbol}\`.`,
    );
  }
  return { manifest, before: current.manifest.build };
}

function named(builds: readonly ReadBuild[], symbol: string, prefix: string): ReadBuild {
  const found = builds.filter(({ build }) => build.startsWith(prefix.toLowerCase()));
  if (found.length === 1) return found[0];
  const which = found.length === 0 ? "has no build that begins" : `has ${found.length} builds that begin`;
  throw new Failure(`${symbol} ${which} with ${prefix}: \`soprano builds ${symbol}\` lists them.`);
}
