/** What the page shows, and the same as a query string: a link shows the same chart. */

import { type Asset, type Catalog, findAsset, findMetric, type Metric, type Resolution, type Unit } from "./catalog.ts";
import { queryValue } from "./query.ts";
import { parseTime, shortTime } from "./time.ts";

export const MOST_SERIES = 6;
/** One axis on the left, one on the right. */
export const MOST_UNITS = 2;

/** Lengths of time back from the last point, in days. */
export const PRESETS = { "7d": 7, "30d": 30, "90d": 90, "1y": 365, all: Number.POSITIVE_INFINITY } as const;
export type Preset = keyof typeof PRESETS;

export const DEFAULT_PRESET: Record<Resolution, Preset> = { day: "all", hour: "90d", block: "7d" };

export interface Choice {
  metric: string;
  /** Cohort, exchange or sample; null for a metric that has one series. */
  selector: string | null;
}

/** Unix seconds, both inclusive. */
export interface Interval {
  from: number;
  to: number;
}

/** Dates may be left open. */
export type Range = { preset: Preset } | { since: number | null; until: number | null };

export interface State {
  asset: string;
  series: Choice[];
  resolution: Resolution;
  range: Range;
  scale: "linear" | "log";
  /** The part of the range that is looked at; null for all of it. */
  zoom: Interval | null;
}

/** @returns the state that a query string names, and in plain words what of it there is not */
export function parseState(search: string, catalog: Catalog, fallback: readonly Choice[]) {
  const query = new URLSearchParams(search);
  const notes: string[] = [];
  const wanted = query.get("a");
  const asset = (wanted && findAsset(catalog, wanted.toUpperCase())) || catalog.assets[0];
  if (wanted && asset && asset.symbol !== wanted.toUpperCase()) {
    notes.push(`There is no asset ${short(wanted)} here: this is ${asset.symbol}.`);
  }
  const series = query.getAll("y").flatMap((text) => {
    const choice = parseChoice(text, catalog);
    if (choice === undefined) notes.push(`There is no series ${short(text)}: it is left out.`);
    return choice ?? [];
  });
  /** What a part of the address says; where it makes no sense, that is told, and the default holds. */
  const part = <T>(name: string, value: T | undefined): T | undefined => {
    const text = query.get(name);
    if (text && value === undefined) notes.push(`${name}=${short(text)} makes no sense here: it is left out.`);
    return value;
  };
  const resolution = part("r", oneOf(query.get("r"), ["day", "hour", "block"] as const)) ?? "day";
  const preset = part("range", oneOf(query.get("range"), Object.keys(PRESETS) as Preset[]));
  const since = part("s", parseDate(query.get("s")));
  const until = part("u", parseDate(query.get("u")));
  const isReversed = since !== undefined && until !== undefined && since > until;
  if (isReversed) notes.push("The first date is later than the last one: both are left out.");
  const dates =
    isReversed || (since === undefined && until === undefined)
      ? undefined
      : { since: since ?? null, until: until ?? null };
  const state: State = {
    asset: asset?.symbol ?? "",
    series: series.length > 0 ? series : [...fallback],
    resolution,
    range: preset ? { preset } : (dates ?? { preset: DEFAULT_PRESET[resolution] }),
    scale: part("scale", oneOf(query.get("scale"), ["linear", "log"] as const)) ?? "linear",
    zoom: part("z", parseZoom(query.get("z"))) ?? null,
  };
  const settled = settle(state, catalog);
  if (series.some((choice) => !settled.series.some((other) => same(other, choice)))) {
    notes.push(`A chart holds at most ${MOST_SERIES} series of ${MOST_UNITS} units: the others are left out.`);
  }
  return { state: settled, notes };
}

/** The query string of a state, with its question mark; defaults are left out. */
export function formatState(state: State): string {
  const parts = [`a=${queryValue(state.asset)}`];
  for (const { metric, selector } of state.series) {
    parts.push(`y=${queryValue(selector === null ? metric : `${metric}:${selector}`)}`);
  }
  if (state.resolution !== "day") parts.push(`r=${state.resolution}`);
  const { range, zoom } = state;
  if ("preset" in range) {
    if (range.preset !== DEFAULT_PRESET[state.resolution]) parts.push(`range=${range.preset}`);
  } else {
    if (range.since !== null) parts.push(`s=${shortTime(range.since)}`);
    if (range.until !== null) parts.push(`u=${shortTime(range.until)}`);
  }
  if (state.scale === "log") parts.push("scale=log");
  if (zoom) parts.push(`z=${shortTime(zoom.from)},${shortTime(zoom.to)}`);
  return `?${parts.join("&")}`;
}

/** The state with what can't be shown together taken out: so every state that is shown is one that can be. */
export function settle(state: State, catalog: Catalog): State {
  const asset = findAsset(catalog, state.asset);
  const series: Choice[] = [];
  const units = new Set<Unit>();
  for (const choice of state.series) {
    const metric = findMetric(catalog, choice.metric);
    if (!metric || series.length === MOST_SERIES || series.some((other) => same(other, choice))) continue;
    if (!units.has(metric.unit) && units.size === MOST_UNITS) continue;
    units.add(metric.unit);
    series.push(choice);
  }
  const resolution = resolutionsFor(series, catalog, asset).includes(state.resolution) ? state.resolution : "day";
  return { ...state, series, resolution };
}

/** The units of the series: that of the left axis, then that of the right one. */
export function unitsOf(series: readonly Choice[], catalog: Catalog): Unit[] {
  return [...new Set(series.flatMap(({ metric }) => findMetric(catalog, metric)?.unit ?? []))];
}

/** Resolutions at which the asset is published and at least one of the series exists. */
export function resolutionsFor(series: readonly Choice[], catalog: Catalog, asset: Asset | undefined): Resolution[] {
  const metrics = series.flatMap(({ metric }) => findMetric(catalog, metric) ?? []);
  return (["day", "hour", "block"] as const).filter(
    (resolution) => asset?.ranges[resolution] && metrics.some((metric) => metric.resolutions.includes(resolution)),
  );
}

/** A metric that is not made at the chosen resolution is shown per day. */
export function resolutionOf(metric: Metric, chosen: Resolution): Resolution {
  return metric.resolutions.includes(chosen) ? chosen : "day";
}

export function same(a: Choice, b: Choice): boolean {
  return a.metric === b.metric && a.selector === b.selector;
}

function parseChoice(text: string, catalog: Catalog): Choice | undefined {
  const [name] = text.split(":", 1);
  const metric = findMetric(catalog, name);
  if (!metric) return undefined;
  // No value holds a space: one that arrives was a raw plus sign.
  const given = text.length > name.length ? text.slice(name.length + 1).replaceAll(" ", "+") : undefined;
  if (metric.selector === null) return given === undefined ? { metric: name, selector: null } : undefined;
  const selector = given ?? metric.selector.default;
  return metric.selector.values.includes(selector) ? { metric: name, selector } : undefined;
}

function parseDate(text: string | null): number | undefined {
  const seconds = parseTime(text ?? "");
  return Number.isNaN(seconds) ? undefined : seconds;
}

function parseZoom(text: string | null): Interval | undefined {
  const [from, to] = (text ?? "").split(",").map(parseTime);
  return from < to ? { from, to } : undefined;
}

function oneOf<T extends string>(text: string | null, allowed: readonly T[]): T | undefined {
  return allowed.find((value) => value === text);
}

/** What a link holds may be of any length. */
const short = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
