import { Console } from "node:console";
import { Argument, type Command } from "commander";
import { keepDeposits } from "../build/deposits/in-use.ts";
import { taskIndex } from "../build/fleet/task-index.ts";
import type { StageFolder } from "../build/folder/folder.ts";
import { bucketFolderOf, withStageFolder } from "../build/folder/stage-folder.ts";
import { TASK_STAGES, type TaskStage, tasksOfStage } from "../build/left/names.ts";
import { PLAN } from "../build/left/stage-plan.ts";
import { type BuildPlan, fullBuild } from "../build/plan/full-or-resume.ts";
import { prepare } from "../build/plan/prepare.ts";
import { taskSizes } from "../build/plan/sizes.ts";
import { finishAlone, runAlone } from "../build/run/alone.ts";
import { formatReport } from "../build/run/build-report.ts";
import { planFor } from "../build/run/decide.ts";
import { unchanged } from "../build/run/steps.ts";
import { defaultMemory } from "../build/threads/memory.ts";
import { defaultThreads, MAX_THREADS } from "../build/threads/thread-pool.ts";
import type { AssetFile } from "../input/asset/asset.ts";
import { readAssetToBuild } from "../input/fetched/fetched-asset.ts";
import { readingInput } from "../lib/failure.ts";
import { silentProgress } from "../lib/terminal/progress.ts";
import { type StorePlace, withStore } from "../store/open.ts";
import type { ObjectStore } from "../store/store.ts";
import { type Globals, type Io, memorySize, pastTime, sharedFolder, storeOptions, wholeNumber } from "./options.ts";

interface StageFlags extends StorePlace {
  work: string;
  task?: number;
  threads: number;
  memory?: number;
  asOf?: number;
  full?: boolean;
  verify: boolean;
  allowSupply?: true;
  allowShorter?: true;
  rehash?: boolean;
}

/** Stages that have a single task, which needs no number. */
const SINGLE: readonly string[] = ["periods", "finish"];

export function addStage(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  storeOptions(program.command("stage"))
    .description("do a task of a build that is spread over machines")
    .addArgument(new Argument("<stage>", "what to do").choices(["plan", ...TASK_STAGES, "finish"]))
    .argument("<asset.json>", "asset file")
    .requiredOption("--work <dir>", "folder that all tasks share: a path, or r2://bucket/prefix", sharedFolder)
    .option("--task <n>", "the task, from 0; default: the scheduler's", wholeNumber(0))
    .option("--threads <n>", "threads that a task may use", wholeNumber(1, MAX_THREADS), defaultThreads())
    .option(
      "--memory <size>",
      "plan: memory that a task may use, such as 1G (default: half of the machine's)",
      memorySize,
    )
    .option(
      "--as-of <time>",
      "plan: the transfers before this time are complete; overrides asOf in ASSET.json",
      pastTime,
    )
    .option("--full", "plan: replay from the first transfer instead of resuming")
    .option("--no-verify", "plan: activate the build without the final check")
    .option("--allow-supply", "plan: build even if the supply is over 1,000 times maxSupply")
    .option("--allow-shorter", "plan: build even if it would end before the active build, or have fewer transfers")
    .option("--rehash", "plan: read every input file again, even those that have not changed since the last build")
    .action((stage: TaskStage | "plan" | "finish", file: string, flags: StageFlags) =>
      withStore(flags, io.env, async (store) => {
        const asset = await readingInput(() => readAssetToBuild(file, flags.asOf));
        await withStageFolder(flags.work, asset, io.env, async (shared) => {
          if (stage === "plan") for (const line of await planStages(shared, asset, store, flags, error)) log(line);
          else if (stage === "finish") await finish(shared, asset, store, flags.threads);
          else {
            const index = SINGLE.includes(stage) ? 0 : taskIndex(flags.task, io.env);
            await runAlone(shared, store, stage, index, flags.threads);
          }
        });
      }),
    );

  async function finish(
    shared: StageFolder,
    { symbol }: AssetFile,
    store: ObjectStore,
    threads: number,
  ): Promise<void> {
    const began = performance.now();
    const finished = await finishAlone(shared, store, threads);
    if (!finished) return error(`${symbol}: the build is active already.`);
    const seconds = (performance.now() - began) / 1000;
    const report = { ...finished, asset: { symbol }, seconds: { finish: seconds }, wholeSeconds: seconds };
    if (!program.opts<Globals>().quiet) {
      for (const notice of finished.details?.input.notices ?? []) error(`${symbol}: ${notice}`);
      error(formatReport(report));
    }
    log(`${symbol} ${finished.build}`);
  }
}

/** @returns the stages with how many tasks each has; or that there is nothing to do */
async function planStages(
  shared: StageFolder,
  asset: AssetFile,
  store: ObjectStore,
  { threads, memory = defaultMemory(), full = false, verify, allowSupply, rehash = false, work, ...flags }: StageFlags,
  note: (line: string) => void,
): Promise<string[]> {
  await shared.make();
  const planned = await readingInput(() =>
    planFor(asset, store, shared.scratch, {
      threads,
      progress: { ...silentProgress(), note },
      asOf: flags.asOf,
      full,
      allowShorter: flags.allowShorter,
      memory,
      rehash,
      // The digests of inputs are kept on disks only.
      work: bucketFolderOf(work) ? undefined : work,
    }),
  );
  if ("unchanged" in planned) {
    await unchanged(planned.unchanged, planned.publication);
    await shared.remove(PLAN);
    if (planned.deposits) await keepDeposits(asset, shared.scratch);
    return ["unchanged"];
  }
  const { publication, previous, survey, plan, published, deposits } = planned;
  const prepared = (start: BuildPlan) =>
    // A task has a machine's share of its own.
    prepare(shared, {
      asset,
      survey,
      active: publication.previous?.build,
      last: previous,
      start,
      sizes: taskSizes(memory, 1),
      threads,
      verify,
      repair: full,
      allowSupply,
      published,
      deposits,
    });
  const { tasks } = await readingInput(async () => {
    const made = await prepared(plan);
    const { reopened } = made.reading;
    return made.resume && reopened !== undefined ? prepared(fullBuild(reopened)) : made;
  });
  return [...TASK_STAGES.map((stage) => `${stage} ${tasksOfStage(stage, tasks)}`), "finish 1"];
}
