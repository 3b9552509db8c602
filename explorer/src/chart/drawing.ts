/** What a pane draws, as a plain value. */

import type { Unit } from "../api/catalog.ts";
import { firstValue } from "../data/table.ts";
import { joinTitles, unitTitle } from "../format/names.ts";
import { type TimeZone, UTC } from "../format/time.ts";
import { type Page, visibleRows } from "../session.ts";
import { contextOf, type Interval, type Scale, scaleOf } from "../state/chart-state.ts";
import type { Trace } from "../state/traces.ts";
import { priceGaps } from "./price-gaps.ts";

/** Null is a gap in the line; undefined is no point, which the line passes over. */
export type Column = (number | null | undefined)[];

export interface Drawing {
  t: Float64Array;
  /** A column for each line. */
  columns: Column[];
  lines: LineMark[];
  /** The left axis, then those on the right. */
  axes: Axis[];
  /** Stretches to shade: the last price holds in them. */
  gaps: Interval[];
  /** Values that a log scale can't show. */
  dropped: number;
  /** Of the time axis. */
  zone: TimeZone;
}

export interface LineMark {
  title: string;
  /** Name of its axis. */
  axis: string;
  /** A custom property of the style sheet, such as `--series-1`. */
  color: string;
}

export interface Axis {
  name: string;
  title: string;
  /** Of the labels. */
  unit: Unit;
  color: string;
  scale: Scale;
}

const MAX_AXIS_TITLE_LENGTH = 50;

/** The drawings of all panes. */
export function drawingsOf(page: Page): Drawing[] {
  return page.chart.panes.map((_, pane) => drawingOf(page, pane));
}

function drawingOf(page: Page, index: number): Drawing {
  const { chart, catalog, asset, traces, data } = page;
  const pane = chart.panes[index]!;
  const scale = scaleOf(pane, contextOf(chart, catalog));
  const own = traces.filter((trace) => trace.pane === index);
  /** A pane's price, an indexed line and other units have an axis each. */
  const axisName = ({ line, unit }: Trace) => (line === null ? "price" : pane.isIndexed ? "index" : unit);
  const axes = [...new Set(own.map(axisName))].map((name): Axis => {
    const shown = own.filter((trace) => axisName(trace) === name);
    const unit = shown[0]!.unit;
    const color = shown.length === 1 && own.length > 1 ? shown[0]!.color : "--muted";
    if (name === "price") return { name, unit, color, scale: pane.price ?? "linear", title: unitTitle(unit, asset) };
    if (name === "index") return { name, unit: "ratio", color, scale, title: "100 at the left edge" };
    return { name, unit, color, scale, title: axisTitle(shown, own, unitTitle(unit, asset)) };
  });
  const visible = visibleRows(page);
  let dropped = 0;
  const columns = own.map((trace): Column => {
    const column = data.table.columns[traces.indexOf(trace)];
    if (!column) return [];
    const name = axisName(trace);
    const base = name === "index" ? firstValue(column, visible.from, visible.to) : undefined;
    const factor = base ? 100 / base : 1;
    const isLog = axes.find((axis) => axis.name === name)?.scale === "log";
    return Array.from(column, (value) => {
      if (Number.isNaN(value)) return undefined;
      if (!isLog || value * factor > 0) return value * factor;
      dropped++;
      return null;
    });
  });
  return {
    ...{ t: data.table.t, columns, axes, dropped, gaps: priceGaps(page, own) },
    // Days begin at midnight UTC, wherever the reader is.
    zone: chart.resolution === "day" ? UTC : page.zone,
    lines: own.map((trace) => ({ title: trace.name, axis: axisName(trace), color: trace.color })),
  };
}

/** With two axes, each title lists the axis's metrics if that is short enough. */
function axisTitle(shown: readonly Trace[], own: readonly Trace[], short: string): string {
  const titles = shown.flatMap(({ metrics }) => metrics.map(({ title }) => title));
  if (shown.length === own.length || titles.length === 0) return short;
  const long = `${joinTitles([...new Set(titles)])}, ${short}`;
  return long.length > MAX_AXIS_TITLE_LENGTH ? short : long;
}
