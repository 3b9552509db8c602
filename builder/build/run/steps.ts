/** The steps of a build: it decides, and carries out the stages of its plan, one after the other, on the threads of this process. */

import type { AssetFile } from "../../input/asset/asset.ts";
import { checkResumes, NEW_ROWS_UNREADABLE } from "../../input/join-shares.ts";
import type { Survey } from "../../input/survey.ts";
import { wholeReading } from "../../input/transfers/share-out.ts";
import { CannotResume, InputFailure } from "../../lib/failure.ts";
import { collectIfLarge } from "../../lib/garbage.ts";
import type { StepClock } from "../../lib/terminal/progress.ts";
import { reasonText } from "../../published/history/cause-text.ts";
import type { Publication } from "../../published/publish/publication.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { Previous } from "../checkpoint/previous.ts";
import { isDue } from "../deposits/choose.ts";
import { keepDeposits } from "../deposits/in-use.ts";
import { finish } from "../finish/finish.ts";
import { finishCohorts } from "../finish/finish-cohorts.ts";
import { type Finished, startText } from "../finish/finished.ts";
import { LocalFolder } from "../folder/local-folder.ts";
import { SupplyFailure } from "../guards/max-supply.ts";
import { inWords } from "../guards/refusals.ts";
import { ShorterFailure } from "../guards/shorter.ts";
import type { RunFacts } from "../left/facts.ts";
import { joinRuns } from "../left/join.ts";
import { STAGES, type TaskKind } from "../left/names.ts";
import { readResults } from "../left/results.ts";
import { readRuns } from "../left/runs.ts";
import { lotMethods, type StagePlan } from "../left/stage-plan.ts";
import { type BuildPlan, fullBuild, isActive } from "../plan/full-or-resume.ts";
import { prepare } from "../plan/prepare.ts";
import { FEW_ROWS, type TaskSizes, taskSizes } from "../plan/sizes.ts";
import { tasksOf } from "../stages/task-kinds.ts";
import { blockBytes } from "../stages/write/write-units.ts";
import { defaultMemory } from "../threads/memory.ts";
import type { Pool } from "../threads/thread-pool.ts";
import type { BuildOptions } from "./build-options.ts";
import { type ActiveBuild, planFor } from "./decide.ts";
import { stageStore } from "./stage-store.ts";

/** What the steps of a build share. */
export interface BuildTask {
  asset: AssetFile;
  store: ObjectStore;
  options: BuildOptions;
  clock: StepClock;
  pool: Pool;
  /** Removed when the build ends. */
  folder: string;
}

/** Leaves the active build; if its objects have lost their metadata, they get it again. */
export async function unchanged(
  { manifest, recorded, checkpoint }: ActiveBuild,
  publication: Publication,
): Promise<Finished> {
  if (recorded) await publication.restore(recorded);
  await publication.retireFormer();
  return {
    build: manifest.build,
    start: { from: checkpoint.time },
    isUnchanged: true,
    transfers: manifest.counts.transfers,
    replayed: 0,
    published: publication.totals,
  };
}

/** Whether a full build would be refused likewise. */
const isRefusal = (error: unknown) => error instanceof SupplyFailure || error instanceof ShorterFailure;

/** Addresses that the main thread merges in a second or two: so long it answers no signal, and shows no progress. */
const MOST_HELD_HERE = 1_000_000;

/**
 * Threads for the tasks: a second one would take longer to start and to warm up than a few new rows take. Unless very many
 * addresses have held the token, not even one is worth that: 0 stands for the main thread.
 */
function threadsFor(survey: Survey, active: BuildPlan, threads: number): number {
  if (active.kind === "full") return threads;
  const { previous, files } = active;
  const { rows } = wholeReading(survey, { lastBlock: previous.checkpoint.lastEvent.block, files });
  if (rows > FEW_ROWS) return threads;
  return previous.file.rowCount <= MOST_HELD_HERE ? 0 : 1;
}

/** A build whose plan is in its folder. The labels are there, too: they may be millions, and no longer in memory. */
interface Begun {
  publication: Publication;
  plan: StagePlan;
  folder: LocalFolder;
  /** The last build, if this one resumes from it. */
  resumed: Previous | undefined;
  /** Whether nothing but the lists of own cohorts has changed. */
  isOfLists: boolean;
  threads: number;
  sizes: TaskSizes;
}

/** What an attempt before this one has shown. */
export interface Attempt {
  /** Why the build can't resume. */
  problem?: string;
  /** That a month has ended since the table of deposit addresses was computed. */
  detectsAnew?: true;
}

/**
 * Decides what a build will do, and leaves its plan in the folder.
 *
 * @returns what there is already, if nothing has changed
 * @throws {Failure} as `planFor` and `prepare`
 */
export async function begin(task: BuildTask, { problem, detectsAnew }: Attempt): Promise<Begun | Finished> {
  const { asset, store, options, clock, pool } = task;
  const { progress, verify = true, full = false, allowSupply } = options;
  clock.begin("read");
  // What could not be extended may be damaged, and a listing does not show that.
  const repairs = full || problem !== undefined;
  const planned = await planFor(asset, store, task.folder, { ...options, detectsAnew, repairs });
  if ("unchanged" in planned) {
    if (planned.deposits) await keepDeposits(asset, task.folder);
    return unchanged(planned.unchanged, planned.publication);
  }
  const { publication, survey, previous, published, deposits } = planned;
  const active = problem === undefined || planned.plan.kind === "full" ? planned.plan : fullBuild(problem);
  // Said at once: the report at the end would be late.
  if (active.kind === "full" && previous) {
    progress.note(`${asset.symbol}: ${startText({ reason: reasonText(active.causes) })}`);
  }
  const poolThreads = threadsFor(survey, active, options.threads);
  const threads = Math.max(1, poolThreads);
  const sizes = options.sizes ?? taskSizes(options.memory ?? defaultMemory(), threads);
  const folder = new LocalFolder(task.folder, asset.path, false);
  await pool.start(poolThreads);
  const plan = await prepare(folder, {
    asset,
    survey,
    active: publication.previous?.build,
    last: previous,
    start: active,
    sizes,
    threads,
    verify,
    repair: repairs,
    allowSupply,
    published,
    deposits,
  });
  const resumed = active.kind === "incremental" ? active.previous : undefined;
  const isOfLists = active.kind === "incremental" && active.onlyBeside.length > 0;
  return { publication, plan, folder, resumed, isOfLists, threads, sizes };
}

/**
 * Carries out the plan of a build.
 *
 * @returns undefined if the last transfer, which alone tells the build's as-of, is of a later month than its table of deposit
 *   addresses
 * @throws {CannotResume} an object that would be extended is damaged, or the new rows don't come after the checkpoint
 */
export async function carryOut(
  { asset, options, clock, pool }: BuildTask,
  begun: Begun,
): Promise<Finished | undefined> {
  const { publication, plan, folder, resumed, threads, sizes } = begun;
  const { progress } = options;
  if (resumed && plan.reading.reopened !== undefined) throw new CannotResume(plan.reading.reopened);
  collectIfLarge();
  if (resumed?.recorded && begun.isOfLists) {
    for (const notice of plan.survey.labels.notices) progress.note(`${asset.symbol}: ${notice}`);
    clock.begin("series");
    const { recorded } = resumed;
    return inWords(() => finishCohorts({ folder, plan, publication, threads: options.threads }, recorded));
  }
  const store = stageStore(publication, plan);
  let runs: RunFacts[] = [];
  const run = (kinds: readonly TaskKind[], atOnce = threads) => {
    const tasks = tasksOf(kinds, { plan, runs });
    return pool.run({ folder, plan, runs, store }, tasks, atOnce, (done) => progress.update(done, tasks.length));
  };
  /** Makes room on the disk. */
  const drop = (...names: string[]) => Promise.all(names.map((name) => folder.remove(name)));

  try {
    await run(STAGES.map);
    // Own cohorts are read last.
    if (plan.survey.lists.length === 0) await drop(...Object.values(plan.reading.sorted));
    runs = await readRuns(folder, plan);
    const input = joinRuns(plan, runs);
    if (resumed) checkResumes(input, resumed.checkpoint.time);
    if (isDue(plan.deposits, input.asOf)) return undefined;
    for (const notice of input.report.notices) progress.note(`${asset.symbol}: ${notice}`);
    if (resumed && isActive(resumed, input.build)) return unchanged(resumed, publication);
  } catch (error) {
    // A full build reads each file from its start, so its message has the right row number.
    if (resumed && error instanceof InputFailure && !isRefusal(error)) {
      throw new CannotResume(NEW_ROWS_UNREADABLE);
    }
    throw error;
  }
  clock.begin("replay");
  await run(STAGES.replay);
  await drop("halves", "dictionary", "seeds", ...lotMethods(plan).map((method) => `lot-seeds-${method}`));
  clock.begin("series");
  // First that which takes longest.
  await run(["holders", "hours", "flows"]);
  await run(STAGES.periods);
  const [cuts] = await readResults(folder, plan, "periods");
  await run(["blocks"], sizes.writesAtOnce(blockBytes(plan, cuts!)));
  clock.begin("publish");
  await pool.rest();
  collectIfLarge();
  // The history of a new list is read whole, however few rows are new.
  return inWords(() => finish({ folder, plan, runs, publication, threads: options.threads }));
}
