/** Builds one asset: digests → survey → plan → read → replay → series → publish. Resumes from the last build if the plan allows. */

import { join } from "node:path";
import type { AssetFile } from "../../input/asset/asset.ts";
import { digestInput } from "../../input/digest-input.ts";
import { behindBucket } from "../../input/fetched/bucket-inputs.ts";
import { readAssetToBuild } from "../../input/fetched/fetched-asset.ts";
import { DigestCache } from "../../input/files/digest-cache.ts";
import { SurveyProgress } from "../../input/files/progress.ts";
import { surveyInput } from "../../input/survey.ts";
import { CannotResume, unresumable } from "../../lib/failure.ts";
import { collectIfLarge } from "../../lib/garbage.ts";
import { StepClock } from "../../lib/terminal/progress.ts";
import { reasonText } from "../../published/history/cause-text.ts";
import { Publication } from "../../published/publish/publication.ts";
import type { ObjectStore } from "../../store/store.ts";
import { readPrevious } from "../checkpoint/previous.ts";
import { type Finished, startText } from "../finish/finished.ts";
import { workFolder } from "../folder/work-folder.ts";
import { largestPublished } from "../guards/max-supply.ts";
import { explainsFewer, publishedEnd, refuseEarlier } from "../guards/shorter.ts";
import { type BuildPlan, fullBuild, isPublished, planBuild } from "../plan/resume.ts";
import { Pool } from "../threads/pool.ts";
import { takeBuildLock } from "./build-lock.ts";
import type { BuildReport } from "./report.ts";
import { type BuildOptions, type BuildWork, carryOut, type Planned, type Unchanged, unchanged } from "./steps.ts";

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
    const asset = await readAssetToBuild(assetPath, options.asOf);
    const { persist, wait, progress } = options;
    if (persist !== undefined) {
      release = await takeBuildLock(persist, asset.symbol, wait ? (sentence) => progress.note(sentence) : undefined);
    }
    const built = await planAndBuild({ asset, store, options, clock, pool, folder: folder.path });
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

type PlanOptions = Pick<BuildOptions, "threads" | "asOf" | "full" | "allowShorter" | "work" | "rehash"> &
  Partial<Pick<BuildOptions, "progress">>;

/**
 * @param folder for what is too large for memory
 * @throws {Failure} as `digestInput`, `surveyInput` and `refuseEarlier`, or the store can't be read
 */
export async function planFor(
  asset: AssetFile,
  store: ObjectStore,
  folder: string,
  { threads, progress, asOf, full = false, allowShorter = false, work, rehash = false }: PlanOptions,
): Promise<Planned | Unchanged> {
  const publication = await Publication.begin(store, asset, { progress, repair: full });
  const behind = await behindBucket(asset, store);
  if (behind) progress?.note(`${asset.symbol}: ${behind}.`);
  const active = publication.previous;
  const published = active && !allowShorter ? publishedEnd(active, asOf !== undefined, behind) : undefined;
  if (published && asset.asOf !== undefined) refuseEarlier(asset, asset.asOf, published);
  const last = await readPrevious(publication, folder).catch(unresumable);
  const previous = last instanceof CannotResume ? undefined : last;
  const surveyed = new SurveyProgress((done, total) => progress?.update(done, total));
  const known =
    full || !previous ? undefined : { files: previous.provenance.files, block: previous.checkpoint.lastEvent.block };
  const cachePath = work === undefined ? undefined : join(work, "digests", `${asset.symbol}.json`);
  const digests = await DigestCache.open(cachePath, !rehash);
  const input = await digestInput(asset, { known: known?.files, progress: surveyed, digests });
  if (!full && previous && isPublished(asset, input, previous)) return { publication, unchanged: previous };
  const survey = await surveyInput(asset, input, { threads, known, progress: surveyed });
  collectIfLarge();
  const plan = full
    ? fullBuild("--full")
    : last instanceof CannotResume
      ? fullBuild(last.message)
      : planBuild(asset, survey, last);
  if (published && active) {
    const recorded = previous ? previous.recorded : await publication.recorded(active);
    const causes = known && plan.kind === "full" ? plan.causes : undefined;
    published.mayHaveFewer = explainsFewer(asset, survey, causes, recorded);
  }
  return { publication, previous, survey, plan: await withMostSupply(asset, store, plan), published };
}

async function withMostSupply(asset: AssetFile, store: ObjectStore, plan: BuildPlan): Promise<BuildPlan> {
  if (plan.kind === "full") return plan;
  const most = await largestPublished(asset, store, plan.previous).catch(unresumable);
  return most instanceof CannotResume ? fullBuild(most.message) : { ...plan, mostSupply: most };
}

async function planAndBuild(work: BuildWork): Promise<Finished> {
  const { asset, store, options, clock, folder } = work;
  for (let problem: string | undefined; ; ) {
    clock.begin("read");
    const planned = await planFor(asset, store, folder, options);
    if ("unchanged" in planned) return unchanged(planned.unchanged, planned.publication);
    const plan = problem === undefined ? planned.plan : fullBuild(problem);
    // Said at once: the report at the end would be late.
    if (plan.kind === "full" && planned.previous) {
      options.progress.note(`${asset.symbol}: ${startText({ reason: reasonText(plan.causes) })}`);
    }
    const built = await carryOut(work, planned, plan).catch(unresumable);
    if (!(built instanceof CannotResume)) return built;
    if (plan.kind === "full") throw built;
    problem = built.message;
  }
}
