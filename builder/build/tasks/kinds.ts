/**
 * Does a task of a stage. Its result depends on nothing but the plan and the results of the stages before; a task that has
 * been done is not done again. Source: docs/code.md#stages.
 */

import { cutPeriods } from "./cut-periods.ts";
import { divideCheckpoint } from "./divide.ts";
import { sumFlows } from "./flows.ts";
import { mergeHolders } from "./holders.ts";
import { mapShare } from "./map.ts";
import type { TaskStage } from "./names.ts";
import { replayPartition } from "./replay.ts";
import { findResult, writeResult } from "./results.ts";
import type { StageTask } from "./task.ts";
import { writeUnits } from "./write.ts";

/** What each task of a stage does. */
const STAGES: Record<TaskStage, (task: StageTask) => Promise<unknown>> = {
  map: (task) => {
    const { shares } = task.plan.reading;
    if (task.index < shares.length) return mapShare(task);
    return divideCheckpoint(task.folder, task.index - shares.length, task.plan.partitions);
  },
  replay: replayPartition,
  flows: (task) => (task.index < task.plan.reading.shares.length ? sumFlows(task) : mergeHolders(task)),
  periods: cutPeriods,
  write: writeUnits,
};

/** @param isDone whether the result of a task is still worth something; if not, the task is done again */
export async function runTask(
  stage: TaskStage,
  task: StageTask,
  isDone: (result: unknown) => boolean = () => true,
): Promise<void> {
  const { folder, plan, index } = task;
  const found = await findResult(folder, plan, stage, index);
  if (found && isDone(found.result)) return;
  const result = await STAGES[stage](task);
  await writeResult(folder, plan, stage, index, result ?? null);
}
