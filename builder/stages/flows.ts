/**
 * Stage `flows`: the flows of the days that begin in a run, by hour and by day, and how many rows their blocks would have.
 */

import type { MetricName } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { lowerBound } from "../columns/search.ts";
import { countBlocks, type DayBlocks, type DayFlows, hourAndDayFlows, type MetricRuns } from "../engine/flows.ts";
import type { FlowRatioName } from "../engine/formulas.ts";
import type { SeriesRun } from "../engine/series.ts";
import type { StageFolder } from "./folder.ts";
import { POINTS } from "./layouts.ts";
import { outlineOfRuns } from "./outline.ts";
import { daysBeginningIn, readEvents } from "./replayed.ts";
import { readPartitions } from "./runs.ts";
import { TableEncoder, TableFile } from "./table.ts";
import type { StageTask } from "./task.ts";

/** What is known of the days of a run. */
export interface FlowFacts {
  blocks: DayBlocks[];
}

/** The points of a metric; a ratio also has the numerators and denominators of its days. */
const KINDS = ["hour", "day", "numerator", "denominator"] as const;
type Kind = (typeof KINDS)[number];

/** The row groups of a file of points, in order: what each has of which selector. */
interface PointGroups {
  groups: { kind: Kind; metric: MetricName; runs: [selector: string, rows: number][] }[];
}

export async function sumFlows({ plan, folder, index, runs }: StageTask): Promise<FlowFacts> {
  await readPartitions(folder, plan);
  const parts = daysBeginningIn(runs, index);
  const outline = outlineOfRuns(plan, runs);
  const events = readEvents(folder, runs, plan.partitions, parts, outline.prices);
  const { rows, timestamp } = events.history;
  const from = rows === 0 ? 0 : Math.floor(timestamp[0]! / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
  const to = rows === 0 ? 0 : (Math.floor(timestamp[rows - 1]! / BUCKET_SECONDS.day) + 1) * BUCKET_SECONDS.day;
  const { hour, day, ratios } = hourAndDayFlows({ ...outline, ...events }, { from, to });
  const groups: PointGroups["groups"] = [];
  function* pieces(): Generator<Uint8Array> {
    const encoder = new TableEncoder(POINTS);
    function* add(kind: Kind, metric: MetricName, series: readonly Omit<SeriesRun, "block">[]) {
      if (series.length === 0) return;
      groups.push({ kind, metric, runs: series.map(({ selector, t }) => [selector, t.length]) });
      const [t, v] = (["t", "v"] as const).map((name) => concat(series.map((run) => run[name])));
      yield* encoder.group(t!.length, { t: t!, v: v! });
    }
    if (plan.asset.resolutions.includes("hour"))
      for (const [metric, series] of hour) yield* add("hour", metric, series);
    for (const [metric, series] of day) yield* add("day", metric, series);
    for (const [metric, series] of ratios) {
      for (const kind of ["numerator", "denominator"] as const) {
        yield* add(
          kind,
          metric,
          series.map(({ selector, t, [kind]: v }) => ({ selector, t, v })),
        );
      }
    }
    yield* encoder.end({ groups } satisfies PointGroups);
  }
  await folder.write(`points/${index}.parquet`, pieces());
  return { blocks: countBlocks(events) };
}

function concat(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((length, column) => length + column.length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}

/** The points of the days that begin in a run. */
export class RunPoints {
  readonly #file: TableFile<typeof POINTS, PointGroups>;

  /** @throws {Error} the file is missing or damaged */
  constructor(folder: StageFolder, run: number) {
    this.#file = new TableFile(folder.file(`points/${run}.parquet`), POINTS);
  }

  /** The hours of a metric that begin in [from, to), Unix seconds. */
  hours(metric: MetricName, from: number, to: number): SeriesRun[] {
    return this.#read("hour", metric).flatMap(({ selector, t, v }): SeriesRun[] => {
      const [begin, end] = [countBelow(t, from), countBelow(t, to)];
      return begin === end ? [] : [{ selector, t: t.subarray(begin, end), v: v.subarray(begin, end) }];
    });
  }

  days(metrics: readonly MetricName[], ratios: readonly FlowRatioName[]): DayFlows {
    const day: MetricRuns = metrics.map((metric) => [metric, this.#read("day", metric)]);
    return {
      day,
      ratios: ratios.map((metric) => {
        const denominators = this.#read("denominator", metric);
        const runs = this.#read("numerator", metric).map(({ selector, t, v }, i) => {
          return { selector, t, numerator: v, denominator: denominators[i]!.v };
        });
        return [metric, runs];
      }),
    };
  }

  #read(kind: Kind, metric: MetricName): SeriesRun[] {
    const index = this.#file.facts.groups.findIndex((group) => group.kind === kind && group.metric === metric);
    if (index < 0) return [];
    const { t, v } = this.#file.group(index);
    let end = 0;
    return this.#file.facts.groups[index]!.runs.map(([selector, rows]) => {
      const begin = end;
      end += rows;
      return { selector, t: t.subarray(begin, end), v: v.subarray(begin, end) };
    });
  }
}

const countBelow = (ascending: Float64Array, value: number) => lowerBound(ascending, ascending.length, value);
