/** The results of tasks, which also mark that these are done. */

import { ENGINE_VERSION } from "../../engine/version.ts";
import { Failure } from "../../lib/failure.ts";
import type { StageFolder } from "./folder.ts";
import { fromJson, toJson } from "./json.ts";
import type { TaskStage } from "./names.ts";
import type { StagePlan } from "./plan.ts";

/** The mark of a task that is done, with its result. */
interface Done {
  plan: string;
  stage: TaskStage;
  index: number;
  engine: string;
  result: unknown;
}

const nameOf = (stage: TaskStage, index: number) => `${stage}/${index}.json`;

export async function writeResult(
  folder: StageFolder,
  plan: StagePlan,
  stage: TaskStage,
  index: number,
  result: unknown,
): Promise<void> {
  const done: Done = { plan: plan.id, stage, index, engine: ENGINE_VERSION, result };
  await folder.write(nameOf(stage, index), [Buffer.from(toJson(done))]);
}

/** @returns undefined if the task has not been done for this plan */
export async function findResult(folder: StageFolder, plan: StagePlan, stage: TaskStage, index: number) {
  const text = await folder.readText(nameOf(stage, index));
  const done = text === undefined ? undefined : fromJson<Done>(text);
  const isOfPlan = done?.plan === plan.id && done.stage === stage && done.index === index;
  return isOfPlan && done.engine === ENGINE_VERSION ? { result: done.result } : undefined;
}

/** Results that are read at the same time: a bucket may be far away. */
const AT_ONCE = 16;

/**
 * The results of the first `count` tasks of a stage; all if left out.
 *
 * @throws {Failure} one is not done
 */
export async function readResults<Result>(
  folder: StageFolder,
  plan: StagePlan,
  stage: TaskStage,
  count = plan.tasks[stage],
): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => first + i);
    const found = await Promise.all(indexes.map((index) => findResult(folder, plan, stage, index)));
    for (const [i, done] of found.entries()) results.push(resultOf(done, stage, first + i));
  }
  return results;
}

/** @throws {Failure} the task has not been done */
export async function readResult<Result>(
  folder: StageFolder,
  plan: StagePlan,
  stage: TaskStage,
  index: number,
): Promise<Result> {
  return resultOf(await findResult(folder, plan, stage, index), stage, index);
}

function resultOf<Result>(done: { result: unknown } | undefined, stage: TaskStage, index: number): Result {
  if (!done) throw new Failure(`Task ${index} of the stage ${stage} has not been done: run it first.`);
  return done.result as Result;
}
