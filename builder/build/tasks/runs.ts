/** What `map` and `replay` have found, checked as a whole. */

import { refuseOverdrafts } from "../../engine/overdraft.ts";
import { readingInput } from "../../lib/failure.ts";
import { checkRuns } from "./check.ts";
import type { PartitionFacts, RunFacts } from "./facts.ts";
import type { StageFolder } from "./folder.ts";
import type { StagePlan } from "./plan.ts";
import { readResults } from "./results.ts";

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
 * What `replay` has found.
 *
 * @throws {InputFailure} an address sends more than it has: the first event of all partitions that does
 */
export async function readPartitions(folder: StageFolder, plan: StagePlan): Promise<PartitionFacts[]> {
  const partitions = await readResults(folder, plan, "replay");
  await readingInput(async () => refuseOverdrafts(partitions.flatMap(({ overdraft }) => overdraft ?? [])));
  return partitions;
}
