/** The whole engine on one thread, which a build runs in steps and on several (builder/pipeline/). */

import { CALENDAR_RESOLUTIONS, type Resolution } from "../../data-schema/resolutions.ts";
import { calendarFlows, calendarStates, collectDays } from "./calendar.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import { blockFlows, type DayFlows, hourAndDayFlows, type MetricRuns } from "./flows.ts";
import { mergePartitions } from "./merge-partitions.ts";
import { blockPeriods, flowYears } from "./periods.ts";
import { priceSeries } from "./price-series.ts";
import { replayPartition } from "./replay.ts";
import { dayStates } from "./states.ts";
import type { Timeline } from "./timeline.ts";

/**
 * Computes every series lazily, one time range after another, and returns the checkpoint. A timeline with a checkpoint
 * yields the points since.
 *
 * @param partitions a power of two; the series do not depend on it
 * @throws {Failure} a transfer or burn exceeds its sender's balance
 */
export function* allSeries(
  timeline: Timeline,
  { partitions = 1, blocks = true }: { partitions?: number; blocks?: boolean } = {},
): Generator<[Resolution, MetricRuns], Checkpoint | undefined> {
  const replays = Array.from({ length: partitions }, (_, index) => replayPartition(timeline, index, partitions));
  const states = [...dayStates(timeline, mergePartitions(timeline, replays))];
  yield ["day", states];
  const years: DayFlows[] = [];
  for (const year of flowYears(timeline)) {
    const { hour, day, ratios } = hourAndDayFlows(timeline, year);
    yield ["hour", hour];
    years.push({ day: [...day], ratios: [...ratios] });
    yield ["day", years.at(-1)!.day];
  }
  for (const resolution of ["day", "hour"] as const) yield [resolution, priceSeries(timeline, resolution)];
  for (const resolution of CALENDAR_RESOLUTIONS) {
    yield [resolution, calendarStates(resolution, states)];
    yield [resolution, calendarFlows(timeline, resolution, collectDays(years))];
    yield [resolution, priceSeries(timeline, resolution)];
  }
  if (blocks) for (const period of blockPeriods(timeline)) yield ["block", blockFlows(timeline, period)];
  return createCheckpoint(timeline, replays);
}
