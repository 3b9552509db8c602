/**
 * What the tasks of each kind do, and which they need. The result of a task depends on nothing but the plan and the results
 * of those; a task that has been done is not done again. Source: docs/code.md#stages.
 */

import { inWords } from "../guards/refusals.ts";
import type { Results } from "../left/facts.ts";
import type { TaskKind, TaskName } from "../left/names.ts";
import { findResult, writeResult } from "../left/results.ts";
import type { StageTask } from "../left/task.ts";
import { cutPeriods } from "./cut-periods.ts";
import { divideCheckpoint } from "./divide.ts";
import { mergeHolders } from "./holders.ts";
import { mapShare } from "./map.ts";
import { replayPartition } from "./replay-partition.ts";
import { sumFlows } from "./replayed.ts";
import { writeBlocks, writeHours } from "./write/write-objects.ts";
import { hourRuns } from "./write/write-units.ts";

/** What has to be done before a task: all tasks of a kind, or some of them. */
type Needs = Partial<Record<TaskKind, "all" | ((task: Pick<StageTask, "plan" | "runs" | "index">) => number[])>>;

interface Kind<Result> {
  needs: Needs;
  /** @returns what later tasks read by `readResults`; its files are named in layouts.ts */
  run: (task: StageTask) => Promise<Result>;
  /** Whether it puts objects into the store. */
  writes?: true;
}

export const KINDS: { [Name in TaskKind]: Kind<Results[Name]> } = {
  map: { needs: {}, run: mapShare },
  divide: { needs: {}, run: (task) => divideCheckpoint(task).then(() => null) },
  replay: { needs: { map: "all", divide: "all" }, run: replayPartition },
  flows: { needs: { replay: "all" }, run: sumFlows },
  holders: { needs: { replay: "all" }, run: mergeHolders },
  periods: { needs: { flows: "all" }, run: cutPeriods },
  // A year as soon as its flows are known: the store is slower than the rest.
  hours: { needs: { flows: hourRuns }, run: writeHours, writes: true },
  blocks: { needs: { holders: "all", periods: "all" }, run: writeBlocks, writes: true },
};

export const writesObjects = (kind: TaskKind): kind is "hours" | "blocks" => KINDS[kind].writes === true;

/** A task with those that it waits for. */
export interface PlannedTask extends TaskName {
  after: readonly PlannedTask[];
}

/** All tasks of some kinds, in their order, each after those of the same kinds that it needs. */
export function tasksOf(kinds: readonly TaskKind[], shared: Pick<StageTask, "plan" | "runs">): PlannedTask[] {
  const byKind = new Map<TaskKind, PlannedTask[]>();
  const plan = (kind: TaskKind): PlannedTask[] => {
    const known = byKind.get(kind);
    if (known) return known;
    const tasks = Array.from({ length: shared.plan.tasks[kind] }, (_, index) => {
      const needs = Object.entries(KINDS[kind].needs) as [TaskKind, NonNullable<Needs[TaskKind]>][];
      const after = needs.flatMap(([needed, which]) => {
        const all = kinds.includes(needed) ? plan(needed) : [];
        return which === "all" || all.length === 0 ? all : which({ ...shared, index }).map((one) => all[one]!);
      });
      return { kind, index, after };
    });
    byKind.set(kind, tasks);
    return tasks;
  };
  return kinds.flatMap(plan);
}

/** @param isDone whether the result of a task is still worth something; if not, the task is done again */
export async function runTask<Name extends TaskKind>(
  kind: Name,
  task: StageTask,
  isDone: (result: Results[Name]) => boolean = () => true,
): Promise<void> {
  const { folder, plan, index } = task;
  const found = await findResult(folder, plan, { kind, index });
  if (found && isDone(found.result)) return;
  const result = await inWords(() => KINDS[kind].run(task));
  await writeResult(folder, plan, { kind, index }, result);
}
