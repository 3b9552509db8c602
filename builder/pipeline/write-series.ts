/** Makes every series object of a build on worker threads, and publishes it. */

import { METRICS, type MetricName } from "../../data-schema/metrics.ts";
import { CALENDAR_RESOLUTIONS, type Resolution } from "../../data-schema/resolutions.ts";
import { calendarFlows, calendarStates, collectDays } from "../engine/calendar.ts";
import { concatFlows } from "../engine/concat-series.ts";
import type { DayFlows, MetricRuns } from "../engine/flows.ts";
import { FLOW_METRIC_NAMES } from "../engine/formulas.ts";
import type { BuildPeriods, Period } from "../engine/periods.ts";
import { priceSeries } from "../engine/price-series.ts";
import { dayStates } from "../engine/states.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { CannotResume } from "../failure.ts";
import { type Previous, readPublishedPoints } from "../incremental/previous.ts";
import type { PublishedPoints } from "../output/append.ts";
import type { SeriesFile, WholeSeries } from "../output/object.ts";
import { WrittenSeries } from "../publish/manifest.ts";
import type { Publication } from "../publish/publication.ts";
import type { ObjectStore } from "../store/store.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Pool } from "../threads/pool.ts";

export interface SeriesWork {
  symbol: string;
  timeline: Timeline;
  periods: BuildPeriods;
  /** `DAY_WIDTH` numbers per day. */
  holdings: Float64Array;
  pool: Pool;
  store: ObjectStore;
  publication: Publication;
  /** The build whose points the new ones are appended to. */
  previous: Previous | undefined;
  progress: Progress;
}

/** The series objects of a build. */
export interface SeriesResult {
  written: WrittenSeries;
  /** The objects of days, weeks and months, by metric. */
  whole: WholeSeries;
}

/** @returns `CannotResume` if a published object that would be extended is missing or damaged */
export async function writeSeries(work: SeriesWork): Promise<SeriesResult | CannotResume> {
  const { symbol, timeline, periods, holdings, pool, publication, progress } = work;
  const result: SeriesResult = {
    written: new WrittenSeries(),
    whole: { day: new Map(), week: new Map(), month: new Map() },
  };
  let damage: CannotResume | undefined;
  /** A task's input with the published points of its period; undefined, which stops the pool, if they are damaged. */
  const withPublished = async <Input extends object>(
    input: Input,
    resolution: Resolution,
    period: Period,
    metrics: readonly MetricName[] = FLOW_METRIC_NAMES,
  ): Promise<(Input & { published?: PublishedPoints }) | undefined> => {
    if (!work.previous || !isBegun(work, period)) return input;
    const published = await readPublishedPoints(work.store, work.previous, resolution, period, metrics);
    if (!("cannotResume" in published)) return { ...input, published };
    damage = published;
    return undefined;
  };
  const blocks = (periods.block ?? []).flatMap((period) =>
    sharesOf(work, period).map((metrics) => () => withPublished({ symbol, period, metrics }, "block", period, metrics)),
  );
  const publish = periods.hour !== undefined;
  const hours = periods.years.flatMap((period, year) =>
    (publish ? sharesOf(work, period) : [undefined]).map((metrics) => {
      const input = { symbol, period, publish, metrics };
      return { year, input: async () => (publish ? withPublished(input, "hour", period, metrics) : input) };
    }),
  );
  let done = 0;
  const wholes = (["day", ...CALENDAR_RESOLUTIONS] as const).flatMap((resolution) => periods[resolution]);
  const total = blocks.length + hours.length + (periods.hour ?? []).length + wholes.length * METRICS.length;
  const advance = async (files: SeriesFile[]) => {
    await publication.putSeries(files);
    for (const file of files) {
      result.written.add(file);
      if (isWhole(file.resolution)) result.whole[file.resolution].set(file.metric, file.bytes);
    }
    progress.update(++done, total);
  };

  await pool.forEach("blocks", blocks, ({ files }) => advance(files));
  if (damage) return damage;
  const days: DayFlows[] = [];
  const inputs = hours.map(({ input }) => input);
  await pool.forEach("hours", inputs, ({ files, days: flows }, index) => {
    days[index] = flows;
    return advance(files);
  });
  if (damage) return damage;
  /** The objects of some metrics in a period, a task for each. */
  const encodings = (resolution: Resolution, period: Period, metrics: MetricRuns) =>
    Array.from(metrics, (metric) => () => {
      const input = { symbol, resolution, period: period.name, metrics: [metric] };
      return withPublished(input, resolution, period, [metric[0]]);
    });
  const states = [...dayStates(timeline, holdings)];
  const flows = periods.years.map((_, year) =>
    days.flatMap(({ day }, index) => (hours[index]!.year === year ? [...day] : [])),
  );
  const collected = collectDays(days);
  const encoded = [
    ...(periods.hour ?? []).flatMap((period) => encodings("hour", period, priceSeries(timeline, "hour", period))),
    ...periods.day.flatMap((period) => [
      ...encodings("day", period, [...states, ...concatFlows(flows), ...priceSeries(timeline, "day")]),
    ]),
    ...CALENDAR_RESOLUTIONS.flatMap((resolution) =>
      periods[resolution].flatMap((period) =>
        encodings(resolution, period, [
          ...calendarStates(resolution, states),
          ...calendarFlows(timeline, resolution, collected),
          ...priceSeries(timeline, resolution),
        ]),
      ),
    ),
  ];
  await pool.forEach("encode", encoded, ({ files }) => advance(files));
  return damage ?? result;
}

const isWhole = (resolution: Resolution): resolution is keyof WholeSeries =>
  resolution !== "hour" && resolution !== "block";

/** Whether the build before has published points of a period. */
const isBegun = ({ previous }: SeriesWork, { from }: Period) =>
  previous !== undefined && from < previous.checkpoint.time;

/**
 * Divides the metrics of a period among tasks. Undefined is one task for all metrics. A period that extends published
 * objects has several tasks: it has few new events, and most of the time goes into the points before, metric by metric.
 */
function sharesOf(work: SeriesWork, period: Period): (readonly MetricName[] | undefined)[] {
  if (!isBegun(work, period)) return [undefined];
  const size = Math.ceil(FLOW_METRIC_NAMES.length / (2 * work.pool.threads));
  const count = Math.ceil(FLOW_METRIC_NAMES.length / size);
  return Array.from({ length: count }, (_, share) => FLOW_METRIC_NAMES.slice(share * size, (share + 1) * size));
}
