/**
 * The stages of a build and their tasks. A task's result depends on nothing but the plan and the results of the stages
 * before; a task that has been done is not done again. Source: docs/code.md#stages.
 */

import type { MetricName } from "../../data-schema/metrics.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { refuseOverdrafts } from "../engine/overdraft.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { type CannotResume, readingInput } from "../failure.ts";
import type { PublishedPoints } from "../output/append.ts";
import type { SeriesFile } from "../output/object.ts";
import type { Publication } from "../publish/publication.ts";
import type { LocalFile } from "../store/pieces.ts";
import { checkRuns } from "./check.ts";
import { divideCheckpoint } from "./divide.ts";
import { sumFlows } from "./flows.ts";
import type { StageFolder } from "./folder.ts";
import { mapShare, type RunFacts } from "./map.ts";
import { cutPeriods } from "./periods.ts";
import { readPlan, type StagePlan } from "./plan.ts";
import { type PartitionFacts, replayPartition } from "./replay.ts";
import { writeUnits } from "./write.ts";

/** The stages between `plan` and `finish`, in order. */
export const TASK_STAGES = ["map", "replay", "flows", "periods", "write"] as const;
export type TaskStage = (typeof TASK_STAGES)[number];

/** The store, as a task needs it. */
export interface StageStore {
  /** The points of the last build to which new ones are appended; `CannotResume` if an object is missing or damaged. */
  published(
    resolution: Resolution,
    period: string,
    metrics: readonly MetricName[],
  ): Promise<PublishedPoints | CannotResume>;
  /** Publishes an object of a series, and returns when there is room for more. */
  putSeries(file: SeriesFile): Promise<void>;
  putCheckpoint(file: LocalFile): Promise<void>;
  /** Ends a task. If the task is a process of its own, waits for its uploads and says what it has put. */
  end(): Promise<Publication["totals"] | undefined>;
}

export interface StageTask {
  plan: StagePlan;
  folder: StageFolder;
  /** From 0. */
  index: number;
  /** What `map` found; empty in that stage itself. */
  runs: readonly RunFacts[];
  /** That a task may use. */
  threads: number;
  store: StageStore;
}

/** What each task of a stage does. */
const STAGES: Record<TaskStage, (task: StageTask) => Promise<unknown>> = {
  map: (task) => {
    const { shares } = task.plan.reading;
    if (task.index < shares.length) return mapShare(task);
    return divideCheckpoint(task.folder, task.index - shares.length, task.plan.partitions);
  },
  replay: replayPartition,
  flows: sumFlows,
  periods: cutPeriods,
  write: writeUnits,
};

/** The mark of a task that is done, with its result. */
interface Done {
  plan: string;
  stage: TaskStage;
  index: number;
  engine: string;
  result: unknown;
}

const doneName = (stage: TaskStage, index: number) => `${stage}/${index}.json`;

/** Does a task, unless it has been done. */
export async function runTask(
  folder: StageFolder,
  stage: TaskStage,
  index: number,
  store: StageStore,
  threads: number,
): Promise<void> {
  const plan = await readPlan(folder);
  if ((await readDone(folder, plan, stage, index)) !== undefined) return;
  const runs = stage === "map" ? [] : await readRuns(folder, plan);
  const result = (await STAGES[stage]({ plan, folder, index, runs, store, threads })) ?? null;
  const done: Done = { plan: plan.id, stage, index, engine: ENGINE_VERSION, result };
  await folder.writeJson(doneName(stage, index), done);
}

async function readDone(folder: StageFolder, plan: StagePlan, stage: TaskStage, index: number) {
  const done = await folder.readJson<Done>(doneName(stage, index));
  const isOfPlan = done?.plan === plan.id && done.stage === stage && done.index === index;
  return isOfPlan && done.engine === ENGINE_VERSION ? { result: done.result } : undefined;
}

/**
 * The results of the first `count` tasks of a stage; all if left out.
 *
 * @throws {Error} one is not done
 */
export async function readResults<Result>(
  folder: StageFolder,
  plan: StagePlan,
  stage: TaskStage,
  count = plan.tasks[stage],
): Promise<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < count; index++) {
    const done = await readDone(folder, plan, stage, index);
    if (!done) throw new MissingTask(stage, index);
    results.push(done.result as Result);
  }
  return results;
}

/** A task was run before one that it needs. */
export class MissingTask extends Error {
  constructor(stage: TaskStage, index: number) {
    super(`task ${index} of the stage ${stage} has not been done`);
  }
}

/** Every task of later stages needs them, and a thread has many tasks of one plan. */
let known: { plan: string; runs: RunFacts[] } | undefined;

/**
 * What `map` has found, checked as a whole.
 *
 * @throws {InputFailure} the runs contradict each other, or there is nothing to publish
 */
export async function readRuns(folder: StageFolder, plan: StagePlan): Promise<RunFacts[]> {
  const id = `${folder.path} ${plan.id}`;
  if (known?.plan !== id) {
    const runs = await readResults<RunFacts>(folder, plan, "map", plan.reading.shares.length);
    await readingInput(() => checkRuns(plan, runs));
    known = { plan: id, runs };
  }
  return known.runs;
}

/**
 * What `replay` has found.
 *
 * @throws {InputFailure} an address sends more than it has: the first event of all partitions that does
 */
export async function readPartitions(folder: StageFolder, plan: StagePlan): Promise<PartitionFacts[]> {
  const partitions = await readResults<PartitionFacts>(folder, plan, "replay");
  await readingInput(async () => refuseOverdrafts(partitions.flatMap(({ overdraft }) => overdraft ?? [])));
  return partitions;
}
