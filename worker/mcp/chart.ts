/** A link to a chart in the explorer. Its form is that of explorer/src/state/address.ts; a test compares them. */

import type { Manifest } from "../../data-schema/manifest.ts";
import {
  findMetric,
  type Metric,
  metricNames,
  SINGLE_SERIES,
  selectorOf,
  v1ResolutionsOf,
} from "../../data-schema/metrics.ts";
import { V1_RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { isoTime } from "../format/time.ts";
import { Problem } from "../problems/problem.ts";
import { instant } from "../request/instant-parameter.ts";
import { nearest } from "../request/nearest.ts";
import { tableParameter } from "../request/table-parameters.ts";

/** What the explorer draws in one chart: series, and units, an axis each. */
export const MOST_SERIES = 6;
export const MOST_UNITS = 2;

/** Stretches of time before the last point. */
export const RANGES = ["7d", "30d", "90d", "1y", "all"] as const;

export interface Chart {
  /** Each `metric` or `metric:selector`. */
  series: readonly string[];
  /** Day if left out. */
  resolution?: string;
  range?: string;
  /** Dates or times, ISO 8601 or Unix seconds. */
  since?: string;
  until?: string;
  scale?: string;
}

/**
 * The path and query of a chart.
 *
 * @throws {Problem} 400 what the explorer cannot draw: a series, too many of them, a resolution, a range
 */
export function chartPath(
  manifest: Manifest,
  { series, resolution = "day", range, since, until, scale }: Chart,
): string {
  const drawn = series.map(drawnSeries);
  if (drawn.length > MOST_SERIES) throw refused("series", `A chart has up to ${MOST_SERIES} series.`);
  if (new Set(drawn.map(({ name }) => name)).size < drawn.length)
    throw refused("series", "series names the same twice.");
  if (new Set(drawn.map(({ metric }) => metric.unit)).size > MOST_UNITS) {
    throw refused("series", `A chart has up to ${MOST_UNITS} units: leave out some of the series.`);
  }
  const offered = V1_RESOLUTIONS.filter(
    (one) => manifest.resolutions[one] && drawn.some(({ metric }) => v1ResolutionsOf(metric).includes(one)),
  );
  if (!offered.some((one) => one === resolution)) {
    throw refused("resolution", "The chart has no such resolution.", offered);
  }
  if (range !== undefined && (since ?? until) !== undefined) {
    throw refused("range", "range excludes since and until: give one or the other.");
  }
  const [from, to] = [timeOf("s", since), timeOf("u", until)];
  if (from !== null && to !== null && from > to) throw refused("since", "since is later than until.");
  const pairs: [string, string | null][] = [
    ["a", manifest.symbol],
    ...drawn.map(({ name }): [string, string] => ["y", name]),
    ["r", resolution === "day" ? null : resolution],
    ["range", range ?? null],
    ["s", from === null ? null : isoTime(from)],
    ["u", to === null ? null : isoTime(to)],
    ["scale", scale ?? null],
  ];
  return `/?${new URLSearchParams(pairs.filter((pair): pair is [string, string] => pair[1] !== null))}`;
}

/** The metric of a series, and how the link names the series: with its selector, if it has one. */
function drawnSeries(text: string): { metric: Metric; name: string } {
  const [name = "", ...rest] = text.split(":");
  const given = rest.length === 0 ? undefined : rest.join(":");
  const metric = findMetric("v1", name);
  if (metric === undefined) {
    const names = metricNames("v1");
    throw refused("series", "The explorer draws no such metric.", names, nearest(name, names));
  }
  const { values, default: preset } = selectorOf(metric) ?? { values: [SINGLE_SERIES], default: SINGLE_SERIES };
  const selector = given ?? preset;
  if (!values.includes(selector)) {
    throw refused("series", `${metric.name} has no such selector.`, values, nearest(selector, values));
  }
  return { metric, name: selectorOf(metric) === null ? name : `${name}:${selector}` };
}

/** The years that the link can write, Unix seconds: there is no data outside them. */
const [FIRST, LAST] = [0, Date.UTC(9999, 11, 31) / 1000];

const timeOf = (name: "s" | "u", text: string | undefined): number | null =>
  text === undefined ? null : Math.min(Math.max(instant(tableParameter(name), text), FIRST), LAST);

function refused(parameter: string, detail: string, allowed?: readonly string[], suggestion?: string): Problem {
  return new Problem("invalid-parameter", detail, { parameter, allowed, suggestion });
}
