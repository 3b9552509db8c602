/** The points that `flows` leaves: series of hours and days, and what days add to weeks and months. */

import type { Codec } from "../../../data-schema/parquet.ts";
import {
  byHourMultiple,
  HOUR_MULTIPLES,
  type HourMultiple,
  type LotMethod,
  type MetricName,
} from "../../../data-schema/registry.ts";
import type { DayFlows, MetricSeries } from "../../engine/flows.ts";
import { DAY_ADDENDS, flowsOf } from "../../engine/formulas.ts";
import type { Series } from "../../engine/series.ts";
import { concat } from "../../lib/columns/concat.ts";
import { addUp, differences } from "../../lib/columns/differences.ts";
import { lowerBound } from "../../lib/columns/lower-bound.ts";
import { TableEncoder, type TableFile } from "../../lib/fixed-width-table.ts";
import type { StageFolder } from "../folder/folder.ts";
import { fromJson, toJson } from "../left/json.ts";
import { POINTS } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import type { StagePlan } from "../left/stage-plan.ts";

/** The addends of `DAY_ADDENDS`, by their place. */
type Addend = `addend ${number}`;
type Kind = "hour" | HourMultiple | Addend;
const MOST_ADDENDS = Math.max(...Array.from(DAY_ADDENDS.values(), ({ length }) => length));
const ADDENDS = Array.from({ length: MOST_ADDENDS }, (_, index): Addend => `addend ${index}`);

/** All but hours. */
const KINDS_OF_DAYS: readonly Kind[] = [...HOUR_MULTIPLES, ...ADDENDS];

/** What the row groups of a file are: times, which many series share, or the values of a metric's series. */
interface PointGroups {
  /** By kind and metric: the row group with the values, and of each series its selector and the row group of its times. */
  values: Record<string, { group: number; series: [selector: string, times: number][] }>;
}

/** @param withHours whether hours are published */
export function* encodePoints(
  { hour, addends, ...days }: DayFlows & { hour: MetricSeries },
  withHours: boolean,
  codec: Codec,
): Generator<Uint8Array> {
  const encoder = new TableEncoder(POINTS, codec);
  const values: PointGroups["values"] = {};
  const times = new Map<Float64Array, number>();
  let groups = 0;
  function* add(
    kind: Kind,
    metric: MetricName,
    series: readonly { selector: string; t: Float64Array; v: Float64Array }[],
  ) {
    if (series.length === 0) return;
    for (const { t } of series) {
      if (times.has(t)) continue;
      times.set(t, groups++);
      yield* encoder.group(t.length, { number: differences(t) });
    }
    const number = concat(series.map(({ v }) => v));
    yield* encoder.group(number.length, { number });
    values[`${kind} ${metric}`] = {
      group: groups++,
      series: series.map(({ selector, t }) => [selector, times.get(t)!]),
    };
  }
  if (withHours) for (const [metric, series] of hour) yield* add("hour", metric, series);
  for (const resolution of HOUR_MULTIPLES) {
    for (const [metric, series] of days[resolution]) yield* add(resolution, metric, series);
  }
  for (const [metric, series] of addends) {
    for (const index of DAY_ADDENDS.get(metric)!.keys()) {
      yield* add(
        `addend ${index}`,
        metric,
        series.map(({ selector, t, columns }) => ({ selector, t, v: columns[index]! })),
      );
    }
  }
  yield* encoder.end(toJson({ values } satisfies PointGroups));
}

const valuesOf = ({ entry }: TableFile<typeof POINTS>) => fromJson<PointGroups>(entry!).values;

/** Where the points of a run are: those of addresses, or of the lots of a method. */
export const pointsFile = (run: number, method?: LotMethod): string =>
  `${method === undefined ? "points" : `points-${method}`}/${run}.parquet`;

/** The points of the days that begin in a run. */
export class RunPoints {
  readonly #file: TableFile<typeof POINTS>;
  readonly #values: PointGroups["values"];
  /** The times of each row group. */
  readonly #times = new Map<number, Float64Array>();

  /**
   * @param kinds what will be read
   * @param method that of the lots whose points they are; those of addresses if left out
   * @throws {Error} the file is missing or damaged
   */
  static async open(folder: StageFolder, run: number, kinds: readonly Kind[], method?: LotMethod): Promise<RunPoints> {
    const pick = (file: TableFile<typeof POINTS>) =>
      Object.entries(valuesOf(file))
        .filter(([key]) => kinds.some((kind) => key.startsWith(`${kind} `)))
        .flatMap(([, { group, series }]) => [group, ...series.map(([, times]) => times)]);
    return new RunPoints(await openLeftTable(folder, pointsFile(run, method), POINTS, pick));
  }

  private constructor(file: TableFile<typeof POINTS>) {
    this.#file = file;
    this.#values = valuesOf(file);
  }

  /** The hours of a metric that begin in [from, to), Unix seconds. */
  hours(metric: MetricName, from: number, to: number): Series[] {
    return this.#read("hour", metric).flatMap(({ selector, t, v }): Series[] => {
      const [begin, end] = [lowerBound(t, t.length, from), lowerBound(t, t.length, to)];
      if (begin === 0 && end === t.length) return [{ selector, t, v }];
      return begin === end ? [] : [{ selector, t: t.subarray(begin, end), v: v.subarray(begin, end) }];
    });
  }

  days(): DayFlows {
    return {
      ...byHourMultiple((resolution) =>
        flowsOf(resolution).map((metric): [MetricName, Series[]] => [metric, this.#read(resolution, metric)]),
      ),
      addends: Array.from(DAY_ADDENDS, ([metric, addends]) => {
        const read = addends.map((_, index) => this.#read(`addend ${index}`, metric));
        return [
          metric,
          read[0]!.map(({ selector, t }, i) => ({ selector, t, columns: read.map((runs) => runs[i]!.v) })),
        ];
      }),
    };
  }

  #read(kind: Kind, metric: MetricName): Series[] {
    const found = this.#values[`${kind} ${metric}`];
    if (!found) return [];
    const { number } = this.#file.group(found.group);
    let end = 0;
    return found.series.map(([selector, times]) => {
      const t = this.#times.get(times) ?? addUp(this.#file.group(times).number);
      this.#times.set(times, t);
      const begin = end;
      end += t.length;
      return { selector, t, v: number.subarray(begin, end) };
    });
  }
}

/** The days of all runs, in order: those of addresses, or of the lots of a method. */
export async function readDays(
  folder: StageFolder,
  { reading }: Pick<StagePlan, "reading">,
  method?: LotMethod,
): Promise<DayFlows[]> {
  const days: DayFlows[] = [];
  for (const run of reading.shares.keys()) {
    const points = await RunPoints.open(folder, run, KINDS_OF_DAYS, method);
    days.push(points.days());
  }
  return days;
}
