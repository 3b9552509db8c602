/** A drawing as options of uPlot: scales, axes, lines and colours. */

import uPlot from "uplot";
import { tickLabels } from "../format/numbers.ts";
import { monthText, type TimeZone, timeTicks, UTC } from "../format/time.ts";
import type { Interval, Mark } from "../state/chart-state.ts";
import { axisRange } from "./axis-range.ts";
import type { Breaks } from "./drawing/breaks.ts";
import type { Axis, Drawing, LineMark } from "./drawing/drawing.ts";
import { fences } from "./drawing/fences.ts";
import { withLevels } from "./drawing/levels.ts";
import { areaPath, barPath, drawDense, linePath, NO_FILL, stepPath } from "./drawing/line-paths.ts";
import { drawPins, drawRemarks } from "./drawing/remarks.ts";
import { resolvedColor } from "./drawing/resolved-color.ts";
import type { Frame } from "./frame.ts";
import { logTicks } from "./log-ticks.ts";
import { monthTicks } from "./month-ticks.ts";
import { drawAreaNames } from "./overlays/areas.ts";
import { drawLastValues } from "./overlays/axis-values.ts";
import { drawFirings, drawLevelNames, drawLevels } from "./overlays/draw-levels.ts";
import { drawEvents } from "./overlays/events.ts";
import { drawHeat } from "./overlays/heatmap.ts";

/** Width in pixels below which axes are smaller and have no titles. */
const NARROW = 520;
/** Height in pixels below which labels are closer together. */
const LOW = 200;
/** The width in pixels of a character of an axis' title, about. */
const CHARACTER = 6;
/** Half the width in pixels of the longest label of a time but the first, such as `15 Dec`. */
const HALF_LABEL = 20;
/** The rounding error by which a sum of shares may exceed 1. */
const ROUNDING = 1e-9;

type Limits = [min: number | null, max: number | null];

/** An axis's scale, which shows its level. A fenced one leaves out what lies beyond its fences. */
function scaleOptions(
  { name, unit, scale, isFenced, level }: Axis,
  { columns, lines, heat, levels }: Drawing,
): uPlot.Scale {
  const extent = heat?.axis === name ? heat.cells.extent : null;
  if (extent && unit === "month") return { range: () => [extent.from, extent.to] };
  const own = columns.filter((_, i) => lines[i]?.axis === name);
  const ownLevels = levels.filter(({ axis }) => axis === name);
  const hasBars = lines.some((line) => line.mark === "bars" && line.axis === name);
  const limits = (plot: uPlot, min: number | null, max: number | null): Limits => {
    const [from = 0, last = 0] = plot.series[0]?.idxs ?? [];
    const shown = isFenced ? fences(own, { from, to: last + 1 }, scale) : null;
    const [least, most] = shown === null ? [min, max] : [shown.min, shown.max];
    if (least === null || most === null) return [least, most];
    const ends: [number, number] = level === null ? [least, most] : [Math.min(least, level), Math.max(most, level)];
    return withLevels(ends, ownLevels, { from, to: last + 1 }, scale);
  };
  return {
    ...(scale === "log" && { distr: 3, log: 10 }),
    range: (plot, min, max) => {
      const [own, highest] = limits(plot, min, max);
      const least = extent ? Math.min(own ?? extent.from, extent.from) : own;
      const most = extent ? Math.max(highest ?? extent.to, extent.to) : highest;
      if (extent && scale === "log" && least! > 0) return [least, most];
      // Areas and bars begin at zero.
      const hasZero = hasBars || lines.some((line) => line.isArea && line.axis === name);
      const range = axisRange(
        scale,
        hasZero && least !== null ? Math.min(least, 0) : least,
        hasBars && most !== null ? Math.max(most, 0) : most,
      );
      // Shares of a whole end with the whole.
      return unit === "share" && most !== null && most < 1 + ROUNDING ? [range[0], Math.min(range[1], 1)] : range;
    },
  };
}

/** @param host its size, font and colours are the plot's */
export function plotOptions(drawing: Drawing, frame: Frame, isLast: boolean, host: HTMLElement): uPlot.Options {
  const look = lookOf(host);
  const [surface, grid, muted] = ["--surface", "--grid", "--muted"].map((name) => look.color(name)) as [
    string,
    string,
    string,
  ];
  const starts = drawing.lines.map(({ breaks }) => new Set(breaks.gaps.map(([, after]) => after)));
  const drawLines = (plot: uPlot, series: number) =>
    drawDense(plot, series, (row) => starts[series - 1]?.has(row) ?? false);
  const strokes = drawing.lines.map(({ color }) => look.color(color));
  const { axes, lines } = drawing;
  const spare = frame.rightAxes - (axes.length - 1);
  return {
    width: look.width,
    height: look.height,
    // The room of half a label; a low chart has no more to give.
    padding: [
      look.height < LOW ? 8 : 14,
      (frame.rightAxes > 0 ? 4 : HALF_LABEL) + Math.max(0, spare) * axisSize(look),
      isLast ? 0 : look.height < LOW ? 6 : 8,
      4,
    ],
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), drawing.zone === UTC ? "Etc/UTC" : drawing.zone),
    scales: {
      x: { time: true, min: frame.visible.from, max: frame.visible.to },
      ...Object.fromEntries(axes.map((axis) => [axis.name, scaleOptions(axis, drawing)])),
    },
    axes: [
      timeAxis(look, drawing.zone, isLast),
      ...axes.map((axis, i) => valueAxis(axis, i, look, drawing.heat === null)),
    ],
    hooks: {
      drawClear: [
        (plot) => shade(plot, drawing.gaps, grid),
        (plot) => drawLevels(plot, drawing, look),
        (plot) => drawHeat(plot, drawing.heat, look.color),
      ],
      drawAxes: [(plot) => drawComparisons(plot, drawing, muted)],
      drawSeries: [drawLines, (plot, series) => drawHalo(plot, series, drawing, surface)],
      draw: [
        (plot) => markOutliers(plot, drawing, strokes),
        (plot) => drawLevelNames(plot, drawing, look),
        (plot) => drawFirings(plot, drawing, look),
        (plot) => markRestated(plot, drawing.restated, muted),
        (plot) => drawAreaNames(plot, drawing, look),
        (plot) => drawLastValues(plot, drawing, axisSize(look), look),
        (plot) => drawPins(plot, drawing.pins, look),
        (plot) => drawEvents(plot, drawing.events, look),
        (plot) => drawRemarks(plot, drawing.remarks, look),
      ],
    },
    series: [{}, ...lines.map((line) => lineOptions(line, drawing, look))],
    cursor: {
      y: false,
      points: { size: 8, width: 2, fill: () => surface },
      drag: { x: true, y: false, setScale: false },
    },
  };
}

type Look = ReturnType<typeof lookOf>;

/** What a drawing takes from the element that it is drawn on. */
export function lookOf(host: HTMLElement) {
  const colors = new Map<string, string>();
  return {
    width: host.clientWidth,
    height: host.clientHeight,
    font: `11px ${getComputedStyle(host).fontFamily}`,
    /** The colour of a custom property. */
    color(property: string): string {
      const known = colors.get(property) ?? resolvedColor(property);
      colors.set(property, known);
      return known;
    },
  };
}

/** Only the last pane labels the time. */
function timeAxis({ width, font, color }: Look, zone: TimeZone, isLast: boolean): uPlot.Axis {
  if (!isLast) return { show: false };
  return {
    font,
    stroke: color("--muted"),
    ticks: { show: false },
    grid: { show: false },
    space: width < NARROW ? 64 : 90,
    size: 30,
    gap: 8,
    values: (_, ticks, __, ___, step) => timeTicks(ticks, step, zone),
  };
}

/** Pixels from one axis on the right to the next. */
export const axisSize = (look: Pick<Look, "width">): number => (look.width < NARROW ? 52 : 64 + 22);

/** The first axis is on the left and draws the grid, if there is one; the others are on the right. */
function valueAxis(axis: Axis, index: number, look: Look, hasGrid: boolean): uPlot.Axis {
  const { font, color } = look;
  const isLog = axis.scale === "log";
  const label = axis.title.length * CHARACTER < look.height * 0.8 ? axis.title : axis.shortTitle;
  // A low chart has room for a few labels, too.
  const space = look.height < LOW ? 24 : 44;
  return {
    font,
    stroke: color(axis.color),
    ticks: { show: false },
    scale: axis.name,
    side: index === 0 ? 3 : 1,
    grid:
      index === 0 && hasGrid
        ? { stroke: color("--grid"), width: 1, filter: (_, ticks) => (isLog ? powersOfTen(ticks) : ticks) }
        : { show: false },
    size: look.width < NARROW ? 52 : 64,
    gap: 8,
    space,
    // uPlot would begin with the end of the axis, which is no round number.
    ...(isLog && {
      splits: ({ bbox }, _, min, max) => logTicks(min, max, Math.max(2, bbox.height / uPlot.pxRatio / space)),
      filter: (_, ticks) => ticks,
    }),
    ...(look.width < NARROW ? {} : { label, labelFont: font, labelSize: 22, labelGap: 2 }),
    values: (_, ticks) => (axis.unit === "month" ? ticks.map(monthText) : tickLabels(ticks, axis.unit)),
    ...(axis.unit === "month" && {
      splits: ({ bbox }, _, min, max) => monthTicks(min, max, Math.max(2, bbox.height / uPlot.pxRatio / space)),
    }),
  };
}

function lineOptions(line: LineMark, { axes, lines }: Drawing, { color }: Look): uPlot.Series {
  const stroke = color(line.color);
  return {
    label: line.title,
    scale: line.axis,
    stroke,
    width: LINE_WIDTHS[line.width ?? "normal"],
    paths: line.isArea ? areaPath : linePath,
    points: {
      show: (_plot, _series, from, to) => to - from < MARKED_POINTS,
      filter: (_plot, _series, isShown) => (isShown ? null : line.breaks.alone),
      size: 5,
      fill: color("--surface"),
    },
    gaps: (plot, _series, first, last, nulls) => gapsOf(plot, line.breaks, first, last, nulls),
    ...(line.isOverAreas && !line.width && { width: OVER_AREAS }),
    ...(line.isDashed && { dash: DASH }),
    // A thin line keeps neighbours of similar colours apart.
    ...(line.isArea && { fill: stroke, stroke: color("--surface"), width: 0.5, points: { show: false } }),
    ...MARK_OPTIONS[line.mark]?.(line, stroke, color("--series-2")),
    ...(lines.length === 1 && !line.isArea && !line.isOverAreas && line.mark !== "bars" && axes[0]?.scale === "linear"
      ? { fill: (plot: uPlot) => (hasZero(plot, line.axis) ? fade(plot, stroke) : NO_FILL) }
      : {}),
  };
}

/** Pixels of a dash, and of the gap after it. */
const DASH = [5, 4];

/** So many points have a mark each; of more, those that no line leads to. */
const MARKED_POINTS = 40;

/** The pixels between points that no line joins, beside those of values that are null. */
function gapsOf(
  plot: uPlot,
  { gaps }: Breaks,
  first: number,
  last: number,
  nulls: uPlot.Series.Gaps,
): uPlot.Series.Gaps {
  const at = (row: number) => Math.round(plot.valToPos(plot.data[0][row]!, "x", true));
  const own = gaps.flatMap(
    ([before, after]): uPlot.Series.Gaps => (after < first || before > last ? [] : [[at(before), at(after)]]),
  );
  return own.length === 0 ? nulls : [...nulls, ...own].sort(([a], [b]) => a - b);
}

/** Pixels. */
const LINE_WIDTHS = { thin: 0.8, normal: 1.4, thick: 2.6 };

/** Pixels: the width of a line over areas, and how much of the background shows on both sides of it. */
const OVER_AREAS = 2;
const HALO = 1.5;

/** What is below a line over areas, once the series before it is drawn. */
function drawHalo(plot: uPlot, series: number, { lines }: Drawing, color: string): void {
  // Series 0 is the time, so this is the line after the one that has just been drawn.
  if (!lines[series]?.isOverAreas) return;
  const { ctx, bbox } = plot;
  const [first = 0, last = 0] = plot.series[0]?.idxs ?? [];
  const path = uPlot.paths.linear!()(plot, series + 1, first, last)!.stroke;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = color;
  ctx.lineWidth = (OVER_AREAS + 2 * HALO) * uPlot.pxRatio;
  ctx.stroke(path as Path2D);
  ctx.restore();
}

/** What uPlot draws for each mark; a line otherwise. */
const MARK_OPTIONS: Partial<Record<Mark, (line: LineMark, color: string, below: string) => Partial<uPlot.Series>>> = {
  steps: () => ({ paths: stepPath }),
  bars: ({ axis }, color, below) => ({
    paths: barPath,
    width: 0,
    points: { show: false },
    fill: (plot) => signed(plot, axis, color, below),
  }),
};

/** A colour above zero, and another one below. */
function signed(plot: uPlot, axis: string, above: string, below: string): CanvasGradient | string {
  const zero = plot.valToPos(0, axis, true);
  if (!Number.isFinite(zero)) return above;
  // A step, where both colours meet.
  const gradient = plot.ctx.createLinearGradient(0, zero, 0, zero + 1);
  gradient.addColorStop(0, above);
  gradient.addColorStop(0, below);
  return gradient;
}

/** Shades stretches of time behind the grid and the lines. */
function shade(plot: uPlot, gaps: readonly Interval[], color: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = color;
  for (const { from, to } of gaps) {
    const left = Math.max(plot.valToPos(from, "x", true), bbox.left);
    const right = Math.min(plot.valToPos(to, "x", true), bbox.left + bbox.width);
    if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.restore();
}

/** A dashed line at the level of each axis. */
function drawComparisons(plot: uPlot, { axes }: Drawing, color: string): void {
  const { ctx, bbox } = plot;
  for (const { name, level } of axes) {
    const y = level === null ? Number.NaN : Math.round(plot.valToPos(level, name, true));
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.lineWidth = uPlot.pxRatio;
    ctx.setLineDash([4 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}

/** Triangles at the upper or lower edge, where a ratio's value lies beyond the scale. */
function markOutliers(plot: uPlot, { axes, lines, columns, t }: Drawing, colors: readonly string[]): void {
  const { ctx, bbox } = plot;
  const [first = 0, last = -1] = plot.series[0]?.idxs ?? [];
  const size = 4 * uPlot.pxRatio;
  ctx.save();
  for (const [i, line] of lines.entries()) {
    const { min, max } = plot.scales[line.axis] ?? {};
    if (!axes.some(({ name, isFenced }) => isFenced && name === line.axis) || min == null || max == null) continue;
    ctx.fillStyle = colors[i]!;
    for (let row = first; row <= last; row++) {
      const value = columns[i]![row];
      if (value === null || value === undefined || (value >= min && value <= max)) continue;
      const x = plot.valToPos(t[row]!, "x", true);
      const [base, tip] =
        value > max ? [bbox.top + size, bbox.top] : [bbox.top + bbox.height - size, bbox.top + bbox.height];
      ctx.beginPath();
      ctx.moveTo(x - size, base);
      ctx.lineTo(x + size, base);
      ctx.lineTo(x, tip);
      ctx.fill();
    }
  }
  ctx.restore();
}

/** A bar below the lines, with a stem where each stretch begins. */
function markRestated(plot: uPlot, stretches: readonly Interval[], color: string): void {
  const { ctx, bbox } = plot;
  const size = uPlot.pxRatio;
  const bottom = bbox.top + bbox.height + size;
  ctx.save();
  ctx.fillStyle = color;
  for (const { from, to } of stretches) {
    const start = plot.valToPos(from, "x", true);
    const left = Math.max(start, bbox.left);
    const right = Math.min(Math.max(plot.valToPos(to, "x", true), start + 3 * size), bbox.left + bbox.width);
    if (right <= left) continue;
    ctx.fillRect(left, bottom, right - left, 3 * size);
    if (start >= bbox.left) ctx.fillRect(left, bottom - 8 * size, size, 8 * size);
  }
  ctx.restore();
}

/** Whether an axis shows zero: an area from any other base would say nothing. */
function hasZero(plot: uPlot, axis: string): boolean {
  const { min, max } = plot.scales[axis] ?? {};
  return min != null && max != null && min <= 0 && max >= 0;
}

/** A gradient from a tint of the colour at the top to nothing at the bottom. */
function fade({ ctx, bbox: { top, height } }: uPlot, color: string): CanvasGradient | string {
  if (!Number.isFinite(top) || height <= 0) return "transparent";
  const gradient = ctx.createLinearGradient(0, top, 0, top + height);
  gradient.addColorStop(0, withAlpha(color, 0.18));
  gradient.addColorStop(1, withAlpha(color, 0));
  return gradient;
}

/** Resolved colours have the form `rgb(31, 79, 216)`. */
const withAlpha = (color: string, alpha: number) => color.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);

/** Reduces the ticks of a log axis to powers of ten, if there are at least two of them. */
function powersOfTen(ticks: readonly number[]): (number | null)[] {
  const powers = ticks.map((tick) => (Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6) ? tick : null));
  return powers.filter((tick) => tick !== null).length > 1 ? powers : [...ticks];
}
