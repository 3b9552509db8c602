/** What a chart shows, as a plain value, and the rules that every chart keeps. */

import {
  type ChartRange as LinkRange,
  type MARKS,
  MOST_CHART_LINES,
  MOST_UNITS,
  PANE_ENDS,
  RANGE_DAYS,
  type SCALES,
  type VINTAGES,
} from "../../../data-schema/chart-link.ts";
import type { FormulaUnit } from "../../../data-schema/formula.ts";
import {
  byWhole,
  DISTRIBUTION_NAMES,
  DISTRIBUTIONS,
  type DistributionName,
  type Level,
  RESOLUTION_FACTS,
} from "../../../data-schema/registry.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";
import {
  type Asset,
  type Catalog,
  type CatalogMetric,
  type Context,
  catalogMetric,
  findAsset,
  OFFERED_RESOLUTIONS,
  type Resolution,
} from "../api/catalog.ts";
import type { Bounds } from "../formula/needed-bounds.ts";
import { isStacked } from "../lines/family-line.ts";
import { drawableLevels, withoutConstants } from "../lines/levels.ts";
import { isSameLine, type Line, lineInputs, lineWithin, unitsOf } from "../lines/lines.ts";
import type { Threshold } from "../lines/threshold.ts";
import type { Study } from "./study.ts";

export type Preset = LinkRange;

export const DEFAULT_PRESET: Record<Resolution, Preset> = {
  ...byWhole(() => "all" as const),
  hour: "90d",
  block: "7d",
};

/** Whether a preset shows more than one bucket. */
export const isLongEnough = (preset: Preset, resolution: Resolution): boolean =>
  DAY_SECONDS * RANGE_DAYS[preset] > RESOLUTION_FACTS[resolution].most;

export type Scale = (typeof SCALES)[number];

export type Mark = (typeof MARKS)[number];

type Vintage = (typeof VINTAGES)[number];

/** Unix seconds, both inclusive. */
export interface Interval {
  from: number;
  to: number;
}

/** A chosen range. */
export type ShownRange = { preset: Preset } | Bounds;

/** How a pane draws its lines. */
export interface Look {
  /** Null: the scale that suits the lines. */
  scale: Scale | null;
  /** What the lines are drawn as; null: what suits them. */
  mark: Mark | null;
  /** The scale of the price, which has an axis of its own; null: no price. */
  price: Scale | null;
  /** Whether each line is 100 at the left edge of what is visible. */
  isIndexed: boolean;
  /** The days of the moving average; null: none. */
  smoothing: number | null;
  /** Values as they were first published, or their revisions since; null: as they are known now. */
  known: Vintage | null;
  /** The distribution below the lines; null: none. */
  heat: DistributionName | null;
  /** What its colours stand for; null: what suits it. */
  colors: Scale | null;
  /** So many buckets on each side of the price, as bars below the chart; null: none. */
  around: number | null;
  /** Lines and bands across the chart; null: those by which its indicators are read. */
  levels: readonly Level[] | null;
  /** What is computed from the lines, and shown below the chart; null: nothing. */
  study: Study | null;
  /** Whether the marks of the asset's events are hidden; null: they are shown. */
  events: "off" | null;
}

export const PLAIN_LOOK: Look = {
  scale: null,
  mark: null,
  price: null,
  isIndexed: false,
  smoothing: null,
  known: null,
  heat: null,
  colors: null,
  around: null,
  levels: null,
  study: null,
  events: null,
};

/** One of the charts below each other. They share the time axis. */
export interface Pane extends Look {
  lines: Line[];
}

export interface ChartState {
  /** The asset of every line that names no other. */
  asset: string;
  panes: Pane[];
  resolution: Resolution;
  range: ShownRange;
  /** The visible interval, where it isn't the range. */
  zoom: Interval | null;
  /** Pinned times in Unix seconds, ascending: each pins the bucket that it is in. */
  pins: readonly number[];
  /** A person's notes, by time. */
  remarks: readonly Remark[];
  /** The condition of an alert, which is drawn with its firings; null: none. */
  alert: Threshold | null;
  /** Whether what happened at the pin is shown below the chart. */
  isDayOpen: boolean;
}

/** A note on a time, or on a stretch of time. */
export interface Remark {
  /** Unix seconds, like to. */
  from: number;
  /** Inclusive; null for a time. */
  to: number | null;
  text: string;
}

export const contextOf = ({ asset }: Pick<ChartState, "asset">, catalog: Catalog): Context => ({
  catalog,
  asset: findAsset(catalog, asset),
});

/** The whole history of a chart's first line, by day. */
export function overviewOf(chart: ChartState): ChartState {
  const lines = chart.panes[0]?.lines.slice(0, 1) ?? [];
  return { ...chart, panes: [{ ...PLAIN_LOOK, lines }], resolution: "day", range: { preset: "all" }, zoom: null };
}

/**
 * Removes what a chart can't show: unknown or repeated lines, lines beyond the limits, a pane's second family, panes
 * without lines, a missing resolution. A chart has at least one pane.
 */
export function normalise(chart: ChartState, catalog: Catalog): ChartState {
  const context = contextOf(chart, catalog);
  const all = chart.panes.map((pane) => normalisePane(pane, context));
  const panes = all.filter(({ lines }) => lines.length > 0).slice(0, PANE_ENDS.length);
  if (panes.length === 0) panes.push(all[0] ?? { ...PLAIN_LOOK, lines: [] });
  const resolution = availableResolutions(panes, context).includes(chart.resolution) ? chart.resolution : "day";
  return { ...chart, panes, resolution };
}

function normalisePane(pane: Pane, context: Context): Pane {
  const given = withoutConstants(pane.lines, context);
  const lines: Line[] = [];
  const units = new Set<FormulaUnit>();
  for (const one of given.lines) {
    const line = context.asset ? lineWithin(one, context.asset.symbol) : one;
    const own = unitsOf(line, context);
    if (line.kind === "family" && lines.some(({ kind }) => kind === "family")) continue;
    if (own.size === 0 || lines.length === MOST_CHART_LINES || lines.some((other) => isSameLine(other, line))) continue;
    if (new Set([...units, ...own]).size > MOST_UNITS) continue;
    for (const unit of own) units.add(unit);
    lines.push(line);
  }
  // Areas add up from zero.
  const still = lines.some(isStackedLine) && { scale: null, mark: null, isIndexed: false };
  // Two vintages of areas would add up to twice the whole, and those of many lines would be a tangle.
  const known = pane.known === "both" && lines.some(({ kind }) => kind === "family") ? "first" : pane.known;
  // Without a choice, the indicators of the pane have theirs.
  const levels =
    pane.levels === null && given.levels.length === 0
      ? null
      : drawableLevels([...(pane.levels ?? []), ...given.levels], context);
  const drawn = { ...pane, lines, levels, known, ...still };
  const heat = heatsFor(drawn, context).find((name) => name === pane.heat) ?? null;
  return { ...drawn, heat, colors: heat && pane.colors };
}

/** The distributions that a pane has room for: one of costs shares the axis of a price, others need one of their own. */
export function heatsFor({ lines, isIndexed, price }: Pane, context: Context): DistributionName[] {
  if (!context.asset || isIndexed || price !== null || lines.some(isStackedLine)) return [];
  const units = new Set(lines.flatMap((line) => [...unitsOf(line, context)]));
  const hasRoom = { cost: units.has("usd_per_token"), time: units.size < MOST_UNITS };
  return DISTRIBUTION_NAMES.filter((name) => hasRoom[DISTRIBUTIONS[name].key]);
}

/** Whether a line is drawn as areas above each other. */
export const isStackedLine = (line: Line): boolean => line.kind === "family" && isStacked(line);

/** Resolutions that are published for the asset and exist for at least one of the lines' metrics. */
export function availableResolutions(panes: readonly Pane[], context: Context): Resolution[] {
  const { catalog, asset } = context;
  const inputs = panes.flatMap(({ lines }) => lines.flatMap((line) => lineInputs(line, context)));
  return OFFERED_RESOLUTIONS.filter(
    (resolution) =>
      asset?.ranges[resolution] &&
      inputs.some(({ metric }) => catalogMetric(catalog, metric)?.resolutions.includes(resolution)),
  );
}

/** The resolution at which a metric is shown: the chosen one or, if the metric or the asset lacks it, per day. */
export function resolutionOf(metric: CatalogMetric, asset: Asset | undefined, chosen: Resolution): Resolution {
  return metric.resolutions.includes(chosen) && asset?.ranges[chosen] ? chosen : "day";
}
