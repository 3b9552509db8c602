/** Builds one asset: digests → survey → plan → read → replay → series → publish. Resumes from the last build if the plan allows. */

import { readAssetToBuild } from "../../input/fetched/fetched-asset.ts";
import { CannotResume, unresumable } from "../../lib/failure.ts";
import { StepClock } from "../../lib/terminal/progress.ts";
import type { ObjectStore } from "../../store/store.ts";
import { keepDeposits } from "../deposits/in-use.ts";
import type { Finished } from "../finish/finished.ts";
import { workFolder } from "../folder/work-folder.ts";
import { Pool } from "../threads/thread-pool.ts";
import { takeBuildLock } from "./build-lock.ts";
import type { BuildOptions } from "./build-options.ts";
import type { BuildReport } from "./build-report.ts";
import { type Attempt, type BuildTask, begin, carryOut } from "./steps.ts";

/**
 * Builds an asset and publishes it.
 *
 * @throws {Failure} the input is invalid or the store can't be written; the active build stays as it was
 */
export async function build(assetPath: string, store: ObjectStore, options: BuildOptions): Promise<BuildReport> {
  const clock = new StepClock(options.progress);
  const began = performance.now();
  const folder = workFolder(options.work);
  const pool = options.pool ?? new Pool(options.threads, options.memory);
  let release: (() => Promise<void>) | undefined;
  try {
    const { persist, wait, progress } = options;
    const asset = await readAssetToBuild(assetPath, options.asOf, (sentence) => progress.note(sentence));
    if (persist !== undefined) {
      release = await takeBuildLock(persist, asset.symbol, wait ? (sentence) => progress.note(sentence) : undefined);
    }
    const built = await decideAndBuild({ asset, store, options, clock, pool, folder: folder.path });
    clock.end();
    return { asset, ...built, seconds: clock.seconds, wholeSeconds: (performance.now() - began) / 1000 };
  } finally {
    // A running progress bar would keep the process alive.
    clock.end();
    if (!options.pool) await pool.close();
    folder.remove();
    await release?.();
  }
}

async function decideAndBuild(task: BuildTask): Promise<Finished> {
  for (const attempt: Attempt = {}; ; ) {
    const begun = await begin(task, attempt);
    if ("build" in begun) return begun;
    const built = await carryOut(task, begun).catch(unresumable);
    if (!built) {
      attempt.detectsAnew = true;
      continue;
    }
    if (!(built instanceof CannotResume)) {
      if (begun.plan.deposits) await keepDeposits(task.asset, task.folder);
      return built;
    }
    // A full build reads what it takes along of packs: one that repairs computes and puts that, too.
    if (begun.plan.repair) throw built;
    attempt.problem = built.message;
  }
}
