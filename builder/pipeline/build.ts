/** Builds one asset: survey → plan → read → replay → series → publish. Resumes from the last build if the plan allows. */

import { createHash } from "node:crypto";
import { balanceEdges } from "../../data-schema/asset.ts";
import { type Checkpoint, NO_EVENTS, type Totals } from "../engine/checkpoint.ts";
import { createCheckpoint } from "../engine/create-checkpoint.ts";
import { mergePartitions } from "../engine/merge-partitions.ts";
import { type PartitionReplay, partitionCount } from "../engine/replay.ts";
import { prepareTimeline, type Timeline } from "../engine/timeline.ts";
import { type CannotResume, Failure } from "../failure.ts";
import { changedMonths } from "../incremental/changed-months.ts";
import { type Previous, readPrevious } from "../incremental/previous.ts";
import { digestMonths, provenanceOf } from "../incremental/provenance.ts";
import { type AssetFile, readAsset } from "../input/asset.ts";
import { ReadProgress } from "../input/progress.ts";
import { type Input, readInput, readInputSince } from "../input/read.ts";
import { type Survey, surveyInput } from "../input/survey.ts";
import { buildId, manifestOf } from "../publish/manifest.ts";
import { Publication } from "../publish/publication.ts";
import type { ObjectStore } from "../store/store.ts";
import { type Progress, StepClock } from "../terminal/progress.ts";
import { Pool } from "../threads/pool.ts";
import { verifyBeforeSwap } from "../verify/before-swap.ts";
import { buildPeriods } from "./periods.ts";
import { isActive, type Plan, planBuild } from "./plan.ts";
import { type BuildReport, startText } from "./report.ts";
import { writeSeries } from "./write-series.ts";

export interface BuildOptions {
  threads: number;
  /** Threads shared by several builds, because they are slow to start. Without a pool, a build starts its own threads. */
  pool?: Pool | undefined;
  progress: Progress;
  /** Overrides the asset file's `asOf`, Unix seconds. */
  asOf?: number | undefined;
  /** Replay the whole history even if the build could resume. */
  full?: boolean | undefined;
  /** Verify the build before it is activated. Default: true. */
  verify?: boolean | undefined;
}

/**
 * Builds an asset and publishes it.
 *
 * @throws {Failure} the input is invalid or the store can't be written; the active build stays as it was
 */
export async function build(assetPath: string, store: ObjectStore, options: BuildOptions): Promise<BuildReport> {
  const clock = new StepClock(options.progress);
  const began = performance.now();
  const pool = options.pool ?? new Pool(options.threads);
  try {
    const asset = await readAsset(assetPath, options.asOf);
    const built = await planAndBuild({ asset, store, options, clock, pool });
    clock.end();
    return { asset, ...built, seconds: clock.seconds, wholeSeconds: (performance.now() - began) / 1000 };
  } finally {
    // A running progress bar would keep the process alive.
    clock.end();
    if (!options.pool) await pool.close();
  }
}

/** What the steps of a build share. */
interface Work {
  asset: AssetFile;
  store: ObjectStore;
  options: BuildOptions;
  clock: StepClock;
  pool: Pool;
}

type Built = Omit<BuildReport, "asset" | "seconds" | "wholeSeconds">;

/** What is known before transfers are read, and the plan that follows from it. */
export interface Planned {
  publication: Publication;
  previous: Previous | CannotResume;
  survey: Survey;
  plan: Plan;
  reading: ReadProgress;
}

type ActivePlan = Exclude<Plan, { kind: "unchanged" }>;

/** @throws {Failure} as `surveyInput`, or the store can't be read */
export async function planFor(
  asset: AssetFile,
  store: ObjectStore,
  { progress, full = false }: Partial<Pick<BuildOptions, "progress" | "full">> = {},
): Promise<Planned> {
  const publication = await Publication.begin(store, asset, progress);
  const previous = await readPrevious(publication);
  const reading = new ReadProgress(({ done, total }) => progress?.update(done, total));
  const known =
    "cannotResume" in previous
      ? undefined
      : { files: previous.provenance.files, block: previous.checkpoint.lastEvent.block };
  const survey = await surveyInput(asset, { known, progress: reading });
  const plan: Plan = full ? { kind: "full", reason: "--full" } : planBuild(asset, survey, previous);
  return { publication, previous, survey, plan, reading };
}

async function planAndBuild(work: Work): Promise<Built> {
  const { asset, store, options, clock } = work;
  clock.begin("read");
  const planned = await planFor(asset, store, options);
  const { plan, previous } = planned;
  if (plan.kind === "unchanged") return unchanged(plan.previous, planned.publication);
  const note = (reason: string) => options.progress.note(`${asset.symbol}: ${startText({ reason })}`);
  if (plan.kind === "full" && !("cannotResume" in previous)) note(plan.reason);
  const built = await carryOut({ ...work, ...planned }, plan);
  if (!("cannotResume" in built)) return built;
  note(built.cannotResume);
  clock.begin("read");
  const publication = await Publication.begin(store, asset, options.progress);
  const again = await carryOut({ ...work, ...planned, publication }, { kind: "full", reason: built.cannotResume });
  if ("cannotResume" in again) throw new Error(`a full build can't fail to resume: ${again.cannotResume}`);
  return again;
}

const unchanged = ({ manifest, checkpoint }: Previous, { totals }: Publication): Built => ({
  build: manifest.build,
  start: { from: checkpoint.time },
  isUnchanged: true,
  transfers: manifest.counts.transfers,
  replayed: 0,
  published: totals,
});

/** @returns `CannotResume` if an object that would be extended is damaged, or the new rows don't come after the checkpoint */
async function carryOut(work: Work & Planned, plan: ActivePlan): Promise<Built | CannotResume> {
  const { asset, store, options, clock, pool, publication } = work;
  const { threads, progress, verify = true } = options;
  const previous = plan.kind === "incremental" ? plan.previous : undefined;

  const input = await read(work, plan);
  if ("cannotResume" in input) return input;
  const build = buildId(asset, input.asOf, input.report.files);
  if (previous && isActive(previous, build)) return unchanged(previous, publication);
  const timeline = timelineOf(asset, input, previous);
  pool.timeline = timeline;

  clock.begin("replay");
  const replays = await replay(pool, partitionCount(threads), progress);
  const holdings = mergePartitions(timeline, replays);
  // Encoded on a thread while the series are made.
  const encoding = encodeCheckpoint(work, input, createCheckpoint(timeline, replays), previous);
  // Avoids an unhandled rejection if the series fail first.
  encoding.catch(() => {});

  clock.begin("series");
  const periods = buildPeriods(timeline, asset.resolutions, previous?.manifest);
  const { symbol } = asset;
  const seriesWork = { symbol, timeline, periods, holdings, pool, store, publication, previous, progress };
  const series = await writeSeries(seriesWork);
  if ("cannotResume" in series) return series;

  clock.begin("publish");
  const checkpoint = await encoding;
  if (checkpoint) await publication.putCheckpoint(checkpoint.bytes, checkpoint.hash);
  const start = startOf(plan, work.previous, input);
  const manifest = manifestOf({
    ...{ asset, input, build, timeline, periods, written: series.written },
    holders: replays.reduce((sum, { holders }) => sum + holders, 0),
    reason: startText(start),
    ...(checkpoint && { checkpoint: { hash: checkpoint.hash, size: checkpoint.bytes.length } }),
  });
  if (verify) verifyBeforeSwap(manifest, series.days);
  await publication.finish(manifest);
  const { totals, firstRow, endRow } = timeline;
  const replayed = endRow - firstRow;
  return {
    ...{ build, start, isUnchanged: false, replayed },
    transfers: totals.transfers,
    published: publication.totals,
    details: {
      ofNoEffect: replayed - (events(totals) - events(previous?.checkpoint.totals ?? NO_EVENTS)),
      input: input.report,
      counts: totals,
      firstSeconds: totals.first!.t,
      lastSeconds: totals.last!.t,
      ...(checkpoint && { checkpoint: { holders: checkpoint.holders, bytes: checkpoint.bytes.length } }),
    },
  };
}

async function read(
  { asset, survey, reading, ...work }: Work & Planned,
  plan: ActivePlan,
): Promise<Input | CannotResume> {
  const { threads, progress } = work.options;
  const options = { threads, progress: reading };
  const input =
    plan.kind === "incremental"
      ? await readInputSince(asset, survey, { checkpoint: plan.previous.checkpoint, files: plan.files }, options)
      : await readInput(asset, survey, options);
  if ("cannotResume" in input) return input;
  for (const notice of input.report.notices) progress.note(`${asset.symbol}: ${notice}`);
  return input;
}

/** @param checkpoint undefined while no day is complete */
async function encodeCheckpoint(
  { asset, pool }: Work,
  input: Input,
  checkpoint: Checkpoint | undefined,
  previous: Previous | undefined,
) {
  if (!checkpoint) return undefined;
  const bytes = await pool.run("checkpoint", {
    checkpoint,
    provenance: provenanceOf(asset, input, checkpoint),
    months: previous?.provenance.months,
    seen: previous?.seen,
  });
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  return { bytes, hash, holders: checkpoint.holders.basis.length };
}

/** The day a build resumed from; or why it was a full build, and in which months its rows differ from the last build's. */
function startOf(plan: ActivePlan, last: Previous | CannotResume, input: Input): BuildReport["start"] {
  if (plan.kind === "incremental") return { from: plan.previous.checkpoint.time };
  const { reason } = plan;
  if ("cannotResume" in last || input.asOf < last.checkpoint.time) return { reason };
  const months = changedMonths(last.provenance.months, digestMonths(input.history, last.checkpoint.time));
  return { reason: months ? `${reason}: ${months}` : reason };
}

const events = ({ transfers, mints, burns }: Totals) => transfers + mints + burns;

/** @throws {Failure} there is nothing to publish */
export function timelineOf(asset: AssetFile, input: Input, previous?: Previous): Timeline {
  const parameters = {
    decimals: asset.decimals,
    balanceEdges: balanceEdges(asset.maxSupply, asset.decimals),
    asOf: input.asOf,
  };
  const timeline = prepareTimeline(input.history, input.prices, input.groups, parameters, previous?.checkpoint);
  if (!timeline.totals.first) {
    throw new Failure(
      `${asset.path}: its transfers before ${new Date(input.asOf * 1000).toISOString()} move no tokens, ` +
        "so there is nothing to publish: check transfers and asOf.",
    );
  }
  return timeline;
}

async function replay(pool: Pool, partitions: number, progress: Progress): Promise<PartitionReplay[]> {
  const replays = new Array<PartitionReplay>(partitions);
  let done = 0;
  const inputs = Array.from({ length: partitions }, (_, index) => ({ index, count: partitions }));
  await pool.forEach("replay", inputs, (result, index) => {
    replays[index] = result;
    progress.update(++done, partitions);
  });
  return replays;
}
