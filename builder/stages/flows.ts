/**
 * Stage `flows`: the flows of the days that begin in a run, by hour and by day, and how many rows their blocks would have.
 */

import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { countBlocks, type DayBlocks, hourAndDayFlows } from "../engine/flows.ts";
import { outlineOfRuns } from "./outline.ts";
import { encodePoints } from "./points.ts";
import { daysBeginningIn, readEvents } from "./replayed.ts";
import { readPartitions } from "./runs.ts";
import type { StageTask } from "./task.ts";

/** What is known of the days of a run. */
export interface FlowFacts {
  blocks: DayBlocks[];
}

export async function sumFlows({ plan, folder, index, runs }: StageTask): Promise<FlowFacts> {
  await readPartitions(folder, plan);
  const outline = outlineOfRuns(plan, runs);
  const events = await readEvents(folder, runs, plan.partitions, daysBeginningIn(runs, index), outline.prices);
  const { rows, timestamp } = events.history;
  const dayOf = (row: number) => Math.floor(timestamp[row]! / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
  const days = rows === 0 ? { from: 0, to: 0 } : { from: dayOf(0), to: dayOf(rows - 1) + BUCKET_SECONDS.day };
  const flows = hourAndDayFlows({ ...outline, ...events }, days);
  await folder.write(
    `points/${index}.parquet`,
    encodePoints(flows, plan.asset.resolutions.includes("hour"), folder.codec),
  );
  return { blocks: countBlocks(events) };
}
