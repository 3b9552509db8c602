/** What `map` and `replay` have found, checked as a whole. */

import { NO_EVENTS } from "../../engine/history.ts";
import { decreasingTime } from "../../input/transfers/seam.ts";
import { Failure, readingInput } from "../../lib/failure.ts";
import type { StageFolder } from "../folder/folder.ts";
import { refuseSupply } from "../guards/max-supply.ts";
import { refuseOverdrafts } from "../guards/refusals.ts";
import { refuseShorter } from "../guards/shorter.ts";
import type { PartitionFacts, RunFacts } from "./facts.ts";
import { joinRuns, supplyOfRuns } from "./join.ts";
import { readResults } from "./results.ts";
import { outlineOfRuns } from "./run-outline.ts";
import { withSorted } from "./sorted.ts";
import type { StagePlan } from "./stage-plan.ts";

/**
 * What `map` has found, checked as a whole.
 *
 * @throws {InputFailure} the runs contradict each other, or there is nothing to publish
 */
export async function readRuns(folder: StageFolder, plan: StagePlan): Promise<RunFacts[]> {
  const runs = await readResults(folder, plan, "map");
  await readingInput(() => checkRuns(folder, plan, runs));
  return runs;
}

/**
 * @throws {Failure} times decrease from one run to the next, there are no transfers, none moves tokens before `asOf`, or the
 * supply is far over `maxSupply`; or as `refuseShorter`
 */
async function checkRuns(folder: StageFolder, plan: StagePlan, runs: readonly RunFacts[]): Promise<void> {
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

/**
 * What `replay` has found.
 *
 * @throws {InputFailure} an address sends more than it has: the first event of all partitions that does
 */
export async function readPartitions(folder: StageFolder, plan: StagePlan): Promise<PartitionFacts[]> {
  const partitions = await readResults(folder, plan, "replay");
  await readingInput(async () => refuseOverdrafts(partitions.flatMap(({ overdraft }) => overdraft ?? [])));
  return partitions;
}
