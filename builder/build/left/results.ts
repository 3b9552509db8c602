/** The results of tasks, which also mark that these are done. */

import { ENGINE_VERSION } from "../../engine/formulas.ts";
import { advised } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { Results } from "./facts.ts";
import { fromJson, toJson } from "./json.ts";
import { placeOf, type TaskCounts, type TaskKind, type TaskName } from "./names.ts";
import type { StagePlan } from "./stage-plan.ts";

/** The mark of a task that is done, with its result. */
interface Done<Kind extends TaskKind> extends TaskName {
  kind: Kind;
  plan: string;
  engine: string;
  result: Results[Kind];
}

const nameOf = ({ kind, index }: TaskName) => `results/${kind}/${index}.json`;

export async function writeResult<Kind extends TaskKind>(
  folder: StageFolder,
  plan: StagePlan,
  task: TaskName & { kind: Kind },
  result: Results[Kind],
): Promise<void> {
  const done: Done<Kind> = { ...task, plan: plan.id, engine: ENGINE_VERSION, result };
  await folder.write(nameOf(task), [Buffer.from(toJson(done))]);
}

/** @returns undefined if the task has not been done for this plan */
export async function findResult<Kind extends TaskKind>(
  folder: StageFolder,
  plan: StagePlan,
  task: TaskName & { kind: Kind },
): Promise<{ result: Results[Kind] } | undefined> {
  const text = await folder.readText(nameOf(task));
  const done = text === undefined ? undefined : fromJson<Done<Kind>>(text);
  const isOfPlan = done?.plan === plan.id && done.kind === task.kind && done.index === task.index;
  return isOfPlan && done.engine === ENGINE_VERSION ? { result: done.result } : undefined;
}

/** Results that are read at the same time: a bucket may be far away. */
const AT_ONCE = 16;

/**
 * The results of all tasks of a kind.
 *
 * @throws {Failure} one is not done
 */
export async function readResults<Kind extends TaskKind>(
  folder: StageFolder,
  plan: StagePlan,
  kind: Kind,
): Promise<Results[Kind][]> {
  const count = plan.tasks[kind];
  const results: Results[Kind][] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const tasks = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => ({ kind, index: first + i }));
    const found = await Promise.all(tasks.map((task) => findResult(folder, plan, task)));
    for (const [i, done] of found.entries()) {
      if (!done) throw notDone(plan.asset.path, tasks[i]!, plan.tasks);
      results.push(done.result);
    }
  }
  return results;
}

function notDone(path: string, task: TaskName, counts: TaskCounts): Failure {
  const { stage, number } = placeOf(task, counts);
  return new Failure(
    `Task ${number} of the stage ${stage} has not been done: run ${advised("stage", stage, path, "--task", String(number))} first.`,
  );
}
