/**
 * Makes objects of lots: each has all metrics of a method and a period, so its runs are made, encoded and written to a file one
 * after the other. Source: docs/methodology.md §14.
 */

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { VARIOUS_UNITS } from "../../../../data-schema/parquet.ts";
import {
  LOT_METRICS,
  type LotMethod,
  lotCohortsOf,
  lotSelector,
  lotSeries,
  lotTable,
  type MetricName,
} from "../../../../data-schema/registry.ts";
import { concatSeries } from "../../../engine/calendar.ts";
import { LotBlockFlows } from "../../../engine/flows.ts";
import { BLOCK_METRIC_NAMES } from "../../../engine/formulas.ts";
import type { Series } from "../../../engine/series.ts";
import { pointsBefore } from "../../../published/objects/period-files.ts";
import { type FileOnDisk, readSeries, writeSeries } from "../../../published/objects/series-on-disk.ts";
import type { StageTask } from "../../left/task.ts";
import { eventsOf, GROUP_NUMBERS, partsBetween } from "../replayed.ts";
import { RunPoints } from "../run-points.ts";
import { SumsFile } from "./sums-file.ts";
import { hasBegun, type LotUnit, runsOfPeriod } from "./write-units.ts";

/** The metrics of lots by block, in the order of their objects. */
const LOT_BLOCKS = BLOCK_METRIC_NAMES.filter((name) => LOT_METRICS.some((metric) => metric.name === name));

/**
 * @returns what has been written: nothing if no series has a point
 * @throws {CannotResume} the published object that would be extended is missing or damaged
 */
export async function writeLots(task: StageTask, unit: LotUnit): Promise<Omit<FileOnDisk<LotMethod>, "md5">[]> {
  const { plan, folder, store } = task;
  const { resolution, period, method } = unit;
  const { symbol } = plan.asset;
  const place = { symbol, metric: method, unit: VARIOUS_UNITS, resolution, period: period.name } as const;
  const path = join(folder.scratch, `${method}-${randomUUID()}.part`);
  const before = `${path}.before.part`;
  const sums = `${path}.sums.part`;
  try {
    const isThere = hasBegun(plan, period) && (await store.copyLots(resolution, period.name, method, before));
    const earlier = isThere ? runsBefore(before, plan.resume!.checkpoint.time) : [].values();
    const later = resolution === "hour" ? hoursOf(task, unit) : blocksOf(task, unit, sums);
    const written = await writeSeries(path, place, joined(lotTable(method), earlier, later));
    if (!written) {
      await rm(path);
      return [];
    }
    await store.putLots(path, written);
    const { md5: _, ...file } = written;
    return [file];
  } finally {
    for (const one of [before, sums]) await rm(one, { force: true });
  }
}

function* runsBefore(path: string, until: number): Generator<Series> {
  for (const run of readSeries(path)) yield* pointsBefore(run, until);
}

/** Runs of two time ranges, of which each has them in this order, one after the other. */
async function* joined(
  order: readonly string[],
  earlier: Iterator<Series>,
  later: AsyncIterator<Series>,
): AsyncGenerator<Series> {
  let [one, other] = [earlier.next(), await later.next()];
  for (const selector of order) {
    const parts: Series[] = [];
    if (one.value?.selector === selector) {
      parts.push(one.value);
      one = earlier.next();
    }
    if (other.value?.selector === selector) {
      parts.push(other.value);
      other = await later.next();
    }
    yield* concatSeries([selector], [parts]);
  }
  if (!one.done || !other.done) throw new Error("series of lots are out of order");
}

const named = (method: LotMethod, metric: MetricName, runs: readonly Series[]): Series[] =>
  concatSeries(lotCohortsOf(metric), [runs]).map((run) => ({
    ...run,
    selector: lotSeries(metric, lotSelector(method, run.selector)),
  }));

async function* hoursOf({ folder, runs }: StageTask, { period, method }: LotUnit): AsyncGenerator<Series> {
  const points: RunPoints[] = [];
  for (const run of runsOfPeriod(runs, period)) points.push(await RunPoints.open(folder, run, ["hour"], method));
  for (const { name } of LOT_METRICS) {
    yield* named(
      method,
      name,
      points.flatMap((run) => run.hours(name, period.from, period.to)),
    );
  }
}

async function* blocksOf(task: StageTask, { period, method }: LotUnit, path: string): AsyncGenerator<Series> {
  const flows = new LotBlockFlows(GROUP_NUMBERS, period, LOT_BLOCKS);
  const sums = new SumsFile(path);
  for await (const piece of eventsOf(task, partsBetween(task.runs, period.from, period.to), method)()) {
    for (const rows of flows.add(piece)) await sums.add(rows);
  }
  for (const [metric, runs] of flows.end((row) => sums.row(row), task.plan.taskBytes / 4)) {
    yield* named(method, metric, runs);
  }
}
