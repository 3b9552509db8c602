/** Tasks as processes of their own, on any machine that has the folder and the store. Source: docs/code.md#stages. */

import { Failure } from "../failure.ts";
import { Publication } from "../publish/publication.ts";
import type { ObjectStore } from "../store/store.ts";
import { finish } from "./finish.ts";
import type { Finished } from "./finished.ts";
import type { StageFolder } from "./folder.ts";
import { joinRuns } from "./join.ts";
import type { TaskStage } from "./names.ts";
import { readPlan } from "./plan.ts";
import { runTask } from "./run-task.ts";
import { readRuns } from "./runs.ts";
import { stageStore } from "./store.ts";

/**
 * Does a task of a stage, unless it has been done.
 *
 * @throws {Failure} there is no such task, or one of a stage before has not been done
 */
export async function runAlone(
  folder: StageFolder,
  store: ObjectStore,
  stage: TaskStage,
  index: number,
  threads: number,
): Promise<void> {
  const plan = await readPlan(folder);
  if (index >= plan.tasks[stage]) {
    throw new Failure(
      `The stage ${stage} of this plan has ${plan.tasks[stage]} tasks; the last is ${plan.tasks[stage] - 1}.`,
    );
  }
  // Only `write` needs to know what the store has.
  const publication =
    stage === "write" ? await Publication.begin(store, plan.asset, { repair: plan.repair }) : undefined;
  const taskStore = publication && stageStore(publication, plan, true);
  await runTask(folder, stage, index, taskStore ?? NO_STORE, threads);
}

const none = () => Promise.reject(new Error("this stage has no use for the store"));
const NO_STORE = { published: none, putSeries: none, putCheckpoint: none, end: none };

/**
 * Finishes the build and activates it, unless it is active already.
 *
 * @returns undefined if it was
 */
export async function finishAlone(folder: StageFolder, store: ObjectStore): Promise<Finished | undefined> {
  const plan = await readPlan(folder);
  const publication = await Publication.begin(store, plan.asset, { repair: plan.repair });
  const active = publication.previous;
  const { build } = joinRuns(plan, await readRuns(folder, plan));
  // An attempt before this one has activated it.
  if (active?.build === build && !plan.repair && (await publication.isRecorded(active))) return undefined;
  const finished = await finish(folder, publication);
  if ("cannotResume" in finished) throw new Failure(`${finished.cannotResume}: plan the build again, with --full.`);
  return finished;
}
