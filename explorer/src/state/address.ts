/** The chart's state as the page's query string, so that a link shows the same chart. */

import { type Catalog, findAsset, findMetric, RESOLUTIONS } from "../api/catalog.ts";
import { queryValue } from "../api/request.ts";
import { parseTime, shortTime } from "../format/time.ts";
import {
  type ChartState,
  DEFAULT_PRESET,
  type Interval,
  isSameSeries,
  MAX_SERIES,
  MAX_UNITS,
  normalise,
  PRESETS,
  type Preset,
  type SeriesChoice,
} from "./chart-state.ts";

/**
 * Reads a query string. Never fails: what can't be shown is replaced by a default.
 *
 * @returns the state, and a sentence for each part of the query string that was ignored
 */
export function parseAddress(
  search: string,
  catalog: Catalog,
  fallback: readonly SeriesChoice[],
): { chart: ChartState; notes: string[] } {
  const query = new URLSearchParams(search);
  const notes: string[] = [];
  const wanted = query.get("a");
  const asset = (wanted && findAsset(catalog, wanted.toUpperCase())) || catalog.assets[0];
  if (wanted && asset && asset.symbol !== wanted.toUpperCase()) {
    notes.push(`There is no asset ${shorten(wanted)} here. Showing ${asset.symbol} instead.`);
  }
  const series = query.getAll("y").flatMap((text) => {
    const choice = parseSeries(text, catalog);
    if (choice === undefined) notes.push(`There is no series ${shorten(text)}, so it isn't shown.`);
    return choice ?? [];
  });
  /** Parses a parameter. Notes a text that has no valid value. */
  const read = <T>(name: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = query.get(name);
    const value = text ? parse(text) : undefined;
    if (text && value === undefined) notes.push(`${name}=${shorten(text)} isn't valid, so it is ignored.`);
    return value;
  };
  const resolution = read("r", oneOf(RESOLUTIONS)) ?? "day";
  const preset = read("range", oneOf(Object.keys(PRESETS) as Preset[]));
  const since = read("s", parseDate) ?? null;
  const until = read("u", parseDate) ?? null;
  const isReversed = since !== null && until !== null && since > until;
  if (isReversed) notes.push("The start date is after the end date, so both are ignored.");
  const hasDates = !isReversed && (since !== null || until !== null);
  const chart = normalise(
    {
      asset: asset?.symbol ?? "",
      series: series.length > 0 ? series : [...fallback],
      resolution,
      range: !preset && hasDates ? { since, until } : { preset: preset ?? DEFAULT_PRESET[resolution] },
      scale: read("scale", oneOf(["linear", "log"])) ?? "linear",
      zoom: read("z", parseZoom) ?? null,
    },
    catalog,
  );
  if (series.some((choice) => !chart.series.some((other) => isSameSeries(other, choice)))) {
    notes.push(`A chart shows at most ${MAX_SERIES} series in ${MAX_UNITS} units. The others are left out.`);
  }
  return { chart, notes };
}

/** The query string of a chart, with its question mark and without defaults. */
export function formatAddress({ asset, series, resolution, range, scale, zoom }: ChartState): string {
  const parts = [`a=${queryValue(asset)}`];
  for (const { metric, selector } of series) {
    parts.push(`y=${queryValue(selector === null ? metric : `${metric}:${selector}`)}`);
  }
  if (resolution !== "day") parts.push(`r=${resolution}`);
  if ("preset" in range) {
    if (range.preset !== DEFAULT_PRESET[resolution]) parts.push(`range=${range.preset}`);
  } else {
    if (range.since !== null) parts.push(`s=${shortTime(range.since)}`);
    if (range.until !== null) parts.push(`u=${shortTime(range.until)}`);
  }
  if (scale === "log") parts.push("scale=log");
  if (zoom) parts.push(`z=${shortTime(zoom.from)},${shortTime(zoom.to)}`);
  return `?${parts.join("&")}`;
}

/** A series is written as `metric` or `metric:selector`. */
export function parseSeries(text: string, catalog: Catalog): SeriesChoice | undefined {
  const [, name = "", given] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const metric = findMetric(catalog, name);
  if (!metric) return undefined;
  if (metric.selector === null) return given === undefined ? { metric: name, selector: null } : undefined;
  // No selector contains a space, so a space is an unencoded plus sign.
  const selector = given?.replaceAll(" ", "+") ?? metric.selector.default;
  return metric.selector.values.includes(selector) ? { metric: name, selector } : undefined;
}

function parseDate(text: string): number | undefined {
  const seconds = parseTime(text);
  return Number.isNaN(seconds) ? undefined : seconds;
}

function parseZoom(text: string): Interval | undefined {
  const [from = Number.NaN, to = Number.NaN] = text.split(",").map(parseTime);
  return from < to ? { from, to } : undefined;
}

const oneOf =
  <const T extends string>(allowed: readonly T[]) =>
  (text: string) =>
    allowed.find((value) => value === text);

/** A link may contain text of any length. */
const shorten = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
