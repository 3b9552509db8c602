/** Carries out the plan of a build: its stages, one after the other, on the threads of this process. */

import type { AssetFile } from "../../input/asset/asset.ts";
import { NO_LABELS } from "../../input/labels/labels.ts";
import { checkResumes, NEW_ROWS_UNREADABLE } from "../../input/report.ts";
import type { Survey } from "../../input/survey.ts";
import { wholeReading } from "../../input/transfers/plan-reading.ts";
import { CannotResume, InputFailure } from "../../lib/failure.ts";
import { collectIfLarge } from "../../lib/garbage.ts";
import type { Progress, StepClock } from "../../lib/terminal/progress.ts";
import type { Publication } from "../../published/publish/publication.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { Previous } from "../checkpoint/previous.ts";
import { finish } from "../finish/finish.ts";
import { finishCohorts } from "../finish/finish-cohorts.ts";
import type { Finished } from "../finish/finished.ts";
import { LocalFolder } from "../folder/local-folder.ts";
import { SupplyFailure } from "../guards/max-supply.ts";
import { type PublishedEnd, ShorterFailure } from "../guards/shorter.ts";
import type { RunFacts } from "../left/facts.ts";
import { joinRuns } from "../left/join.ts";
import { STAGES, type TaskKind } from "../left/names.ts";
import { readResults } from "../left/results.ts";
import { readRuns } from "../left/runs.ts";
import { prepare } from "../plan/prepare.ts";
import { type BuildPlan, isActive } from "../plan/resume.ts";
import { FEW_ROWS, type TaskSizes, taskSizes } from "../plan/sizes.ts";
import { tasksOf } from "../stages/kinds.ts";
import { blockBytes } from "../stages/units.ts";
import { defaultMemory } from "../threads/memory.ts";
import type { Pool } from "../threads/pool.ts";
import { stageStore } from "./store.ts";

export interface BuildOptions {
  threads: number;
  /** Threads shared by several builds, because they are slow to start. Without a pool, a build starts its own threads. */
  pool?: Pool | undefined;
  progress: Progress;
  /** Overrides the asset file's `asOf`, Unix seconds. It may be before the end of the active build. */
  asOf?: number | undefined;
  /** Replay the whole history even if the build could resume. */
  full?: boolean | undefined;
  /** Verify the build before it is activated. Default: true. */
  verify?: boolean | undefined;
  /** Build even if the supply is far over `maxSupply`. */
  allowSupply?: boolean | undefined;
  /** Build even if the build would end before the active one, or have fewer transfers. */
  allowShorter?: boolean | undefined;
  /** The folder for what is too large for memory. Default: that of the system for temporary files. */
  work?: string | undefined;
  /** Bytes that the build may use. Default: half of what the machine, or its control group, has. */
  memory?: number | undefined;
  /** How large tasks are, instead of what follows from `memory`. */
  sizes?: TaskSizes | undefined;
  /** The state folder of a local store, in which an asset is built by one process at a time. */
  persist?: string | undefined;
  /** Wait for another build of an asset instead of failing. */
  wait?: boolean | undefined;
  /** Digest all input files, even those that have not changed since the last build. */
  rehash?: boolean | undefined;
}

/** What the steps of a build share. */
export interface BuildWork {
  asset: AssetFile;
  store: ObjectStore;
  options: BuildOptions;
  clock: StepClock;
  pool: Pool;
  /** Removed when the build ends. */
  folder: string;
}

/** What is known before transfers are read, and the plan that follows from it. */
export interface Planned {
  publication: Publication;
  /** The last build, if there is one to resume from. */
  previous: Previous | undefined;
  survey: Survey;
  plan: BuildPlan;
  /** What the build may not fall short of; undefined if it may, or there is nothing. */
  published: PublishedEnd | undefined;
}

/** A build of the same input is active: there is nothing to do. */
export interface Unchanged {
  publication: Publication;
  unchanged: Previous;
}

/** Leaves the active build; if its objects have lost their metadata, they get it again. */
export async function unchanged(
  { manifest, recorded, checkpoint }: Previous,
  publication: Publication,
): Promise<Finished> {
  if (recorded) await publication.restore(recorded);
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

/** Threads for the tasks: a second one would take longer to start and to warm up than a few new rows take. */
function threadsFor(survey: Survey, active: BuildPlan, threads: number): number {
  if (active.kind === "full") return threads;
  const { previous, files } = active;
  const { rows } = wholeReading(survey, { lastBlock: previous.checkpoint.lastEvent.block, files });
  return rows <= FEW_ROWS ? 1 : threads;
}

/**
 * Carries out a plan. The labels of the survey are let go of.
 *
 * @throws {CannotResume} an object that would be extended is damaged, or the new rows don't come after the checkpoint
 */
export async function carryOut(work: BuildWork, planned: Planned, active: BuildPlan): Promise<Finished> {
  const { asset, options, clock, pool } = work;
  const { publication, survey, previous, published } = planned;
  const { progress, verify = true, full = false, allowSupply } = options;
  const threads = threadsFor(survey, active, options.threads);
  const sizes = options.sizes ?? taskSizes(options.memory ?? defaultMemory(), threads);
  const resumed = active.kind === "incremental" ? active.previous : undefined;
  const folder = new LocalFolder(work.folder, asset.path, false);
  await pool.start(threads);
  const plan = await prepare(folder, {
    asset,
    survey,
    active: publication.previous?.build,
    last: previous,
    start: active,
    sizes,
    threads,
    verify,
    repair: full,
    allowSupply,
    published,
  });
  const { notices } = survey.labels;
  // They are in the folder now, and may be millions.
  survey.labels = NO_LABELS;
  collectIfLarge();
  if (resumed?.recorded && active.kind === "incremental" && active.onlyLists.length > 0) {
    for (const notice of notices) progress.note(`${asset.symbol}: ${notice}`);
    clock.begin("series");
    return finishCohorts({ folder, plan, publication, threads: options.threads }, resumed.recorded);
  }
  const store = stageStore(publication, plan, false);
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
  await drop("halves", "dictionary", "seeds");
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
  return finish({ folder, plan, runs, publication, threads: options.threads });
}
