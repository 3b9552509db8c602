/**
 * Stage `flows`: the flows of the days that begin in a run, by hour and by day, and how many rows their blocks would have.
 */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { countBlocks, type DayBlocks, HourAndDayFlows, joinDays, type TimeRange } from "../../engine/flows.ts";
import type { FlowFacts, RunFacts } from "../left/facts.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { encodePoints } from "../left/run-points.ts";
import { readPartitions } from "../left/runs.ts";
import type { StageTask } from "../left/task.ts";
import { daysBeginningIn, eventsOf, GROUP_NUMBERS, type RunPart } from "./replayed.ts";

export async function sumFlows({ plan, folder, index, runs }: StageTask): Promise<FlowFacts> {
  await readPartitions(folder, plan);
  const outline = outlineOfRuns(plan, runs);
  const parts = daysBeginningIn(runs, index);
  const events = eventsOf({ plan, folder, runs }, parts);
  const flows = new HourAndDayFlows(outline, GROUP_NUMBERS, rangeOf(runs, parts));
  if (flows.needsCounts) for await (const piece of events()) flows.count(piece);
  const blocks: DayBlocks[] = [];
  for await (const piece of events()) {
    flows.add(piece);
    blocks.push(...countBlocks(piece, outline.whose));
  }
  const withHours = plan.asset.resolutions.includes("hour");
  await folder.write(`points/${index}.parquet`, encodePoints(flows.end(), withHours, folder.codec));
  return { blocks: joinDays(blocks) };
}

/** The days that begin in the first of the parts; the others complete the last of them. */
function rangeOf(runs: readonly RunFacts[], [part]: readonly RunPart[]): TimeRange {
  if (!part) return { from: 0, to: 0 };
  const { days } = runs[part.run]!;
  return { from: days[part.firstDay ? 0 : 1]!.day, to: days.at(-1)!.day + BUCKET_SECONDS.day };
}
