/** Checks that need what all tasks of `map` have found. */

import { Failure } from "../failure.ts";
import { checkSeam } from "../input/transfers/seam.ts";
import { joinRuns } from "./join.ts";
import { outlineOfRuns } from "./outline.ts";
import type { StagePlan } from "./plan.ts";
import type { RunFacts } from "./run-facts.ts";

/** @throws {Failure} times decrease from one run to the next, there are no transfers, or none moves tokens before `asOf` */
export async function checkRuns(plan: StagePlan, runs: readonly RunFacts[]): Promise<void> {
  const { asset, survey, reading } = plan;
  const ends = runs.filter((run) => run.first);
  for (const [i, { first }] of ends.entries()) {
    const failure = i > 0 && (await checkSeam(asset, survey, reading, ends[i - 1]!.last!, first!));
    if (failure) throw failure;
  }
  const { asOf } = joinRuns(plan, runs);
  if (outlineOfRuns(plan, runs).totals.first) return;
  throw new Failure(
    `${asset.path}: its transfers before ${new Date(asOf * 1000).toISOString()} move no tokens, ` +
      "so there is nothing to publish: check transfers and asOf.",
  );
}
