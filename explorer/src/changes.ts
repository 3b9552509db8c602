/** What a person can do to the state: each change as a function from one state to the next. */

import { type Catalog, findMetric, type Metric, type Resolution } from "./catalog.ts";
import { type Choice, DEFAULT_PRESET, MOST_SERIES, MOST_UNITS, type Range, type State, same, settle } from "./state.ts";

/** Shows one series alone. */
export function showSeries(state: State, choice: Choice, catalog: Catalog): State {
  return withSeries(state, [choice], catalog);
}

/** Puts another series beside those that are shown. */
export function addSeries(state: State, choice: Choice, catalog: Catalog): State {
  return withSeries(state, [...state.series, choice], catalog);
}

export function removeSeries(state: State, index: number, catalog: Catalog): State {
  return withSeries(state, state.series.toSpliced(index, 1), catalog);
}

export function setSelector(state: State, index: number, selector: string, catalog: Catalog): State {
  return withSeries(state, state.series.with(index, { ...state.series[index], selector }), catalog);
}

export function setAsset(state: State, asset: string, catalog: Catalog): State {
  return settle({ ...state, asset, zoom: null }, catalog);
}

export function setResolution(state: State, resolution: Resolution, catalog: Catalog): State {
  // Years of blocks are more than anybody asks for by a change of resolution alone.
  const range = { preset: DEFAULT_PRESET[resolution] };
  return settle({ ...state, resolution, range, zoom: null }, catalog);
}

export function setRange(state: State, range: Range): State {
  return { ...state, range, zoom: null };
}

/** The series that a metric adds to a comparison: the cohort that is shown first, or its default one. */
export function choiceOf(metric: Metric, selector: string | null | undefined): Choice {
  if (metric.selector === null) return { metric: metric.name, selector: null };
  const has = selector !== null && selector !== undefined && metric.selector.values.includes(selector);
  return { metric: metric.name, selector: has ? selector : metric.selector.default };
}

/** Why a series can't be added, in plain words; null when it can. */
export function whyNotAdd(state: State, choice: Choice, catalog: Catalog): string | null {
  if (state.series.some((other) => same(other, choice))) return "It is shown already.";
  if (state.series.length >= MOST_SERIES) return `${MOST_SERIES} series are the most that fit: remove one first.`;
  const unitOf = ({ metric }: Choice) => findMetric(catalog, metric)?.unit;
  const units = new Set(state.series.map(unitOf));
  if (!units.has(unitOf(choice)) && units.size >= MOST_UNITS) {
    return "Its unit is a third one, and there are two axes: remove a series first.";
  }
  return null;
}

function withSeries(state: State, series: Choice[], catalog: Catalog): State {
  return settle({ ...state, series }, catalog);
}
