/** The steps that a plan leads to: read → replay → series → publish. */

import { openAsBlob } from "node:fs";
import { join } from "node:path";
import type { Cause } from "../../data-schema/changes.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { type Checkpoint, NO_EVENTS, type Totals } from "../engine/checkpoint.ts";
import { createCheckpoint } from "../engine/create-checkpoint.ts";
import { mergePartitions } from "../engine/merge-partitions.ts";
import { buildPeriods } from "../engine/periods.ts";
import { type PartitionReplay, partitionCount } from "../engine/replay.ts";
import type { CannotResume } from "../failure.ts";
import { reasonText } from "../history/cause-text.ts";
import type { Previous } from "../incremental/previous.ts";
import { changedMonths, digestMonths, provenanceOf } from "../incremental/provenance.ts";
import type { AssetFile } from "../input/asset.ts";
import type { ReadProgress } from "../input/progress.ts";
import { type Input, readInput, readInputSince } from "../input/read.ts";
import type { Survey } from "../input/survey.ts";
import { timelineOf } from "../input/timeline.ts";
import { labelCoverage } from "../publish/label-coverage.ts";
import { manifestOf } from "../publish/manifest.ts";
import type { Publication } from "../publish/publication.ts";
import type { ObjectStore } from "../store/store.ts";
import type { Progress, StepClock } from "../terminal/progress.ts";
import type { Pool } from "../threads/pool.ts";
import { verifyBeforeSwap } from "../verify/before-swap.ts";
import { isActive, type Plan } from "./plan.ts";
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
  /** The folder for what is too large for memory. Default: that of the system for temporary files. */
  work?: string | undefined;
  /** Digest all input files, even those that have not changed since the last build. */
  rehash?: boolean | undefined;
}

/** What the steps of a build share. */
export interface Work {
  asset: AssetFile;
  store: ObjectStore;
  options: BuildOptions;
  clock: StepClock;
  pool: Pool;
  /** Removed when the build ends. */
  folder: string;
}

export type Built = Omit<BuildReport, "asset" | "seconds" | "wholeSeconds">;

/** What is known before transfers are read, and the plan that follows from it. */
export interface Planned {
  publication: Publication;
  previous: Previous | CannotResume;
  survey: Survey;
  plan: Plan;
  reading: ReadProgress;
}

export type ActivePlan = Exclude<Plan, { kind: "unchanged" }>;

export const unchanged = ({ manifest, checkpoint }: Previous, { totals }: Publication): Built => ({
  build: manifest.build,
  start: { from: checkpoint.time },
  isUnchanged: true,
  transfers: manifest.counts.transfers,
  replayed: 0,
  published: totals,
});

/** @returns `CannotResume` if an object that would be extended is damaged, or the new rows don't come after the checkpoint */
export async function carryOut(work: Work, planned: Planned, plan: ActivePlan): Promise<Built | CannotResume> {
  const { asset, store, options, clock, pool } = work;
  const { publication } = planned;
  const { threads, progress, verify = true } = options;
  const previous = plan.kind === "incremental" ? plan.previous : undefined;

  const resumed = previous?.file.load();
  const input = await read(work, planned, plan, resumed);
  if ("cannotResume" in input) return input;
  const { build } = input;
  if (previous && isActive(previous, build)) return unchanged(previous, publication);
  const timeline = timelineOf(asset, input, resumed);
  pool.timeline = timeline;

  clock.begin("replay");
  const replays = await replay(pool, partitionCount(threads), progress);
  const holdings = mergePartitions(timeline, replays);
  // Written on a thread while the series are made.
  const writing = writeCheckpoint(work, input, createCheckpoint(timeline, replays), previous);
  // Avoids an unhandled rejection if the series fail first.
  writing.catch(() => {});

  clock.begin("series");
  const periods = buildPeriods(timeline, asset.resolutions, previous?.manifest);
  const { symbol } = asset;
  const seriesWork = { symbol, timeline, periods, holdings, pool, store, publication, previous, progress };
  const series = await writeSeries(seriesWork);
  if ("cannotResume" in series) return series;

  clock.begin("publish");
  const checkpoint = await writing;
  const stored = checkpoint && (await publication.putCheckpoint(await openAsBlob(checkpoint.path), checkpoint));
  const causes = causesOf(plan, planned.previous, input);
  const start = previous ? { from: previous.checkpoint.time } : { reason: reasonText(causes) };
  const days = checkpoint && {
    last: checkpoint.time - BUCKET_SECONDS.day,
    objects: series.whole.day,
    held: checkpoint.held,
  };
  const manifest = manifestOf({
    ...{ asset, input, timeline, periods, written: series.written },
    labels: labelCoverage(asset, input, days),
    holders: replays.reduce((sum, { holders }) => sum + holders, 0),
    reason: startText(start),
    ...(stored && { checkpoint: stored }),
  });
  if (verify) verifyBeforeSwap(manifest, series.whole);
  await publication.finish(manifest, { causes, unchangedBefore: previous?.checkpoint.time });
  const { totals, firstRow, endRow } = timeline;
  const replayed = endRow - firstRow;
  return {
    ...{ build, start, isUnchanged: false, replayed },
    transfers: totals.transfers,
    published: publication.totals,
    details: {
      ofNoEffect: replayed - (events(totals) - events(previous?.checkpoint.totals ?? NO_EVENTS)),
      input: input.report,
      ...(manifest.price && { price: manifest.price }),
      ...(manifest.labels && { labels: manifest.labels }),
      counts: totals,
      firstSeconds: totals.first!.t,
      lastSeconds: totals.last!.t,
      ...(checkpoint && { checkpoint: { holders: checkpoint.holders, bytes: checkpoint.size } }),
    },
  };
}

async function read(
  { asset, options: { threads, progress } }: Work,
  { survey, reading }: Planned,
  plan: ActivePlan,
  checkpoint: Checkpoint | undefined,
): Promise<Input | CannotResume> {
  const options = { threads, progress: reading };
  const input =
    plan.kind === "incremental" && checkpoint
      ? await readInputSince(asset, survey, { checkpoint, files: plan.files }, options)
      : await readInput(asset, survey, options);
  if ("cannotResume" in input) return input;
  for (const notice of input.report.notices) progress.note(`${asset.symbol}: ${notice}`);
  return input;
}

/** @param checkpoint undefined while no day is complete */
async function writeCheckpoint(
  { asset, pool, folder }: Work,
  input: Input,
  checkpoint: Checkpoint | undefined,
  previous: Previous | undefined,
) {
  if (!checkpoint) return undefined;
  const written = await pool.run("checkpoint", {
    checkpoint,
    provenance: provenanceOf(asset, input, checkpoint),
    months: previous?.provenance.months,
    before: previous?.file.path,
    path: join(folder, "checkpoint.parquet"),
  });
  return { ...written, time: checkpoint.time, holders: checkpoint.holders.basis.length };
}

/** Why there is a new build. Of a full one also: in which months its rows differ from the last build's. */
function causesOf(plan: ActivePlan, last: Previous | CannotResume, input: Input): Cause[] {
  if (plan.kind === "incremental") {
    return [{ kind: "new-events", from: new Date(plan.previous.checkpoint.time * 1000).toISOString() }];
  }
  if ("cannotResume" in last || input.asOf < last.checkpoint.time) return [...plan.causes];
  const months = changedMonths(last.provenance.months, digestMonths(input.history, last.checkpoint.time));
  return [...plan.causes, ...(months ? [{ kind: "transfers" as const, ...months }] : [])];
}

const events = ({ transfers, mints, burns }: Totals) => transfers + mints + burns;

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
