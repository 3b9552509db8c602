/** What a pane draws, as a plain value. */

import type { FormulaUnit } from "../../../../data-schema/formula.ts";
import { DISTRIBUTIONS, isCalendar, RESOLUTION_FACTS } from "../../../../data-schema/registry.ts";
import { DAY_SECONDS } from "../../../../data-schema/text.ts";
import { Problem } from "../../api/problem.ts";
import type { AssetEvent } from "../../data/events.ts";
import type { Heat } from "../../data/heat.ts";
import { firstValue } from "../../data/table.ts";
import { joinTitles, unitTitle } from "../../format/names.ts";
import { compact } from "../../format/numbers.ts";
import { bucketLength, type TimeZone, UTC } from "../../format/time.ts";
import type { LineStyle } from "../../lines/line-style.ts";
import { type Page, pinnedTimes, visibleRows } from "../../session.ts";
import { type Interval, isStackedLine, type Mark, type Remark, type Scale } from "../../state/chart-state.ts";
import { commonAsset, type Trace } from "../../state/traces.ts";
import { firedAt, shownAlert } from "./alert-rule.ts";
import { type Breaks, breaksIn, NO_BREAKS } from "./breaks.ts";
import { countOutside, fences } from "./fences.ts";
import { type DrawnLevel, drawnLevels } from "./levels.ts";
import { isFlow, naturalLook, shownMark, shownScale } from "./natural-look.ts";
import { priceGaps } from "./price-gaps.ts";
import { restatedIn, restatedStretches } from "./restated.ts";

/** Null is a gap in the line; undefined is no point, which the line passes over. */
type PlotColumn = (number | null | undefined)[];

export interface Drawing {
  t: Float64Array;
  /** A column for each line. */
  columns: PlotColumn[];
  lines: LineMark[];
  /** The left axis, then those on the right. */
  axes: Axis[];
  /** What lies below the lines; null for nothing. */
  heat: DrawnHeat | null;
  /** Stretches to shade: the last price holds in them. */
  gaps: Interval[];
  /** Stretches to mark: some of their points have replaced published ones. */
  restated: Interval[];
  /** Times to mark, which are pinned. */
  pins: readonly number[];
  /** Notes to mark; the first pane has their texts. */
  remarks: readonly Remark[];
  /** Lines and bands across the plot. */
  levels: readonly DrawnLevel[];
  /** Where the chart's alert would have fired. */
  firings: Firings | null;
  /** What happened to the asset, to mark. */
  events: readonly AssetEvent[];
  /** Values that a log scale can't show. */
  dropped: number;
  /** The zone of the time axis. */
  zone: TimeZone;
  /** Unix seconds of the first price, where it comes more than seven days after the first value that needs one. */
  firstPrice: number | null;
}

/** Points on the line of an alert. */
interface Firings {
  axis: string;
  points: [time: number, value: number][];
}

/** A distribution over time, as colours. */
export interface DrawnHeat {
  cells: Heat;
  /** Name of the axis of its buckets. */
  axis: string;
  colors: Scale;
  /** The asset, for texts. */
  symbol: string;
}

export interface LineMark {
  title: string;
  /** What it is called in a picture of its family; its title otherwise. */
  label: string;
  /** Name of its axis. */
  axis: string;
  /** A custom property of the style sheet, such as `--series-1`. */
  color: string;
  /** Whether it is the upper edge of an area. Lines are drawn in their order, so each area covers the ones before it. */
  isArea: boolean;
  mark: Mark;
  /** Null: the usual one. */
  width: LineStyle["width"];
  /** Whether it is what was published first, beside what is known now. */
  isDashed: boolean;
  /** Where points are missing between others. */
  breaks: Breaks;
  /** Whether it lies over areas, and has to stand out from all of them. */
  isOverAreas: boolean;
}

export interface Axis {
  name: string;
  title: string;
  /** What stands in its place where there is no room for it. */
  shortTitle: string;
  /** The unit of the labels; months for Unix seconds. */
  unit: FormulaUnit | "month";
  color: string;
  scale: Scale;
  /** Whether it leaves outliers out. */
  isFenced: boolean;
  /** What its values compare with, as a line; null for nothing. */
  level: number | null;
}

const MAX_AXIS_TITLE_LENGTH = 50;
/** Seconds without a price that are no news. */
const UNPRICED = 7 * DAY_SECONDS;

/** The drawings of all panes. */
export function drawingsOf(page: Page): Drawing[] {
  return page.chart.panes.map((_, pane) => drawingOf(page, pane));
}

function drawingOf(page: Page, index: number): Drawing {
  const { chart, catalog, traces, data } = page;
  const pane = chart.panes[index]!;
  const scale = shownScale(page, index);
  const mark = shownMark(page, pane.mark, index, scale);
  const stacked = new Set(pane.lines.flatMap((line, place) => (isStackedLine(line) ? place : [])));
  const isArea = ({ line }: Trace) => line !== null && stacked.has(line);
  const drawn = traces.filter((trace) => trace.pane === index && trace.part?.isDrawn !== false);
  const on = drawn.filter(({ style }) => !style.isOff);
  // A chart of nothing would have no axis.
  const shown = on.length > 0 ? on : drawn;
  // Areas are drawn from the uppermost to the lowest, and then the lines.
  const own = [...shown.filter(isArea).reverse(), ...shown.filter((trace) => !isArea(trace))];
  // The first axis is on the left, whoever it is of.
  const hasLeft = own.some(({ line, style }) => line !== null && !style.isRight);
  /** A pane's price, an indexed line and other units have an axis each, and so have those that are put on the right. */
  const axisName = ({ line, unit, style }: Trace) => {
    if (line === null) return "price";
    return (pane.isIndexed ? "index" : unit) + (style.isRight && hasLeft ? RIGHT : "");
  };
  const isRight = (name: string) => Number(name === "price" || name.endsWith(RIGHT));
  const names = [...new Set(own.map(axisName))].sort((a, b) => isRight(a) - isRight(b));
  const axes = names.map((name): Axis => {
    const shown = own.filter((trace) => axisName(trace) === name);
    const unit = shown[0]!.unit;
    const color = shown.length === 1 && own.length > 1 ? shown[0]!.color : "--muted";
    const short = unitTitle(unit, commonAsset(shown, catalog));
    const axis = { name, unit, color, scale, title: short, shortTitle: short, isFenced: false, level: null };
    if (name === "price") return { ...axis, scale: pane.price ?? "linear" };
    if (pane.isIndexed) return { ...axis, unit: "ratio", title: "100 at the left edge", shortTitle: "index" };
    const title = axisTitle(shown, own, short);
    const levels = new Set(shown.map((trace) => naturalLook(page, trace).level));
    // A day that moves more than all others together would flatten them.
    const isFenced = unit === "ratio" || shown.every((trace) => isFlow(page, trace) && !isArea(trace));
    return { ...axis, title, isFenced, level: levels.size === 1 ? [...levels][0]! : null };
  });
  const isOn = (name: string) => (trace: Trace) => trace.line !== null && axisName(trace) === name;
  const levelAxes = names
    .map((name) => ({ name, traces: own.filter(isOn(name)) }))
    .filter(({ traces }) => traces.length > 0);
  const visible = visibleRows(page);
  const { t } = data.table;
  let dropped = 0;
  let firstPrice: number | null = null;
  const columns = own.map((trace): PlotColumn => {
    const column = data.table.columns[traces.indexOf(trace)];
    if (!column) return [];
    const name = axisName(trace);
    const base = pane.isIndexed && trace.line !== null ? firstValue(column, visible.from, visible.to) : undefined;
    const factor = base ? 100 / base : 1;
    const isLog = axes.find((axis) => axis.name === name)?.scale === "log";
    const { pricedFrom, resolution } = trace;
    // A bucket has a price if one came before its end.
    const isPriced = (start: number) => pricedFrom === null || start + bucketLength(start, resolution) >= pricedFrom;
    const drawn: PlotColumn = [];
    for (let row = 0; row < column.length; row++) {
      const value = column[row]! * factor;
      if (Number.isNaN(value)) drawn.push(undefined);
      else if (!isPriced(t[row]!)) {
        if (pricedFrom! - t[row]! > UNPRICED) firstPrice = pricedFrom;
        drawn.push(null);
      } else if (isLog && !(value > 0)) {
        dropped++;
        drawn.push(null);
      } else drawn.push(value);
    }
    return drawn;
  });
  const alert = alertIn(page, own, axisName);
  const heat = heatIn(page, index, axes);
  if (heat?.axis === HEAT_AXIS) axes.push(monthAxis(heat.cells));
  stack(columns.filter((_, i) => isArea(own[i]!)));
  const hasAreas = own.some(isArea);
  // An area of one point has no width.
  const areaMark = t.length === 1 ? "bars" : "line";
  const lines = own.map(
    (trace, i): LineMark => ({
      title: trace.name,
      label: partLabel(trace),
      axis: axisName(trace),
      color: trace.color,
      isArea: isArea(trace) && areaMark === "line",
      isOverAreas: (hasAreas && !isArea(trace)) || heat !== null,
      mark: isArea(trace)
        ? areaMark
        : trace.line === null
          ? "line"
          : shownMark(page, trace.style.mark ?? mark, index, scale),
      width: trace.style.width,
      isDashed: trace.isFirst && pane.known === "both",
      // Blocks come when there is something in them.
      breaks:
        isArea(trace) || trace.resolution === "block"
          ? NO_BREAKS
          : breaksIn(t, columns[i]!, RESOLUTION_FACTS[trace.resolution].most),
    }),
  );
  return {
    t,
    columns,
    axes,
    lines,
    heat,
    levels: [...drawnLevels(page, index, levelAxes), ...(alert ? [alert.threshold] : [])],
    firings: alert?.firings ?? null,
    dropped,
    firstPrice,
    gaps: priceGaps(page, own),
    restated: restatedStretches(restatedIn(page, index), t[t.length - 1] ?? 0),
    pins: pinnedTimes(page),
    remarks: index === 0 ? chart.remarks : chart.remarks.map((remark) => ({ ...remark, text: "" })),
    events: eventsIn(page, index),
    // Days begin at midnight UTC, wherever the reader is.
    zone: isCalendar(chart.resolution) ? UTC : page.zone,
  };
}

/** The name of a part without that of its metric, with which all begin. */
function partLabel({ name, metrics, part }: Trace): string {
  const start = `${metrics[0]?.title}, `;
  const own = part && name.startsWith(start) ? name.slice(start.length) : name;
  return own.charAt(0).toUpperCase() + own.slice(1);
}

/** The chart's alert, as a line across the axis of its own line, and as points on that; null where that isn't drawn as it is. */
function alertIn(
  page: Page,
  drawn: readonly Trace[],
  axisName: (trace: Trace) => string,
): { threshold: DrawnLevel; firings: Firings } | null {
  const alert = shownAlert(page);
  const trace = alert && page.traces[alert.line.column];
  if (!trace || !drawn.includes(trace) || page.chart.panes[trace.pane]?.isIndexed) return null;
  const { t, columns } = page.data.table;
  const axis = axisName(trace);
  const fired = new Set(page.data.status === "loaded" && columns[alert.line.column] ? firedAt(alert, page.data) : []);
  const points = Array.from(t).flatMap((time, row): [number, number][] =>
    fired.has(time) ? [[time, columns[alert.line.column]![row]!]] : [],
  );
  const name = `Alert: ${alert.comparison} ${compact(alert.level, "ratio")}`;
  const threshold = { axis, from: alert.level, to: undefined, color: "--accent", name, isOwn: true };
  return { threshold, firings: { axis, points } };
}

/** The events that a pane marks. */
export const eventsIn = ({ chart, events }: Pick<Page, "chart" | "events">, pane: number): AssetEvent[] =>
  chart.panes[pane]?.events === "off" ? [] : events.filter(({ asset }) => asset === chart.asset);

/** The end of the name of an axis on the right beside one of the same unit. */
const RIGHT = " right";
const HEAT_AXIS = "heat";

function heatIn({ chart, data }: Page, index: number, axes: readonly Axis[]): DrawnHeat | null {
  const [cells, { colors }] = [data.heats[index], chart.panes[index]!];
  if (!cells || cells instanceof Problem || cells.buckets.length === 0) return null;
  const shared = axes.find(({ unit }) => unit === "usd_per_token")?.name;
  const axis = DISTRIBUTIONS[cells.distribution].key === "cost" ? shared : HEAT_AXIS;
  return axis === undefined ? null : { cells, axis, colors: colors ?? "linear", symbol: chart.asset };
}

const monthAxis = ({ distribution }: Heat): Axis => ({
  name: HEAT_AXIS,
  title: DISTRIBUTIONS[distribution].title,
  shortTitle: "month",
  unit: "month",
  color: "--muted",
  scale: "linear",
  isFenced: false,
  level: null,
});

/** The values in rows [from, to) that lie beyond the scales of their axes. */
export function countOutliers({ axes, columns, lines }: Drawing, rows: { from: number; to: number }): number {
  const counts = axes.map(({ name, scale, isFenced }) => {
    if (!isFenced) return 0;
    const shown = columns.filter((_, i) => lines[i]!.axis === name);
    return countOutside(shown, rows, fences(shown, rows, scale));
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Adds to each column those after it. Where one has no point, it is nothing, if any other has one. */
function stack(columns: readonly PlotColumn[]): void {
  const rows = columns[0]?.length ?? 0;
  for (let row = 0; row < rows; row++) {
    if (!columns.some((column) => typeof column[row] === "number")) continue;
    let sum = 0;
    for (let place = columns.length - 1; place >= 0; place--) {
      sum += columns[place]![row] ?? 0;
      columns[place]![row] = sum;
    }
  }
}

/** With two axes, each title lists the axis's metrics if that is short enough. */
function axisTitle(shown: readonly Trace[], own: readonly Trace[], short: string): string {
  const titles = shown.flatMap(({ metrics }) => metrics.map(({ title }) => title));
  if (shown.length === own.length || titles.length === 0) return short;
  const long = `${joinTitles([...new Set(titles)])}, ${short}`;
  return long.length > MAX_AXIS_TITLE_LENGTH ? short : long;
}
