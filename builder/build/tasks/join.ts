/** What the runs and partitions of a build say together of its input. */

import { type JoinedInput, joinShares } from "../../input/report.ts";
import type { PartitionFacts } from "./partition-facts.ts";
import type { StagePlan } from "./plan.ts";
import type { RunFacts } from "./run-facts.ts";

/** @throws as `joinShares` */
export function joinRuns(
  { asset, survey, reading, resume }: StagePlan,
  runs: readonly RunFacts[],
  partitions: readonly Pick<PartitionFacts, "addresses">[] = [],
): JoinedInput {
  return joinShares(asset, survey, reading, runs, {
    addresses: partitions.reduce((sum, { addresses }) => sum + addresses, 0),
    ...(resume && { lastBefore: resume.checkpoint.lastEvent.t }),
  });
}
