/** One build of one asset: read → replay → series → objects → publish. On from the build before, where that can be. */

import { createHash } from "node:crypto";
import { balanceEdges } from "../../data-schema/asset.ts";
import type { MetricName } from "../../data-schema/metrics.ts";
import { NOTHING, type Totals } from "../engine/checkpoint.ts";
import { joinReplays } from "../engine/join-replays.ts";
import { type PartReplay, partsFor } from "../engine/replay.ts";
import { takeCheckpoint } from "../engine/take-checkpoint.ts";
import { prepareTimeline, type Timeline } from "../engine/timeline.ts";
import { Failure } from "../failure.ts";
import { changedMonths } from "../incremental/compare.ts";
import { type Previous, readPrevious } from "../incremental/previous.ts";
import { digestMonths } from "../incremental/provenance.ts";
import { StartOver } from "../incremental/start-over.ts";
import { type AssetFile, readAsset } from "../input/asset.ts";
import { type Input, readInput } from "../input/read.ts";
import { buildId, manifestOf, WrittenSeries } from "../publish/manifest.ts";
import { Publication } from "../publish/publication.ts";
import type { ObjectStore } from "../store/store.ts";
import { type Progress, StepClock } from "../terminal/progress.ts";
import { Pool } from "../threads/pool.ts";
import { verifyBeforeSwap } from "../verify/before-swap.ts";
import { planBuild } from "./periods.ts";
import { type BuildReport, startText } from "./report.ts";
import { writeSeries } from "./write-series.ts";

export interface BuildOptions {
  threads: number;
  /** As many threads, for several builds: they take a while to start. Without it, a build has its own. */
  pool?: Pool | undefined;
  progress: Progress;
  /** In place of the asset file's, Unix seconds. */
  asOf?: number | undefined;
  /** From the first transfer on, whatever the build before left. */
  full?: boolean | undefined;
  /** Put in force without the last check; true when left out. */
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
  try {
    const asset = await readAsset(assetPath, options.asOf);
    const work = { asset, store, options, clock };
    const built = await goOnOrStartOver(work);
    clock.end();
    return { asset, ...built, seconds: clock.seconds, wholeSeconds: (performance.now() - began) / 1000 };
  } finally {
    // However it ends: a progress bar that goes on would keep the process, and the terminal, to itself.
    clock.end();
  }
}

interface Work {
  asset: AssetFile;
  store: ObjectStore;
  options: BuildOptions;
  clock: StepClock;
}

type Built = Omit<BuildReport, "asset" | "seconds" | "wholeSeconds">;

async function goOnOrStartOver(work: Work): Promise<Built> {
  let publication = await begin(work);
  let previous: Previous | undefined;
  try {
    previous = await readPrevious(publication);
    if (work.options.full) throw new StartOver("--full");
    return await buildInSteps(work, publication, { previous });
  } catch (error) {
    if (!(error instanceof StartOver)) throw error;
    // It is read anew: the report at the end would be late to say why.
    if (previous) work.options.progress.note(`${work.asset.symbol}: ${startText({ reason: error.message })}`);
    publication = await begin(work);
    return await buildInSteps(work, publication, { reason: error.message, before: previous });
  }
}

const begin = ({ store, asset, options }: Work) => Publication.begin(store, asset, options.progress);

/** How a build begins: on from a previous one, or from the first transfer, for a reason, with what was read before. */
type Start =
  | { previous: Previous; reason?: never; before?: never }
  | { previous?: never; reason: string; before: Previous | undefined };

/** @throws {StartOver} there is no going on from the previous build */
async function buildInSteps(
  { asset, store, options: { threads, pool: shared, progress, verify = true }, clock }: Work,
  publication: Publication,
  { previous, reason, before }: Start,
): Promise<Built> {
  const pool = shared ?? new Pool(threads);
  try {
    clock.begin("read");
    const onProgress = ({ done, total }: { done: number; total: number }) => progress.update(done, total);
    const input = await readInput(asset, { threads, previous, onProgress });
    for (const notice of input.report.notices) progress.note(`${asset.symbol}: ${notice}`);
    const timeline = timelineOf(asset, input, previous);
    pool.timeline = timeline;
    const build = buildId(asset, input);
    const replayed = timeline.endRow - timeline.firstRow;
    const facts = {
      build,
      replayed,
      ofNoEffect: replayed - (events(timeline.totals) - events(previous?.checkpoint.totals ?? NOTHING)),
      input: input.report,
      counts: timeline.totals,
      firstSeconds: timeline.totals.first!.t,
      lastSeconds: timeline.totals.last!.t,
    };
    if (previous?.manifest.build === build && (await publication.isRecorded(build))) {
      return { ...facts, start: { from: previous.checkpoint.time }, isUnchanged: true, published: publication.totals };
    }

    clock.begin("replay");
    const replays = await replay(pool, partsFor(threads), progress);
    const holdings = joinReplays(timeline, replays);
    const checkpoint = takeCheckpoint(timeline, replays);
    const plan = planBuild(timeline, asset.resolutions, previous?.manifest);
    // Made beside the series.
    const left =
      checkpoint &&
      pool.run("checkpoint", { checkpoint, origin: input.origin(checkpoint), before: previous?.origin.months });
    left?.catch(() => {});

    clock.begin("series");
    const written = new WrittenSeries();
    const days = new Map<MetricName, Uint8Array>();
    const work = { symbol: asset.symbol, timeline, plan, holdings, pool, store, previous, progress };
    await writeSeries(work, async (files) => {
      await publication.putSeries(files);
      for (const file of files) {
        written.add(file);
        if (file.resolution === "day") days.set(file.metric, file.bytes);
      }
    });

    clock.begin("publish");
    const stored = await left;
    const hash = stored && createHash("sha256").update(stored).digest("hex").slice(0, 32);
    if (stored && hash) await publication.putCheckpoint(stored, hash);
    const holders = replays.reduce((sum, replay) => sum + replay.holders, 0);
    const began = previous ? { from: previous.checkpoint.time } : { reason: reasonOf(reason, before, input) };
    const manifest = manifestOf({
      ...{ asset, input, build, timeline, plan, written, holders },
      reason: startText(began),
      ...(stored && hash ? { checkpoint: { hash, size: stored.length } } : {}),
    });
    if (verify) verifyBeforeSwap(manifest, days);
    await publication.finish(manifest);
    return {
      ...facts,
      start: began,
      isUnchanged: false,
      published: publication.totals,
      ...(checkpoint && stored
        ? { checkpoint: { holders: checkpoint.holders.basis.length, bytes: stored.length } }
        : {}),
    };
  } finally {
    if (!shared) await pool.close();
  }
}

const events = ({ transfers, mints, burns }: Totals) => transfers + mints + burns;

/** Why a build began with the first transfer, and in which months its rows are others than those of the build before. */
function reasonOf(reason: string, before: Previous | undefined, input: Input): string {
  if (!before || input.asOf < before.checkpoint.time) return reason;
  const months = digestMonths(input.history, before.checkpoint.time);
  const changed = changedMonths(before.origin.months, months);
  return changed ? `${reason}: ${changed}` : reason;
}

/** @throws {Failure} there is nothing to publish */
export function timelineOf(asset: AssetFile, input: Input, previous?: Previous): Timeline {
  const terms = {
    decimals: asset.decimals,
    balanceEdges: balanceEdges(asset.maxSupply, asset.decimals),
    asOf: input.asOf,
  };
  const timeline = prepareTimeline(input.history, input.prices, input.groups, terms, previous?.checkpoint);
  if (!timeline.totals.first) {
    throw new Failure(
      `${asset.path}: its transfers before ${new Date(input.asOf * 1000).toISOString()} move no tokens, ` +
        "so there is nothing to publish: check transfers and asOf.",
    );
  }
  return timeline;
}

async function replay(pool: Pool, parts: number, progress: Progress): Promise<PartReplay[]> {
  const replays = new Array<PartReplay>(parts);
  let done = 0;
  const inputs = Array.from({ length: parts }, (_, part) => ({ part, parts }));
  await pool.forEach("replay", inputs, (result, part) => {
    replays[part] = result;
    progress.update(++done, parts);
  });
  return replays;
}
