/** What a person can change about a chart: functions from one state to the next, which the session normalises. */

import { type Catalog, findMetric, type Metric, type Resolution } from "../api/catalog.ts";
import {
  type ChartState,
  DEFAULT_PRESET,
  isSameSeries,
  MAX_SERIES,
  MAX_UNITS,
  type Range,
  type SeriesChoice,
} from "./chart-state.ts";

export function setAsset(chart: ChartState, asset: string): ChartState {
  return { ...chart, asset, zoom: null };
}

export function setResolution(chart: ChartState, resolution: Resolution): ChartState {
  // Resets the range: switching from days to blocks must not load years of blocks.
  return { ...chart, resolution, range: { preset: DEFAULT_PRESET[resolution] }, zoom: null };
}

export function setRange(chart: ChartState, range: Range): ChartState {
  return { ...chart, range, zoom: null };
}

/** A metric's series for a selector; its default series where the metric lacks the selector. */
export function seriesChoice({ name, selector }: Metric, wanted: string | null | undefined): SeriesChoice {
  if (selector === null) return { metric: name, selector: null };
  return { metric: name, selector: selector.values.find((value) => value === wanted) ?? selector.default };
}

/** Why a series can't be added, as a sentence for the user; null if it can. */
export function whyNotAdd(chart: ChartState, choice: SeriesChoice, catalog: Catalog): string | null {
  if (chart.series.some((other) => isSameSeries(other, choice))) return "Already in the chart.";
  if (chart.series.length >= MAX_SERIES) return `A chart shows at most ${MAX_SERIES} series. Remove one first.`;
  const unitOf = ({ metric }: SeriesChoice) => findMetric(catalog, metric)?.unit;
  const units = new Set(chart.series.map(unitOf));
  if (!units.has(unitOf(choice)) && units.size >= MAX_UNITS) {
    return "This metric needs a third axis, and a chart has two. Remove a series first.";
  }
  return null;
}
