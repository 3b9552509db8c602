/** Stage `write`: makes the objects of hours and blocks, and the checkpoint, and puts them into the store. */

import { join } from "node:path";
import { type MetricName, metricByName } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { concatMetric } from "../engine/concat-series.ts";
import { blockFlows, type MetricRuns } from "../engine/flows.ts";
import type { Period } from "../engine/periods.ts";
import { priceSeries } from "../engine/price-series.ts";
import type { CannotResume } from "../failure.ts";
import { encodeCheckpoint } from "../incremental/checkpoint-file.ts";
import { type CheckpointRows, countHolders } from "../incremental/checkpoint-rows.ts";
import { addMonths, provenanceOf } from "../incremental/provenance.ts";
import { countLabels, type LabelCounts } from "../input/labels.ts";
import { append } from "../output/append.ts";
import { type SeriesFile, seriesFile } from "../output/object.ts";
import { SharedColumns } from "../output/shared-columns.ts";
import type { Publication } from "../publish/publication.ts";
import { type Digests, writePieces } from "../store/pieces.ts";
import type { Cuts, Unit } from "./cuts.ts";
import { joinRuns } from "./join.ts";
import { mergeClosing, openClosing } from "./merge-closing.ts";
import { outlineOfRuns } from "./outline.ts";
import { RunPoints } from "./points.ts";
import { partsBetween, readEvents } from "./replayed.ts";
import { readResults } from "./results.ts";
import type { RunFacts } from "./run-facts.ts";
import { readPartitions } from "./runs.ts";
import type { StageTask } from "./task.ts";

/** What a task has put into the store. */
export interface Written {
  files: Omit<SeriesFile, "bytes">[];
  checkpoint?: WrittenCheckpoint;
  /** What that has added to the store, if the task was a process of its own. */
  totals?: Publication["totals"];
  /** Why the build has to be a full one. */
  damage?: CannotResume;
}

export interface WrittenCheckpoint extends Digests {
  holders: number;
  /** Labelled addresses that have held the token. */
  held: LabelCounts;
}

/** A task has every so-manieth unit: there are as many tasks as the plan says, and as many units as come out. */
export async function writeUnits(task: StageTask): Promise<Written> {
  const { plan, folder, index } = task;
  const [cuts] = await readResults<Cuts>(folder, plan, "periods");
  const written: Written = { files: [] };
  for (let unit = index; unit < cuts!.units.length && !written.damage; unit += plan.tasks.write) {
    const found = cuts!.units[unit]!;
    if (found === "checkpoint") written.checkpoint = await writeCheckpoint(task, cuts!);
    else await writePeriod(task, found, written);
  }
  const totals = await task.store.end();
  if (totals) written.totals = totals;
  return written;
}

async function writePeriod(
  task: StageTask,
  { resolution, period, metrics }: Exclude<Unit, "checkpoint">,
  written: Written,
): Promise<void> {
  const { store } = task;
  const { asset, resume } = task.plan;
  const isBegun = resume !== undefined && period.from < resume.checkpoint.time;
  const published = isBegun ? await store.published(resolution, period.name, metrics) : undefined;
  if (published && "cannotResume" in published) {
    written.damage = published;
    return;
  }
  const series = await SERIES_OF[resolution](task, period, metrics);
  const shared = new SharedColumns();
  for (const [metric, runs] of published ? append(published, series) : series) {
    const file = seriesFile(
      asset.symbol,
      metricByName(metric),
      resolution,
      period.name,
      runs.map((run) => shared.share(run)),
    );
    if (!file) continue;
    await store.putSeries(file);
    const { bytes: _, ...rest } = file;
    written.files.push(rest);
  }
}

type SeriesOf = (task: StageTask, period: Period, metrics: readonly MetricName[]) => Promise<MetricRuns>;

/** The series of some metrics in a period, made one by one as they are asked for. */
const SERIES_OF: Record<"hour" | "block", SeriesOf> = {
  async hour({ plan, folder, runs }, period, metrics) {
    const outline = outlineOfRuns(plan, runs);
    const points: RunPoints[] = [];
    for (const run of runsOfPeriod(runs, period)) points.push(await RunPoints.open(folder, run, ["hour"]));
    return (function* () {
      for (const metric of metrics) {
        if (metric === "price") {
          yield* priceSeries(outline, "hour", period);
          continue;
        }
        const hours = points.map((run) => run.hours(metric, period.from, period.to));
        yield [metric, concatMetric(metricByName(metric), hours)];
      }
    })();
  },
  async block({ plan, folder, runs }, period, metrics) {
    const parts = partsBetween(runs, period.from, period.to);
    const events = await readEvents(folder, runs, plan.partitions, parts, plan.survey.prices);
    return (function* () {
      for (const [metric, series] of blockFlows(events, period)) if (metrics.includes(metric)) yield [metric, series];
    })();
  },
};

/** The runs in which days of a period begin. */
function runsOfPeriod(runs: readonly RunFacts[], { from, to }: Period): number[] {
  return [...runs.keys()].filter((run) =>
    runs[run]!.days.some(({ day }) => day + BUCKET_SECONDS.day > from && day < to),
  );
}

async function writeCheckpoint(
  { plan, folder, runs, store }: StageTask,
  { checkpoint }: Cuts,
): Promise<WrittenCheckpoint> {
  const { time } = checkpoint!;
  const { asset, survey, resume } = plan;
  const partitions = await readPartitions(folder, plan);
  const provenance = provenanceOf(
    asset,
    {
      prices: survey.prices,
      files: joinRuns(plan, runs, partitions).knownFiles(time),
      months: addMonths(
        runs.flatMap(({ days }) => days),
        time,
        resume?.provenance.months,
      ),
    },
    time,
  );
  const words = Math.max(1, ...partitions.map(({ wordsInUse }) => wordsInUse));
  const counts = { holders: 0, held: countLabels([]) };
  const rows = counting(mergeClosing(await openClosing(folder, partitions), words), words, counts);
  const path = join(folder.scratch, "checkpoint.parquet");
  const pieces = encodeCheckpoint({ checkpoint: checkpoint!, provenance }, words, rows);
  const digests = await writePieces(path, pieces);
  await store.putCheckpoint(path, digests);
  return { ...digests, ...counts };
}

/** Passes rows on, and counts the holders and the labelled addresses among them. */
function* counting(
  batches: Iterable<CheckpointRows>,
  words: number,
  counts: { holders: number; held: LabelCounts },
): Generator<CheckpointRows> {
  for (const batch of batches) {
    counts.holders += countHolders(batch, words);
    countLabels(batch.labels.subarray(0, batch.rows), counts.held);
    yield batch;
  }
}
