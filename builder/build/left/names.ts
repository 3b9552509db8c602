/** The kinds of tasks between `plan` and `finish`, by stage, in order. What each does is in kinds.ts. */
export const STAGES = {
  map: ["map", "divide"],
  replay: ["replay"],
  flows: ["flows", "holders"],
  periods: ["periods"],
  write: ["hours", "blocks"],
} as const;

export type TaskStage = keyof typeof STAGES;
export type TaskKind = (typeof STAGES)[TaskStage][number];

export const TASK_STAGES = Object.keys(STAGES) as TaskStage[];

const kindsOf = (stage: TaskStage): readonly TaskKind[] => STAGES[stage];

/** How many tasks of each kind a build has. */
export type TaskCounts = Record<TaskKind, number>;

/** One task: `index` counts those of its kind, from 0. */
export interface TaskName {
  kind: TaskKind;
  index: number;
}

/** How many tasks a stage has: those of its kinds, one after the other. */
export function tasksOfStage(stage: TaskStage, counts: TaskCounts): number {
  return kindsOf(stage).reduce((sum, kind) => sum + counts[kind], 0);
}

/** A task of a stage by its number, from 0; undefined if the stage has fewer. */
export function taskAt(stage: TaskStage, number: number, counts: TaskCounts): TaskName | undefined {
  let index = number;
  for (const kind of kindsOf(stage)) {
    if (index < counts[kind]) return { kind, index };
    index -= counts[kind];
  }
  return undefined;
}

/** The stage of a task, and its number there: the inverse of `taskAt`. */
export function placeOf({ kind, index }: TaskName, counts: TaskCounts): { stage: TaskStage; number: number } {
  const stage = TASK_STAGES.find((one) => kindsOf(one).includes(kind))!;
  const kinds = kindsOf(stage);
  const before = kinds.slice(0, kinds.indexOf(kind));
  return { stage, number: before.reduce((sum, one) => sum + counts[one], index) };
}
