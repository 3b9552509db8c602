/** Tasks `hours` and `blocks`: make objects, and the checkpoint, and put them into the store. */

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { metricByName } from "../../../../data-schema/registry.ts";
import { concatMetric, priceSeries } from "../../../engine/calendar.ts";
import { BlockFlows, type MetricSeries } from "../../../engine/flows.ts";
import type { FlowMetricName } from "../../../engine/formulas.ts";
import type { Checkpoint } from "../../../engine/history.ts";
import { collectIfLarge } from "../../../lib/garbage.ts";
import { periodFiles } from "../../../published/objects/period-files.ts";
import { DIGESTS, digestPieces } from "../../../store/pieces.ts";
import { checkpointEnd } from "../../checkpoint/checkpoint-file.ts";
import { addMonths, provenanceOf } from "../../checkpoint/provenance.ts";
import { HOLDERS } from "../../holders/table-and-lists.ts";
import type { Written, WrittenCheckpoint } from "../../left/facts.ts";
import { inflowBefore, joinRuns } from "../../left/join.ts";
import { outlineOfRuns } from "../../left/run-outline.ts";
import { readPartitions } from "../../left/runs.ts";
import type { StageTask } from "../../left/task.ts";
import { readHolders } from "../holders.ts";
import { eventsOf, GROUP_NUMBERS, partsBetween } from "../replayed.ts";
import { RunPoints } from "../run-points.ts";
import { writeLots } from "./lot-objects.ts";
import { blockUnits, hasBegun, hourUnits, type PeriodUnit, runsOfPeriod, type WriteUnit } from "./write-units.ts";

export const writeHours = (task: StageTask): Promise<Written> => writeUnits(task, hourUnits(task));

export const writeBlocks = async (task: StageTask): Promise<Written> => writeUnits(task, await blockUnits(task));

/** @throws {CannotResume} a published object that would be extended is missing or damaged */
async function writeUnits(task: StageTask, units: readonly WriteUnit[]): Promise<Written> {
  const written: Written = { files: [], lots: [] };
  for (const unit of units) {
    if ("checkpoint" in unit) written.checkpoint = await writeCheckpoint(task, unit.checkpoint);
    else if ("method" in unit) written.lots.push(...(await writeLots(task, unit)));
    else await writePeriod(task, unit, written);
    // The next one is as large.
    collectIfLarge(task.plan.taskBytes / 4);
  }
  const put = await task.store.end();
  if (put) written.put = put;
  return written;
}

async function writePeriod(task: StageTask, unit: PeriodUnit, written: Written): Promise<void> {
  const { resolution, period, metrics } = unit;
  const { store } = task;
  const { asset } = task.plan;
  const published = hasBegun(task.plan, period) ? await store.published(resolution, period.name, metrics) : undefined;
  const series = await SERIES_OF[resolution](task, unit);
  for (const { file } of periodFiles(asset.symbol, resolution, period.name, series, published)) {
    await store.putSeries(file);
    const { bytes: _, ...rest } = file;
    written.files.push(rest);
  }
}

type SeriesOf = (task: StageTask, unit: PeriodUnit) => Promise<MetricSeries>;

/** The series of some metrics in a period, made one by one as they are asked for. */
const SERIES_OF: Record<"hour" | "block", SeriesOf> = {
  async hour({ plan, folder, runs }, { period, metrics }) {
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
  async block({ plan, folder, runs }, { period, metrics, used }) {
    const events = eventsOf({ plan, folder, runs }, partsBetween(runs, period.from, period.to));
    const flows = new BlockFlows(GROUP_NUMBERS, period, used!, metrics as FlowMetricName[]);
    for await (const piece of events()) flows.add(piece);
    return flows.end();
  },
};

async function writeCheckpoint(
  { plan, folder, runs, store }: StageTask,
  checkpoint: Checkpoint,
): Promise<WrittenCheckpoint> {
  const { time } = checkpoint;
  const { asset, survey, resume } = plan;
  const partitions = await readPartitions(folder, plan);
  const inflow = inflowBefore(plan, runs, time);
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
      ...(inflow && { inflow }),
    },
    time,
  );
  const { held, ...rows } = await readHolders(folder, plan);
  await folder.copy(HOLDERS);
  const path = join(folder.scratch, HOLDERS);
  const { end, index } = checkpointEnd({ checkpoint, provenance }, rows);
  const pieces = async function* () {
    yield* createReadStream(path);
    yield* end;
  };
  const digests = await digestPieces(pieces(), DIGESTS);
  await store.putCheckpoint(path, end, digests);
  return { ...digests, index, holders: rows.holders, held };
}
