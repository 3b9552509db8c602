/** What a person can change about a chart: functions from one state to the next, which the session normalises. */

import { MOST_CHART_LINES, MOST_REMARKS, MOST_UNITS, PANE_ENDS, RANGE_DAYS } from "../../../data-schema/chart-link.ts";
import { isCalendar } from "../../../data-schema/registry.ts";
import { type Catalog, type CatalogMetric, catalogMetric, type Resolution, takesSelector } from "../api/catalog.ts";
import { isSameLine, type Line, unitsOf } from "../lines/lines.ts";
import type { SeriesLine } from "../lines/series-line.ts";
import {
  type ChartState,
  contextOf,
  DEFAULT_PRESET,
  type Interval,
  isLongEnough,
  type Look,
  PLAIN_LOOK,
  type Remark,
  type ShownRange,
} from "./chart-state.ts";

export function setAsset(chart: ChartState, asset: string): ChartState {
  return { ...chart, asset, zoom: null };
}

export function setResolution(chart: ChartState, resolution: Resolution): ChartState {
  const usual = DEFAULT_PRESET[resolution];
  const preset = "preset" in chart.range ? chart.range.preset : usual;
  // A longer range than usual is left: switching from days to blocks must not load years of blocks.
  const isKept =
    preset !== DEFAULT_PRESET[chart.resolution] &&
    RANGE_DAYS[preset] <= RANGE_DAYS[usual] &&
    isLongEnough(preset, resolution);
  return { ...chart, resolution, range: { preset: isKept ? preset : usual }, zoom: null };
}

export function setRange(chart: ChartState, range: ShownRange): ChartState {
  return { ...chart, range, zoom: null };
}

/**
 * Shows an interval of what is loaded; null shows the range. Of days, weeks and months, everything is loaded, so showing all
 * is a change of the range; of hours and blocks, only the range is.
 */
export function showInterval(chart: ChartState, interval: Interval | null | "all"): ChartState {
  if (interval !== "all") return { ...chart, zoom: interval };
  return isCalendar(chart.resolution) ? setRange(chart, { preset: "all" }) : { ...chart, zoom: null };
}

/** Replaces the lines of a pane. A pane that is left without lines goes. */
export function setLines(chart: ChartState, pane: number, next: (lines: readonly Line[]) => Line[]): ChartState {
  const old = chart.panes[pane] ?? { ...PLAIN_LOOK, lines: [] };
  return { ...chart, panes: chart.panes.with(pane, { ...old, lines: next(old.lines) }) };
}

/** Shows a cohort, exchange or sample of every series of a pane that has it. */
export function setSelector(chart: ChartState, pane: number, selector: string, catalog: Catalog): ChartState {
  const isOf = ({ metric }: SeriesLine) => {
    const found = catalogMetric(catalog, metric);
    return found !== undefined && takesSelector(found, selector);
  };
  return setLines(chart, pane, (lines) =>
    lines.map((line) => (line.kind === "series" && isOf(line) ? { ...line, selector } : line)),
  );
}

export function setLook(chart: ChartState, pane: number, look: Partial<Look>): ChartState {
  return { ...chart, panes: chart.panes.map((old, i) => (i === pane ? { ...old, ...look } : old)) };
}

/** Adds a note, if there is room for it. */
export function addRemark(chart: ChartState, remark: Remark): ChartState {
  const remarks = [...chart.remarks, remark].slice(0, MOST_REMARKS);
  return { ...chart, remarks: remarks.toSorted((a, b) => a.from - b.from) };
}

export function removeRemark(chart: ChartState, remark: Remark): ChartState {
  return { ...chart, remarks: chart.remarks.filter((one) => one !== remark) };
}

/** Adds a pane below the others. */
export function addPane(chart: ChartState, lines: Line[]): ChartState {
  return { ...chart, panes: [...chart.panes, { ...PLAIN_LOOK, lines }] };
}

export function removePane(chart: ChartState, pane: number): ChartState {
  return { ...chart, panes: chart.panes.toSpliced(pane, 1) };
}

/** A metric's series for a selector; its default series where the metric lacks the selector. */
export function seriesLine(metric: CatalogMetric, wanted: string | null | undefined): SeriesLine {
  const { name, selector } = metric;
  const line = { kind: "series" as const, asset: null, metric: name };
  if (selector === null) return { ...line, selector: null };
  return { ...line, selector: wanted && takesSelector(metric, wanted) ? wanted : selector.default };
}

/** Why a line can't be added to a pane, as a sentence for the user; null if it can. */
export function whyNotAdd(chart: ChartState, pane: number, line: Line, catalog: Catalog): string | null {
  const context = contextOf(chart, catalog);
  const lines = chart.panes[pane]?.lines ?? [];
  if (lines.some((other) => isSameLine(other, line))) return "Already in the chart.";
  if (lines.length >= MOST_CHART_LINES) return `A chart shows at most ${MOST_CHART_LINES} series. Remove one first.`;
  if (line.kind === "family" && lines.some(({ kind }) => kind === "family")) {
    return "A chart shows one family. Show another one in a chart below.";
  }
  const units = new Set([...lines, line].flatMap((one) => [...unitsOf(one, context)]));
  if (units.size > MOST_UNITS) {
    return "This metric needs a third axis, and a chart has two. Remove a series first.";
  }
  return null;
}

/** Why no pane can be added; null if one can. */
export function whyNoPane({ panes }: ChartState): string | null {
  return panes.length >= PANE_ENDS.length ? `There are at most ${PANE_ENDS.length} charts. Remove one first.` : null;
}
