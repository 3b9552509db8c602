/** Many series in one answer: against one series, against as many requests of v1, and each format against CSV. */

import { metricByName, seriesOf } from "../../data-schema/registry.ts";
import { TABLE_FORMAT_NAMES, type TableFormat } from "../../worker/request/parameters/table-formats.ts";
import { medianFigures } from "../lib/rounds.ts";
import type { Bench } from "./bench.ts";
import type { Measured } from "./processes/load-process.ts";
import { DAY, HISTORY, HOUR, pathOf, QUERIES, tablePath } from "./queries.ts";

/** The states that are compared. */
export const WIDE_STATES = ["cold", "warm"] as const;
type State = (typeof WIDE_STATES)[number];

export interface WideFigures {
  /** Series of an answer, and their points. */
  series: number;
  days: number;
  hours: number;
  /** One day series of v1, and (i) all hours of one series. */
  v1: Record<State, Measured>;
  rendered: Measured;
  formats: Record<TableFormat, FormatFigures>;
}

/** By state: one day series, all of them; all hours of one series, and of all. */
export type FormatFigures = Record<"oneDay" | "allDays" | "oneHour" | "allHours", Record<State, Measured>>;

const METRIC = "volume";
const query = (name: string) => QUERIES.find((candidate) => candidate.name === name)!;
const PARAMETERS = {
  oneDay: { c: "users", r: "day" },
  allDays: { c: "*", r: "day" },
  oneHour: { c: "users", r: "hour" },
  allHours: { c: "*", r: "hour" },
} satisfies Record<keyof FormatFigures, Record<string, string>>;

export async function measureWide({ run, runPath }: Bench, isFull: boolean): Promise<WideFigures> {
  const effort = { connections: 1, seconds: isFull ? 1 : 0.4 };
  const paths: Record<string, string> = { v1: pathOf(query("day series")) };
  for (const f of TABLE_FORMAT_NAMES) {
    for (const [name, parameters] of Object.entries(PARAMETERS)) {
      paths[`${f} ${name}`] = tablePath({ m: METRIC, ...parameters, f });
    }
  }
  const alternatives: Record<string, () => Promise<Measured>> = {
    rendered: () => run("rendered", query("all hours"), effort),
  };
  for (const [name, path] of Object.entries(paths)) {
    for (const state of WIDE_STATES) {
      // Once in advance, to fill the caches.
      await runPath(state, path, { ...effort, requests: 1 });
      alternatives[`${name} ${state}`] = () => runPath(state, path, effort);
    }
  }
  const medians = await medianFigures(isFull ? 9 : 5, alternatives);
  const both = (name: string) => ({ cold: medians[`${name} cold`]!, warm: medians[`${name} warm`]! });
  const ofFormat = (f: TableFormat) =>
    Object.fromEntries(Object.keys(PARAMETERS).map((name) => [name, both(`${f} ${name}`)])) as FormatFigures;
  return {
    series: seriesOf(metricByName(METRIC)).length,
    days: (HISTORY.to - HISTORY.from) / DAY,
    hours: (HISTORY.to - HISTORY.from) / HOUR,
    v1: both("v1"),
    rendered: medians.rendered!,
    formats: Object.fromEntries(TABLE_FORMAT_NAMES.map((f) => [f, ofFormat(f)])) as WideFigures["formats"],
  };
}
