/** One build of one asset: survey → plan → read → replay → series → publish. It resumes from the build before if it can. */

import { createHash } from "node:crypto";
import { balanceEdges } from "../../data-schema/asset.ts";
import type { MetricName } from "../../data-schema/metrics.ts";
import { NO_EVENTS, type Totals } from "../engine/checkpoint.ts";
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
import { buildId, manifestOf, WrittenSeries } from "../publish/manifest.ts";
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
  /** As many threads, shared by several builds: they take a while to start. Without it, a build starts its own. */
  pool?: Pool | undefined;
  progress: Progress;
  /** In place of the asset file's, Unix seconds. */
  asOf?: number | undefined;
  /** Build from the first transfer, whatever the build before left. */
  full?: boolean | undefined;
  /** Verify before the build is activated; true when left out. */
  verify?: boolean | undefined;
}

/**
 * Builds an asset and publishes it.
 *
 * @throws {Failure} the input is wrong or the store can't be written; what was published before stays as it was
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
    // A progress bar that is not ended keeps the process running.
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

/** What is known before transfers are read, and what is therefore to be done. */
export interface Planned {
  publication: Publication;
  previous: Previous | CannotResume;
  survey: Survey;
  plan: Plan;
  reading: ReadProgress;
}

/** @throws {Failure} as of `surveyInput`, or the store can't be read */
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
  const built = await carryOut(work, planned, plan);
  if (!("cannotResume" in built)) return built;
  note(built.cannotResume);
  clock.begin("read");
  const publication = await Publication.begin(store, asset, options.progress);
  const again = await carryOut(work, { ...planned, publication }, { kind: "full", reason: built.cannotResume });
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

/** @returns `CannotResume` if what an incremental build resumes from turns out to be damaged, or not to precede the new rows */
async function carryOut(
  { asset, store, options: { threads, progress, verify = true }, clock, pool }: Work,
  { publication, previous: before, survey, reading }: Planned,
  plan: Exclude<Plan, { kind: "unchanged" }>,
): Promise<Built | CannotResume> {
  const previous = plan.kind === "incremental" ? plan.previous : undefined;
  const options = { threads, progress: reading };
  const input =
    plan.kind === "incremental"
      ? await readInputSince(asset, survey, { checkpoint: plan.previous.checkpoint, files: plan.files }, options)
      : await readInput(asset, survey, options);
  if ("cannotResume" in input) return input;
  for (const notice of input.report.notices) progress.note(`${asset.symbol}: ${notice}`);
  const build = buildId(asset, input.asOf, input.report.files);
  if (previous && isActive(previous, build)) return unchanged(previous, publication);
  const timeline = timelineOf(asset, input, previous);
  pool.timeline = timeline;

  clock.begin("replay");
  const replays = await replay(pool, partitionCount(threads), progress);
  const holdings = mergePartitions(timeline, replays);
  const checkpoint = createCheckpoint(timeline, replays);
  const periods = buildPeriods(timeline, asset.resolutions, previous?.manifest);
  // Encoded on a thread while the series are made.
  const encoded =
    checkpoint &&
    pool.run("checkpoint", {
      checkpoint,
      provenance: provenanceOf(asset, input, checkpoint),
      months: previous?.provenance.months,
      seen: previous?.seen,
    });
  // Avoids an unhandled rejection if the series fail first.
  encoded?.catch(() => {});

  clock.begin("series");
  const written = new WrittenSeries();
  const days = new Map<MetricName, Uint8Array>();
  const work = { symbol: asset.symbol, timeline, periods, holdings, pool, store, previous, progress };
  const damage = await writeSeries(work, async (files) => {
    await publication.putSeries(files);
    for (const file of files) {
      written.add(file);
      if (file.resolution === "day") days.set(file.metric, file.bytes);
    }
  });
  if (damage) return damage;

  clock.begin("publish");
  const stored = await encoded;
  const hash = stored && createHash("sha256").update(stored).digest("hex").slice(0, 32);
  if (stored && hash) await publication.putCheckpoint(stored, hash);
  const start =
    plan.kind === "incremental"
      ? { from: plan.previous.checkpoint.time }
      : { reason: withMonths(plan.reason, before, input) };
  const manifest = manifestOf({
    ...{ asset, input, build, timeline, periods, written },
    holders: replays.reduce((sum, { holders }) => sum + holders, 0),
    reason: startText(start),
    ...(stored && hash ? { checkpoint: { hash, size: stored.length } } : {}),
  });
  if (verify) verifyBeforeSwap(manifest, days);
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
      ...(checkpoint && stored
        ? { checkpoint: { holders: checkpoint.holders.basis.length, bytes: stored.length } }
        : {}),
    },
  };
}

const events = ({ transfers, mints, burns }: Totals) => transfers + mints + burns;

/** Why a build was a full one, and in which months its rows are not those of the build before. */
function withMonths(reason: string, before: Previous | CannotResume, input: Input): string {
  if ("cannotResume" in before || input.asOf < before.checkpoint.time) return reason;
  const months = digestMonths(input.history, before.checkpoint.time);
  const changed = changedMonths(before.provenance.months, months);
  return changed ? `${reason}: ${changed}` : reason;
}

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
