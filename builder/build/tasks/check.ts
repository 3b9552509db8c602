/** Checks that need what all tasks of `map` have found. */

import { NO_EVENTS } from "../../engine/checkpoint.ts";
import { decreasingTime } from "../../input/transfers/seam.ts";
import { Failure } from "../../lib/failure.ts";
import { refuseSupply } from "../max-supply.ts";
import { refuseShorter } from "../shorter.ts";
import type { RunFacts } from "./facts.ts";
import type { StageFolder } from "./folder.ts";
import { joinRuns, supplyOfRuns } from "./join.ts";
import { outlineOfRuns } from "./outline.ts";
import type { StagePlan } from "./plan.ts";
import { withSorted } from "./sorted.ts";

/**
 * @throws {Failure} times decrease from one run to the next, there are no transfers, none moves tokens before `asOf`, or the
 * supply is far over `maxSupply`; or as `refuseShorter`
 */
export async function checkRuns(folder: StageFolder, plan: StagePlan, runs: readonly RunFacts[]): Promise<void> {
  const { asset, survey } = plan;
  const ends = runs.filter((run) => run.first);
  for (const [i, { first }] of ends.entries()) {
    const last = ends[i - 1]?.last;
    if (!last || first!.time >= last.time) continue;
    const reading = await withSorted(folder, plan.reading, [last.file, first!.file]);
    throw await decreasingTime(asset, survey, reading, last, first!);
  }
  refuseSupply(asset, supplyOfRuns(plan, runs), plan.allowSupply);
  const { asOf } = joinRuns(plan, runs);
  if (plan.published) {
    const days = runs.flatMap((run) => run.days);
    refuseShorter(asset, asOf, days, plan.resume?.checkpoint.totals ?? NO_EVENTS, plan.published);
  }
  if (outlineOfRuns(plan, runs).totals.first) return;
  throw new Failure(
    `${asset.path}: its transfers before ${new Date(asOf * 1000).toISOString()} move no tokens, ` +
      "so there is nothing to publish: check transfers and asOf.",
  );
}
