/** Draws the lines and bands of a plot, below its grid and its lines, and above these where an alert would have fired. */

import uPlot from "uplot";
import type { Drawing } from "../drawing/drawing.ts";
import type { DrawnLevel, LevelEnd } from "../drawing/levels.ts";

interface Style {
  font: string;
  color(property: string): string;
}

/** How much of its colour a band has. */
const BAND = 0.13;
/** Pixels: from a name to the edge, and from one name to the next. */
const GAP = 6;
const ROW = 13;

type Points = readonly (readonly [x: number, y: number])[];

/** The lines and the bands. */
export function drawLevels(plot: uPlot, { levels }: Drawing, { color }: Style): void {
  const { ctx } = plot;
  const ratio = uPlot.pxRatio;
  within(plot, () => {
    for (const level of levels) {
      const { lower, upper } = edgesOf(plot, level);
      ctx.beginPath();
      trace(ctx, upper);
      if (level.to === undefined) {
        ctx.strokeStyle = color(level.color);
        ctx.lineWidth = 1.2 * ratio;
        ctx.setLineDash([6 * ratio, 3 * ratio]);
        ctx.stroke();
        continue;
      }
      trace(ctx, lower.toReversed(), true);
      ctx.globalAlpha = BAND;
      ctx.fillStyle = color(level.color);
      ctx.fill();
      ctx.globalAlpha = 1;
    }
  });
}

/** Their names, at the left edge: that of a line above it, that of a band in it. None covers another one. */
export function drawLevelNames(plot: uPlot, { levels }: Drawing, { font, color }: Style): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const [row, x] = [ROW * ratio, bbox.left + GAP * ratio];
  const taken: number[] = [];
  within(plot, () => {
    ctx.font = font.replace(/\d+/, (size) => String(Number(size) * ratio));
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    ctx.lineJoin = "round";
    ctx.lineWidth = 3 * ratio;
    ctx.strokeStyle = color("--surface");
    ctx.fillStyle = color("--soft");
    for (const level of levels.filter(({ name }) => name !== "")) {
      const { lower, upper } = edgesOf(plot, level);
      const edge = Math.max(upper[0]?.[1] ?? Number.NaN, bbox.top - (level.to === undefined ? row : 0));
      const y = level.to === undefined ? edge - row / 2 : edge + row / 2 + 2 * ratio;
      const floor = Math.min(
        level.to === undefined ? Number.POSITIVE_INFINITY : (lower[0]?.[1] ?? 0),
        bbox.top + bbox.height,
      );
      const isFree = taken.every((other) => Math.abs(other - y) >= row);
      if (!(y - row / 2 >= bbox.top && y + row / 2 <= floor && isFree)) continue;
      taken.push(y);
      ctx.strokeText(level.name, x, y);
      ctx.fillText(level.name, x, y);
    }
  });
}

/** Draws in the plot, and nothing beyond it. */
function within({ ctx, bbox }: uPlot, draw: () => void): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
}

/** The edges of a band; both are that of a line. */
function edgesOf(plot: uPlot, { from, to, axis }: DrawnLevel): { lower: Points; upper: Points } {
  const { top, height } = plot.bbox;
  const lower = pointsOf(plot, from, axis, top + height);
  return { lower, upper: to === undefined ? lower : pointsOf(plot, to, axis, top) };
}

/** The pixels of an end across the plot. @param open where the edge of the plot is */
function pointsOf(plot: uPlot, end: LevelEnd, axis: string, open: number): Points {
  const { bbox } = plot;
  const { top, height, left, width } = bbox;
  const at = (value: number): number => {
    const y = plot.valToPos(value, axis, true);
    // A log axis has no place for zero: it is below all others.
    return Number.isFinite(y) ? Math.max(top - 2, Math.min(y, top + height + 2)) : top + height + 2;
  };
  if (end === null || typeof end === "number") {
    const y = end === null ? open : at(end);
    return [
      [left, y],
      [left + width, y],
    ];
  }
  const [first = 0, last = -1] = plot.series[0]?.idxs ?? [];
  const points: [number, number][] = [];
  for (let row = first; row <= last; row++) {
    const value = end[row]!;
    if (!Number.isNaN(value)) points.push([plot.valToPos(plot.data[0][row]!, "x", true), at(value)]);
  }
  return points;
}

function trace(ctx: CanvasRenderingContext2D, points: Points, goesOn = false): void {
  for (const [i, [x, y]] of points.entries()) {
    if (i === 0 && !goesOn) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
}

/** Pixels from the middle of a firing's mark to its corners. */
const MARK = 4.5;

/** A diamond on the line at each firing. */
export function drawFirings(plot: uPlot, { firings }: Drawing, { color }: Style): void {
  if (!firings || firings.points.length === 0) return;
  const { ctx } = plot;
  const size = MARK * uPlot.pxRatio;
  within(plot, () => {
    ctx.fillStyle = color("--accent");
    ctx.strokeStyle = color("--surface");
    ctx.lineWidth = uPlot.pxRatio;
    for (const [time, value] of firings.points) {
      const [x, y] = [plot.valToPos(time, "x", true), plot.valToPos(value, firings.axis, true)];
      ctx.beginPath();
      trace(ctx, [
        [x, y - size],
        [x + size, y],
        [x, y + size],
        [x - size, y],
      ]);
      ctx.closePath();
      ctx.fill();
      ctx.stroke();
    }
  });
}
