/** What a chart shows, as a plain value, and the rules that every chart keeps. */

import {
  type Asset,
  type Catalog,
  findAsset,
  findMetric,
  type Metric,
  RESOLUTIONS,
  type Resolution,
  type Unit,
} from "../api/catalog.ts";
import { seriesName } from "../format/names.ts";

export const MAX_SERIES = 6;
/** One axis on the left, one on the right. */
export const MAX_UNITS = 2;

/** Lengths of time before the last point, in days. */
export const PRESETS = { "7d": 7, "30d": 30, "90d": 90, "1y": 365, all: Number.POSITIVE_INFINITY } as const;
export type Preset = keyof typeof PRESETS;

export const DEFAULT_PRESET: Record<Resolution, Preset> = { day: "all", hour: "90d", block: "7d" };

export interface SeriesChoice {
  metric: string;
  /** Cohort, exchange or sample; null for a metric that has a single series. */
  selector: string | null;
}

/** Unix seconds, both inclusive. */
export interface Interval {
  from: number;
  to: number;
}

/** Unix seconds, inclusive; null is open. */
export interface Bounds {
  since: number | null;
  until: number | null;
}

export type Range = { preset: Preset } | Bounds;

export interface ChartState {
  asset: string;
  series: SeriesChoice[];
  resolution: Resolution;
  range: Range;
  scale: "linear" | "log";
  /** The visible part of the range; null for all of it. */
  zoom: Interval | null;
}

/** Removes what a chart can't show: unknown or repeated series, series beyond the limits, a missing resolution. */
export function normalise(chart: ChartState, catalog: Catalog): ChartState {
  const asset = findAsset(catalog, chart.asset);
  const series: SeriesChoice[] = [];
  const units = new Set<Unit>();
  for (const choice of chart.series) {
    const metric = findMetric(catalog, choice.metric);
    if (!metric || series.length === MAX_SERIES || series.some((other) => isSameSeries(other, choice))) continue;
    if (!units.has(metric.unit) && units.size === MAX_UNITS) continue;
    units.add(metric.unit);
    series.push(choice);
  }
  const resolution = availableResolutions(series, catalog, asset).includes(chart.resolution) ? chart.resolution : "day";
  return { ...chart, series, resolution };
}

/** A chart's series, looked up in the catalog. */
export interface Series extends SeriesChoice {
  definition: Metric;
  /** Display name. */
  name: string;
}

export function seriesOf({ series, asset }: ChartState, catalog: Catalog): Series[] {
  return series.flatMap(({ metric, selector }) => {
    const definition = findMetric(catalog, metric);
    if (!definition) return [];
    return { metric, selector, definition, name: seriesName(definition, selector, findAsset(catalog, asset)) };
  });
}

/** The units of the series: the left axis's first, then the right axis's. */
export function unitsOf(series: readonly Series[]): Unit[] {
  return [...new Set(series.map(({ definition }) => definition.unit))];
}

/** Resolutions that are published for the asset and exist for at least one of the series. */
export function availableResolutions(
  series: readonly SeriesChoice[],
  catalog: Catalog,
  asset: Asset | undefined,
): Resolution[] {
  const metrics = series.flatMap(({ metric }) => findMetric(catalog, metric) ?? []);
  return RESOLUTIONS.filter(
    (resolution) => asset?.ranges[resolution] && metrics.some((metric) => metric.resolutions.includes(resolution)),
  );
}

/** The resolution at which a metric is shown: the chosen one or, if the metric lacks it, per day. */
export function resolutionOf(metric: Metric, chosen: Resolution): Resolution {
  return metric.resolutions.includes(chosen) ? chosen : "day";
}

export function isSameSeries(a: SeriesChoice, b: SeriesChoice): boolean {
  return a.metric === b.metric && a.selector === b.selector;
}
