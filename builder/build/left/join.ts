/** What the runs and partitions of a build say together of its input. */

import { addDays, type DayInflow, lastDays } from "../../engine/deposits.ts";
import { type JoinedInput, joinShares } from "../../input/join-shares.ts";
import { type Finding, judgeSupply } from "../guards/max-supply.ts";
import type { PartitionFacts, RunFacts } from "./facts.ts";
import type { StagePlan } from "./stage-plan.ts";

/** @throws as `joinShares` */
export function joinRuns(
  plan: StagePlan,
  runs: readonly RunFacts[],
  partitions: readonly Pick<PartitionFacts, "addresses">[] = [],
): JoinedInput {
  const { asset, survey, reading, resume } = plan;
  const supply = supplyOfRuns(plan, runs);
  return joinShares(asset, survey, reading, runs, {
    addresses: partitions.reduce((sum, { addresses }) => sum + addresses, 0),
    notices: supply ? [supply.sentence] : [],
    ...(resume && { lastBefore: resume.checkpoint.lastEvent.t }),
  });
}

/** What is wrong with the supply; undefined if nothing is. */
export function supplyOfRuns({ asset, resume }: StagePlan, runs: readonly RunFacts[]): Finding | undefined {
  const days = runs.flatMap(({ days }) => days);
  return judgeSupply(asset, days, resume && { totals: resume.checkpoint.totals, most: resume.mostSupply });
}

/**
 * The inflow of exchanges on the last `COVERAGE_DAYS` days before a time, the end of a day: of the last checkpoint and of all
 * runs.
 *
 * @returns undefined where there are no deposit addresses, or the build goes on from one that had none
 */
export function inflowBefore(
  { survey, resume }: StagePlan,
  runs: readonly Pick<RunFacts, "inflow">[],
  time: number,
): DayInflow[] | undefined {
  if (!survey.labels.deposits || (resume && !resume.provenance.inflow)) return undefined;
  const days = [...(resume?.provenance.inflow ?? []), ...runs.flatMap(({ inflow = [] }) => inflow)];
  return lastDays(addDays(days), time);
}
