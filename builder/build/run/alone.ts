/** Tasks as processes of their own, on any machine that has the folder and the store. Source: docs/code.md#stages. */

import { checkpointKey, namePart, packKey, seriesKey } from "../../../data-schema/stored.ts";
import { isoTime } from "../../../data-schema/text.ts";
import { checkResumes, type JoinedInput } from "../../input/join-shares.ts";
import { advised } from "../../lib/advised.ts";
import { Failure, InputFailure, unresumable } from "../../lib/failure.ts";
import { closedBefore } from "../../published/publish/packing.ts";
import { Publication, publishedMeanwhile } from "../../published/publish/publication.ts";
import type { ObjectStore } from "../../store/store.ts";
import { isDue } from "../deposits/choose.ts";
import { finish } from "../finish/finish.ts";
import type { Finished } from "../finish/finished.ts";
import type { StageFolder } from "../folder/folder.ts";
import { inWords } from "../guards/refusals.ts";
import type { RunFacts, Written } from "../left/facts.ts";
import { joinRuns } from "../left/join.ts";
import { type TaskStage, taskAt, tasksOfStage } from "../left/names.ts";
import { readResults } from "../left/results.ts";
import { readRuns } from "../left/runs.ts";
import { readPlan, type StagePlan } from "../left/stage-plan.ts";
import { NO_STORE } from "../left/task.ts";
import { runTask, writesObjects } from "../stages/task-kinds.ts";
import { stageStore } from "./stage-store.ts";

/**
 * Does a task of a stage, unless it has been done.
 *
 * @throws {Failure} there is no such task, or one of a stage before has not been done
 * @throws {InputFailure} the input is wrong, or the build can't resume
 */
export async function runAlone(
  folder: StageFolder,
  store: ObjectStore,
  stage: TaskStage,
  number: number,
  threads: number,
): Promise<void> {
  const plan = await readPlan(folder);
  const found = taskAt(stage, number, plan.tasks);
  if (!found) {
    const last = tasksOfStage(stage, plan.tasks) - 1;
    throw new Failure(`The stage ${stage} of this plan has tasks 0 to ${last}, but not ${number}.`);
  }
  const { kind, index } = found;
  const runs = stage === "map" ? [] : await readRuns(folder, plan);
  if (stage !== "map" && (plan.resume || plan.deposits)) await joinedInput(plan, runs);
  const task = { plan, folder, index, runs, threads };
  if (!writesObjects(kind)) return runTask(kind, { ...task, store: NO_STORE });
  const publication = await Publication.begin(store, plan.asset, {
    repair: plan.repair,
    countsAttempts: true,
    folder: folder.scratch,
  });
  const isDone = (written: Written) => !plan.repair && isStored(publication, plan, written);
  const end = async () => {
    const cuts = kind === "blocks" ? await readResults(folder, plan, "periods") : [];
    return publication.putAll(closedBefore(joinRuns(plan, runs).asOf, cuts[0]?.periods.block));
  };
  await planningInFull(plan, () => runTask(kind, { ...task, store: stageStore(publication, plan, end) }, isDone));
}

/** Whether the store has what a task has written: since then, a garbage collection may have removed it. Or it is another store. */
function isStored(
  { holds }: Publication,
  { asset: { symbol } }: StagePlan,
  { files, lots, checkpoint, put }: Written,
): boolean {
  const hasCheckpoint =
    !checkpoint || holds({ key: checkpointKey(symbol, namePart(checkpoint.sha256)), size: checkpoint.size });
  return (
    hasCheckpoint &&
    [...files, ...lots].every(({ resolution, metric, period, entry: { hash, size } }) => {
      const key = seriesKey(symbol, resolution, metric, period, hash);
      const pack = put?.places[key];
      return holds(pack ? { key: packKey(symbol, pack.hash), size: pack.size } : { key, size });
    })
  );
}

/**
 * Finishes the build and activates it, unless it is active already.
 *
 * @returns undefined if it was
 */
export async function finishAlone(
  folder: StageFolder,
  store: ObjectStore,
  threads: number,
): Promise<Finished | undefined> {
  const plan = await readPlan(folder);
  const publication = await Publication.begin(store, plan.asset, {
    repair: plan.repair,
    countsAttempts: true,
    folder: folder.scratch,
  });
  const active = publication.previous;
  const runs = await readRuns(folder, plan);
  const { build } = await joinedInput(plan, runs);
  // An attempt before this one has activated it.
  const recorded = active?.build === build && !plan.repair ? await publication.recorded(active) : undefined;
  if (recorded) {
    await publication.restore(recorded);
    await publication.retireFormer();
    return undefined;
  }
  if (active?.build !== build && active?.build !== plan.active) throw publishedMeanwhile(store);
  return planningInFull(plan, () => inWords(() => finish({ folder, plan, runs, publication, threads })));
}

/** @throws {InputFailure} the new transfers don't come after the checkpoint, or the table of deposit addresses is of an earlier month */
async function joinedInput(plan: StagePlan, runs: readonly RunFacts[]): Promise<JoinedInput> {
  const input = joinRuns(plan, runs);
  if (plan.resume) await planningInFull(plan, async () => checkResumes(input, plan.resume!.checkpoint.time));
  if (isDue(plan.deposits, input.asOf)) {
    const { path } = plan.asset;
    throw new InputFailure(
      `A month has ended since the deposit addresses were computed: plan the build again, with ${advised("stage", "plan", path, "--as-of", isoTime(input.asOf))}.`,
    );
  }
  return input;
}

/** Does a step of a build that has been planned for many machines. @throws {InputFailure} it can't resume: says to plan a full one */
async function planningInFull<T>({ asset }: StagePlan, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const { message } = unresumable(error);
    throw new InputFailure(`${message}: plan the build again, with ${advised("stage", "plan", asset.path, "--full")}.`);
  }
}
