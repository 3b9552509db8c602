/** One build of one asset: read → replay → series → objects → publish. */

import { balanceEdges } from "../data-schema/asset.ts";
import { METRICS } from "../data-schema/metrics.ts";
import type { MetricRuns } from "./engine/flows.ts";
import { joinReplays } from "./engine/join-replays.ts";
import { joinRuns } from "./engine/join-runs.ts";
import type { Period } from "./engine/periods.ts";
import { type PartReplay, partsFor } from "./engine/replay.ts";
import { dayStates } from "./engine/states.ts";
import { prepareTimeline, type Timeline } from "./engine/timeline.ts";
import { Failure } from "./failure.ts";
import { type AssetFile, readAsset } from "./input/asset.ts";
import { type Input, readInput } from "./input/read.ts";
import type { SeriesFile } from "./output/object.ts";
import { type Plan, planBuild } from "./plan.ts";
import { type Progress, StepClock } from "./progress.ts";
import { manifestOf, WrittenSeries } from "./publish/manifest.ts";
import { Publication } from "./publish/publication.ts";
import type { BuildReport } from "./report.ts";
import type { ObjectStore } from "./store/store.ts";
import { Pool } from "./threads/pool.ts";

export interface BuildOptions {
  threads: number;
  progress: Progress;
}

/**
 * Builds an asset and publishes it.
 *
 * @throws {Failure} the input is wrong or the store can't be written; what was published before stays as it was
 */
export async function build(assetPath: string, store: ObjectStore, options: BuildOptions): Promise<BuildReport> {
  const clock = new StepClock(options.progress);
  try {
    return await buildInSteps(assetPath, store, options, clock);
  } finally {
    // However it ends: a progress bar that goes on would keep the process, and the terminal, to itself.
    clock.end();
  }
}

async function buildInSteps(
  assetPath: string,
  store: ObjectStore,
  { threads, progress }: BuildOptions,
  clock: StepClock,
): Promise<BuildReport> {
  const began = performance.now();
  const asset = await readAsset(assetPath);
  const publication = await Publication.begin(store, asset, progress);

  const pool = new Pool(threads);
  try {
    clock.begin("read");
    const input = await readInput(asset, { threads, onProgress: ({ done, total }) => progress.update(done, total) });
    for (const notice of input.report.notices) progress.note(`${asset.symbol}: ${notice}`);
    const timeline = timelineOf(asset, input);
    pool.timeline = timeline;

    const parts = partsFor(threads);
    clock.begin("replay", parts);
    const holdings = await replay(timeline, pool, parts, progress);
    const plan = planBuild(timeline, asset.resolutions);
    clock.begin("series", seriesTaskCount(plan));
    const written = new WrittenSeries();
    await writeSeries({ symbol: asset.symbol, timeline, plan, holdings, pool, progress }, async (files) => {
      await publication.putSeries(files);
      for (const file of files) written.add(file);
    });
    clock.begin("publish");
    const manifest = manifestOf(asset, input, timeline, plan, written);
    await publication.finish(manifest);
    clock.end();
    return {
      asset,
      build: manifest.build,
      input: input.report,
      counts: timeline.totals,
      firstSeconds: timeline.totals.first!.t,
      lastSeconds: timeline.totals.last!.t,
      published: publication.totals,
      seconds: clock.seconds,
      wholeSeconds: (performance.now() - began) / 1000,
    };
  } finally {
    await pool.close();
  }
}

/** @throws {Failure} there is nothing to publish */
export function timelineOf(asset: AssetFile, input: Input): Timeline {
  const timeline = prepareTimeline(input.history, input.prices, input.groups, {
    decimals: asset.decimals,
    balanceEdges: balanceEdges(asset.maxSupply, asset.decimals),
    asOf: input.asOf,
  });
  if (!timeline.totals.first) {
    throw new Failure(
      `${asset.path}: its transfers before ${new Date(input.asOf * 1000).toISOString()} move no tokens, ` +
        "so there is nothing to publish: check transfers and asOf.",
    );
  }
  return timeline;
}

async function replay(timeline: Timeline, pool: Pool, parts: number, progress: Progress): Promise<Float64Array> {
  const replays = new Array<PartReplay>(parts);
  let done = 0;
  const inputs = Array.from({ length: parts }, (_, part) => ({ part, parts }));
  await pool.forEach("replay", inputs, (result, part) => {
    replays[part] = result;
    progress.update(++done);
  });
  return joinReplays(timeline, replays);
}

function seriesTaskCount({ years, day, block = [] }: Plan): number {
  return years.length + block.length + day.length * METRICS.length;
}

interface SeriesWork {
  symbol: string;
  timeline: Timeline;
  plan: Plan;
  holdings: Float64Array;
  pool: Pool;
  progress: Progress;
}

/** Makes every series object and hands it on. */
async function writeSeries(
  { symbol, timeline, plan, holdings, pool, progress }: SeriesWork,
  publish: (files: SeriesFile[]) => Promise<void>,
): Promise<void> {
  const flowTasks = (periods: readonly Period[]) => periods.map((period) => ({ symbol, period }));
  let done = 0;
  const use = async (files: SeriesFile[]) => {
    await publish(files);
    progress.update(++done);
  };

  await pool.forEach("blocks", flowTasks(plan.block ?? []), ({ files }) => use(files));
  const dayFlows: MetricRuns[] = [];
  const years = flowTasks(plan.years).map((task) => ({ ...task, publish: plan.hour !== undefined }));
  await pool.forEach("hours", years, ({ files, day }, index) => {
    dayFlows[index] = day;
    return use(files);
  });
  for (const { name } of plan.day) {
    const days = [...dayStates(timeline, holdings), ...joinRuns(dayFlows)];
    const inputs = days.map((metric) => ({ symbol, resolution: "day" as const, period: name, metrics: [metric] }));
    await pool.forEach("encode", inputs, ({ files }) => use(files));
  }
}
