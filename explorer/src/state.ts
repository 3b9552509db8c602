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
  if (wanted && asset?.symbol !== wanted.toUpperCase()) notes.push(`There is no asset ${wanted} here.`);
  const series = query.getAll("y").flatMap((text) => {
    const choice = parseChoice(text, catalog);
    if (choice === undefined) notes.push(`There is no series ${text}.`);
    return choice ?? [];
  });
  const resolution = oneOf(query.get("r"), ["day", "hour", "block"] as const) ?? "day";
  const state: State = {
    asset: asset?.symbol ?? "",
    series: series.length > 0 ? series : [...fallback],
    resolution,
    range: parseRange(query) ?? { preset: DEFAULT_PRESET[resolution] },
    scale: query.get("scale") === "log" ? "log" : "linear",
    zoom: parseZoom(query.get("z")),
  };
  return { state: settle(state, catalog), notes };
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

function parseRange(query: URLSearchParams): Range | undefined {
  const preset = oneOf(query.get("range"), Object.keys(PRESETS) as Preset[]);
  if (preset) return { preset };
  const since = numberOrNull(parseTime(query.get("s") ?? ""));
  const until = numberOrNull(parseTime(query.get("u") ?? ""));
  if (since === null && until === null) return undefined;
  return since !== null && until !== null && since > until ? undefined : { since, until };
}

function parseZoom(text: string | null): Interval | null {
  const [from, to] = (text ?? "").split(",").map(parseTime);
  return from < to ? { from, to } : null;
}

function oneOf<T extends string>(text: string | null, allowed: readonly T[]): T | undefined {
  return allowed.find((value) => value === text);
}

const numberOrNull = (value: number) => (Number.isNaN(value) ? null : value);
