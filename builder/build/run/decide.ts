/** Decides what a build will do, before transfers are read. */

import { join } from "node:path";
import type { Cause } from "../../../data-schema/stored.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { computeBuildId } from "../../input/asset/build-id.ts";
import { digestInput, withDepositCohort } from "../../input/digest-input.ts";
import { behindBucket } from "../../input/fetched/bucket-inputs.ts";
import { DigestCache } from "../../input/files/digest-cache.ts";
import { SurveyProgress } from "../../input/files/survey-progress.ts";
import { type Survey, surveyInput } from "../../input/survey.ts";
import { CannotResume, unresumable } from "../../lib/failure.ts";
import { collectIfLarge } from "../../lib/garbage.ts";
import { Publication } from "../../published/publish/publication.ts";
import type { ObjectStore } from "../../store/store.ts";
import { type Previous, readPrevious } from "../checkpoint/previous.ts";
import { findDeposits } from "../deposits/in-use.ts";
import { largestPublished } from "../guards/max-supply.ts";
import { explainsFewer, type PublishedEnd, publishedEnd, refuseEarlier } from "../guards/shorter.ts";
import type { DepositsInUse } from "../left/stage-plan.ts";
import { type BuildPlan, fullBuild, isPublished, planBuild } from "../plan/full-or-resume.ts";
import { defaultMemory } from "../threads/memory.ts";
import type { BuildOptions } from "./build-options.ts";

/** What is known before transfers are read, and the plan that follows from it. */
export interface Planned {
  publication: Publication;
  /** The last build, if there is one to resume from. */
  previous: Previous | undefined;
  survey: Survey;
  plan: BuildPlan;
  /** What the build may not fall short of; undefined if it may, or there is nothing. */
  published: PublishedEnd | undefined;
  /** The table of deposit addresses, which is in the folder; undefined where builds detect none. */
  deposits: DepositsInUse | undefined;
}

/** The active build; `recorded` is undefined, too, where nothing needs it. */
export type ActiveBuild = Pick<Previous, "manifest" | "recorded"> & { checkpoint: { time: number } };

/** A build of the same input is active: there is nothing to do. */
export interface Unchanged {
  publication: Publication;
  unchanged: ActiveBuild;
  deposits: DepositsInUse | undefined;
}

type PlanOptions = Pick<BuildOptions, "threads" | "asOf" | "full" | "allowShorter" | "work" | "rehash" | "memory"> &
  Partial<Pick<BuildOptions, "progress">> & {
    /** Compute the table of deposit addresses whatever there is. */
    detectsAnew?: boolean | undefined;
    /** Objects are damaged: what is there already is read, and replaced where it is not what it should be. */
    repairs?: boolean;
  };

/**
 * @param folder for what is too large for memory
 * @throws {Failure} as `digestInput`, `surveyInput` and `refuseEarlier`, or the store can't be read
 */
export async function planFor(
  asset: AssetFile,
  store: ObjectStore,
  folder: string,
  {
    threads,
    progress,
    asOf,
    full = false,
    allowShorter = false,
    work,
    rehash = false,
    repairs = full,
    ...options
  }: PlanOptions,
): Promise<Planned | Unchanged> {
  const publication = await Publication.begin(store, asset, { progress, repair: repairs, folder });
  const surveyed = new SurveyProgress((done, total) => progress?.update(done, total));
  const cachePath = work === undefined ? undefined : join(work, "digests", `${asset.symbol}.json`);
  const digests = await DigestCache.open(cachePath, !rehash);
  if (!full && !repairs && !options.detectsAnew && mayBePublished(asset, publication)) {
    const same = await sameAsActive(asset, publication, { progress: surveyed, digests });
    if (same) return same;
  }
  const behind = await behindBucket(asset, store);
  if (behind) progress?.note(`${asset.symbol}: ${behind}.`);
  const active = publication.previous;
  const published = active && !allowShorter ? publishedEnd(active, asOf !== undefined, behind) : undefined;
  if (published && asset.asOf !== undefined) refuseEarlier(asset, asset.asOf, published);
  const last = await readPrevious(publication, folder).catch(unresumable);
  const previous = last instanceof CannotResume ? undefined : last;
  const known =
    full || !previous ? undefined : { files: previous.provenance.files, block: previous.checkpoint.lastEvent.block };
  const files = await digestInput(asset, { known: known?.files, progress: surveyed, digests });
  const { input: found, ...deposits } = asset.detectsDeposits
    ? await findDeposits(asset, files, {
        store: publication.store,
        active: active?.deposits,
        asOf: asset.asOf,
        isAnew: options.detectsAnew,
        folder,
        memory: options.memory ?? defaultMemory(),
        threads,
      })
    : { input: files };
  const input = withDepositCohort(asset, found);
  const inUse = asset.detectsDeposits ? deposits : undefined;
  if (!full && previous && isPublished(asset, input, previous)) {
    return { publication, unchanged: previous, deposits: inUse };
  }
  const survey = await surveyInput(asset, input, { threads, known, progress: surveyed });
  collectIfLarge();
  const planned = full
    ? fullBuild("--full")
    : last instanceof CannotResume
      ? fullBuild(last.message)
      : planBuild(asset, survey, last);
  const plan = await withMostSupply(asset, publication.store, withDeposits(planned, inUse?.change));
  if (plan.kind === "full") await publication.list();
  if (published && active) {
    const recorded = previous ? previous.recorded : await publication.recorded(active);
    const causes = known && plan.kind === "full" ? plan.causes : undefined;
    published.mayHaveFewer = explainsFewer(asset, survey, causes, recorded);
  }
  return {
    publication,
    previous,
    survey,
    plan,
    published,
    deposits: inUse,
  };
}

/** Whether the active build is of the same time, and lists show it as the Worker needs it. */
const mayBePublished = ({ asOf }: AssetFile, { previous, isInCatalog }: Publication): boolean =>
  asOf !== undefined && previous !== undefined && isInCatalog && Date.parse(previous.asOf) === asOf * 1000;

/**
 * The active build, if it is of the same input: its manifest alone tells. What it names is not looked for.
 *
 * @returns undefined if it is of another, or has no day
 */
async function sameAsActive(
  asset: AssetFile,
  publication: Publication,
  options: Parameters<typeof digestInput>[1],
): Promise<Unchanged | undefined> {
  const manifest = publication.previous!;
  if (!manifest.holders) return undefined;
  const input = withDepositCohort(asset, await digestInput(asset, options));
  if (computeBuildId(asset, asset.asOf!, input) !== manifest.build) return undefined;
  const { time } = manifest.holders;
  return { publication, unchanged: { manifest, recorded: undefined, checkpoint: { time } }, deposits: undefined };
}

/** Says how the deposit addresses have changed: that is why labels have. */
function withDeposits(plan: BuildPlan, change: DepositsInUse["change"]): BuildPlan {
  if (plan.kind !== "full" || !change) return plan;
  const isLabels = ({ kind }: Cause) => kind === "labels";
  const others = plan.causes.filter((cause) => !isLabels(cause));
  return { ...plan, causes: [...others, { kind: "deposits", ...change }, ...plan.causes.filter(isLabels)] };
}

async function withMostSupply(asset: AssetFile, store: ObjectStore, plan: BuildPlan): Promise<BuildPlan> {
  if (plan.kind === "full") return plan;
  const most = await largestPublished(asset, store, plan.previous).catch(unresumable);
  return most instanceof CannotResume ? fullBuild(most.message) : { ...plan, mostSupply: most };
}
