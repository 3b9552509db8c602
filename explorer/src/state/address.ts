/**
 * The chart's state as the page's query string, so that a link shows the same chart. The parameters of the first pane
 * are plain (`y`, `scale`, `price`, `index`, `smooth`); those of the others end with the pane's number (`y2`, `scale2`).
 */

import {
  AROUND_FORM,
  LONGEST_REMARK,
  MARKS,
  MOST_CHART_LINES,
  MOST_PINS,
  MOST_REMARKS,
  MOST_UNITS,
  PANE_ENDS,
  RANGE_DAYS,
  SCALES,
  SMOOTHING_FORM,
  VINTAGES,
} from "../../../data-schema/chart-link.ts";
import { readQuery } from "../../../data-schema/link-query.ts";
import { DISTRIBUTION_NAMES, type Level } from "../../../data-schema/registry.ts";
import { type Catalog, findAsset, OFFERED_RESOLUTIONS } from "../api/catalog.ts";
import { queryValue } from "../api/request.ts";
import { parseTime, shortTime } from "../format/time.ts";
import { constantOf } from "../lines/formula-line.ts";
import { formatLevel, parseLevel, shortName } from "../lines/levels.ts";
import { formatStyle, type LineStyle, parseStyle } from "../lines/line-style.ts";
import { formatLine, isSameLine, type Line, lineWithin, parseLine } from "../lines/lines.ts";
import { formatThreshold, parseThreshold } from "../lines/threshold.ts";
import {
  type ChartState,
  contextOf,
  DEFAULT_PRESET,
  type Interval,
  normalise,
  type Pane,
  PLAIN_LOOK,
  type Preset,
  type Remark,
} from "./chart-state.ts";
import { formatStudy, parseStudy } from "./study.ts";

/**
 * Reads a query string. Never fails: what can't be shown is replaced by a default.
 *
 * @param fallback the lines of a chart whose query string names none
 * @returns the state, and a sentence for each part of the query string that was ignored
 */
export function parseAddress(
  search: string,
  catalog: Catalog,
  fallback: readonly Line[],
): { chart: ChartState; notes: string[] } {
  const query = readQuery(search);
  const notes: string[] = [];
  const wanted = query.get("a");
  const asset = (wanted && findAsset(catalog, wanted.toUpperCase())) || catalog.assets[0];
  if (wanted && asset && asset.symbol !== wanted.toUpperCase()) {
    notes.push(
      asset.was?.includes(wanted.toUpperCase())
        ? `${shorten(wanted)} has the symbol ${asset.symbol} now.`
        : `There is no asset ${shorten(wanted)} here. Showing ${asset.symbol} instead.`,
    );
  }
  const symbol = asset?.symbol ?? "";
  const context = contextOf({ asset: symbol }, catalog);
  /** A style is that of the line at its place, also where lines before it are unknown. */
  const readLines = (name: string, styles: readonly LineStyle[], names: readonly string[]) =>
    query.getAll(name).flatMap((text, place): Line | [] => {
      const line = parseLine(text, context);
      if (line === undefined) notes.push(`There is no series ${shorten(text)}, so it isn't shown.`);
      return line ? named(styled(lineWithin(line, symbol), styles[place]), names[place]) : [];
    });
  /** The levels of a pane: null where a link says nothing of them. */
  const readLevels = (end: (name: string) => string): Level[] | null => {
    const given = [...query].filter(([name]) => name === end("level") || name === end("zone"));
    if (given.length === 0) return null;
    return given.flatMap(([name, text]): Level | [] => {
      if (text === NO_LEVELS) return [];
      const level = parseLevel(name.startsWith("zone") ? "zone" : "level", text, context);
      if (!level) notes.push(`${name}=${shorten(text)} isn't valid, so it is ignored.`);
      return level ?? [];
    });
  };
  /** Parses a parameter. Notes a text that has no valid value. */
  const read = <T>(name: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = query.get(name);
    const value = text ? parse(text) : undefined;
    if (text && value === undefined) notes.push(`${name}=${shorten(text)} isn't valid, so it is ignored.`);
    return value;
  };
  const readPane = (pane: number): Pane => {
    const own = (name: string) => paneParameter(name, pane);
    return {
      lines: readLines(own("y"), read(own("style"), parseStyles) ?? [], (query.get(own("names")) ?? "").split("~")),
      scale: read(own("scale"), oneOf(SCALES)) ?? null,
      mark: read(own("mark"), oneOf(MARKS)) ?? null,
      price: read(own("price"), oneOf(SCALES)) ?? null,
      isIndexed: read(own("index"), oneOf(["100"])) !== undefined,
      smoothing: read(own("smooth"), (text) => (SMOOTHING_FORM.test(text) ? Number(text) : undefined)) ?? null,
      known: read(own("known"), oneOf(VINTAGES)) ?? null,
      heat: read(own("heat"), oneOf(DISTRIBUTION_NAMES)) ?? null,
      colors: read(own("colors"), oneOf(SCALES)) ?? null,
      around: read(own("around"), (text) => (AROUND_FORM.test(text) ? Number(text) : undefined)) ?? null,
      levels: readLevels(own),
      study: read(own("study"), parseStudy) ?? null,
      events: read(own("events"), oneOf(["off"])) ?? null,
    };
  };
  const given = Array.from({ length: PANE_ENDS.length }, (_, pane) => readPane(pane));
  const panes = given.filter(({ lines }) => lines.length > 0);
  const resolution = read("r", oneOf(OFFERED_RESOLUTIONS)) ?? "day";
  const preset = read("range", oneOf(Object.keys(RANGE_DAYS) as Preset[]));
  const since = read("s", parseDate) ?? null;
  const until = read("u", parseDate) ?? null;
  const isReversed = since !== null && until !== null && since > until;
  if (isReversed) notes.push("The start date is after the end date, so both are ignored.");
  const hasDates = !isReversed && (since !== null || until !== null);
  const chart = normalise(
    {
      asset: symbol,
      panes: panes.length > 0 ? panes : [{ ...(given[0] ?? PLAIN_LOOK), lines: [...fallback] }],
      resolution,
      range: !preset && hasDates ? { since, until } : { preset: preset ?? DEFAULT_PRESET[resolution] },
      zoom: read("z", parseZoom) ?? null,
      pins: read("pin", parsePins) ?? [],
      remarks: readRemarks(query, notes),
      alert: read("alert", parseThreshold) ?? null,
      isDayOpen: read("day", oneOf(["open"])) !== undefined,
    },
    catalog,
  );
  for (const [pane, { heat, lines }] of chart.panes.entries()) {
    const wanted = panes[pane]?.heat;
    if (wanted && !heat && lines.length > 0) {
      notes.push(`heat=${wanted} needs the price or a free axis, so it isn't drawn.`);
    }
  }
  const isLevel = (line: Line) => line.kind === "formula" && constantOf(line.text, context) !== null;
  const isShown = (line: Line, pane: number) =>
    isLevel(line) || chart.panes[pane]?.lines.some((other) => isSameLine(other, line));
  if (panes.some(({ lines }, pane) => lines.some((line) => !isShown(line, pane)))) {
    notes.push(`A chart shows at most ${MOST_CHART_LINES} series in ${MOST_UNITS} units. The others are left out.`);
  }
  return { chart, notes };
}

/** The query string of a chart, with its question mark and without defaults. */
export function formatAddress(chart: ChartState): string {
  const { asset, panes, resolution, range, zoom, pins, remarks, alert, isDayOpen } = chart;
  const parts = [`a=${queryValue(asset)}`];
  for (const [i, { lines }] of panes.entries()) {
    for (const line of lines) parts.push(`${paneParameter("y", i)}=${queryValue(formatLine(line))}`);
  }
  if (resolution !== "day") parts.push(`r=${resolution}`);
  if ("preset" in range) {
    if (range.preset !== DEFAULT_PRESET[resolution]) parts.push(`range=${range.preset}`);
  } else {
    if (range.since !== null) parts.push(`s=${shortTime(range.since)}`);
    if (range.until !== null) parts.push(`u=${shortTime(range.until)}`);
  }
  for (const [i, { lines }] of panes.entries()) {
    const styles = lines.map(({ style }) => (style ? formatStyle(style) : "")).join(",");
    if (/[^,]/.test(styles)) parts.push(`${paneParameter("style", i)}=${styles.replace(/,+$/, "")}`);
  }
  for (const [
    i,
    { lines: _, levels: __, isIndexed, smoothing, study, scale, mark, price, ...below },
  ] of panes.entries()) {
    const look = { scale, mark, price, index: isIndexed ? 100 : null, smooth: smoothing, ...below };
    for (const [name, value] of Object.entries({ ...look, study: study && formatStudy(study) })) {
      if (value !== null) parts.push(`${paneParameter(name, i)}=${value}`);
    }
  }
  for (const [i, { lines, levels }] of panes.entries()) {
    const names = lines.map((line) => (line.kind === "formula" && line.name) || "").join("~");
    if (/[^~]/.test(names)) parts.push(`${paneParameter("names", i)}=${queryValue(names.replace(/~+$/, ""))}`);
    for (const level of levels ?? []) {
      const [parameter, text] = formatLevel(level);
      parts.push(`${paneParameter(parameter, i)}=${queryValue(text)}`);
    }
    if (levels?.length === 0) parts.push(`${paneParameter("level", i)}=${NO_LEVELS}`);
  }
  if (zoom) parts.push(`z=${shortTime(zoom.from)},${shortTime(zoom.to)}`);
  if (pins.length > 0) parts.push(`pin=${pins.map(shortTime).join(",")}`);
  if (alert) parts.push(`alert=${queryValue(formatThreshold(alert))}`);
  if (isDayOpen) parts.push("day=open");
  for (const { from, to, text } of remarks) {
    parts.push(`note=${shortTime(from)},${to === null ? "" : shortTime(to)},${queryValue(text)}`);
  }
  return `?${parts.join("&")}`;
}

/** @returns undefined if one of them isn't valid */
function parseStyles(text: string): LineStyle[] | undefined {
  const styles = text.split(",").map(parseStyle);
  return styles.every((style) => style !== undefined) ? styles : undefined;
}

const styled = (line: Line, style: LineStyle | undefined): Line =>
  style && formatStyle(style) !== "" ? { ...line, style } : line;

/** In place of levels: none at all, not even those of the indicators. */
const NO_LEVELS = "none";

/** A formula with its name, if it has one. */
const named = (line: Line, name = ""): Line =>
  line.kind === "formula" && shortName(name) !== "" ? { ...line, name: shortName(name) } : line;

/** Notes, the earliest first. */
function readRemarks(query: URLSearchParams, notes: string[]): Remark[] {
  const remarks = query.getAll("note").flatMap((given): Remark[] => {
    const [, start = "", end = "", text = ""] = /^([^,]*),([^,]*),(.*)$/s.exec(given) ?? [];
    const [from, to] = [parseTime(start), end === "" ? null : parseTime(end)];
    const isValid = to === null ? !Number.isNaN(from) : from < to;
    if (!isValid || text.trim() === "") notes.push(`note=${shorten(given)} isn't valid, so it is ignored.`);
    return isValid && text.trim() !== "" ? [{ from, to, text: text.trim().slice(0, LONGEST_REMARK) }] : [];
  });
  return remarks.slice(0, MOST_REMARKS).toSorted((a, b) => a.from - b.from);
}

const paneParameter = (name: string, pane: number) => (pane === 0 ? name : `${name}${pane + 1}`);

function parseDate(text: string): number | undefined {
  const seconds = parseTime(text);
  return Number.isNaN(seconds) ? undefined : seconds;
}

function parseZoom(text: string): Interval | undefined {
  const [from = Number.NaN, to = Number.NaN] = text.split(",").map(parseTime);
  return from < to ? { from, to } : undefined;
}

/** Times, ascending. */
function parsePins(text: string): number[] | undefined {
  const pins = [...new Set(text.split(",").map(parseTime))];
  return pins.length <= MOST_PINS && !pins.some(Number.isNaN) ? pins.sort((a, b) => a - b) : undefined;
}

const oneOf =
  <const T extends string>(allowed: readonly T[]) =>
  (text: string) =>
    allowed.find((value) => value === text);

/** A link may contain text of any length. */
const shorten = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
