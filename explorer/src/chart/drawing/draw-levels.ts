/** Draws the lines and bands of a plot, below its grid and its lines, and above these where an alert would have fired. */

import uPlot from "uplot";
import type { Drawing } from "./drawing.ts";
import type { DrawnLevel, LevelEnd } from "./levels.ts";

interface Style {
  font: string;
  color(property: string): string;
}

/** How much of its colour a band has. */
const BAND = 0.13;
/** Pixels: from a name to the edge, and from one name to the next. */
const GAP = 6;
const ROW = 13;

export function drawLevels(plot: uPlot, { levels }: Drawing, { font, color }: Style): void {
  if (levels.length === 0) return;
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  /** Where names are, so that none covers another one. */
  const taken: number[] = [];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = font.replace(/\d+/, (size) => String(Number(size) * ratio));
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const level of levels) {
    ctx.fillStyle = color(level.color);
    ctx.strokeStyle = color(level.color);
    const edge = level.to === undefined ? drawLine(plot, level, ratio) : drawBand(plot, level);
    if (level.name === "" || edge === null) continue;
    // The name of a line is above it, that of a band in it.
    const y = level.to === undefined ? edge - (ROW / 2) * ratio : edge + (ROW / 2 + 2) * ratio;
    const isIn = y > bbox.top + (ROW / 2) * ratio && y < bbox.top + bbox.height - (ROW / 2) * ratio;
    if (!isIn || taken.some((other) => Math.abs(other - y) < ROW * ratio)) continue;
    taken.push(y);
    ctx.fillStyle = color("--soft");
    ctx.fillText(level.name, bbox.left + GAP * ratio, y);
  }
  ctx.restore();
}

/** @returns where its name belongs; null if it isn't visible */
function drawLine(plot: uPlot, { from, axis }: DrawnLevel, ratio: number): number | null {
  const { ctx } = plot;
  const points = pointsOf(plot, from, axis, plot.bbox.top);
  ctx.lineWidth = 1.2 * ratio;
  ctx.setLineDash([6 * ratio, 3 * ratio]);
  ctx.beginPath();
  trace(ctx, points);
  ctx.stroke();
  ctx.setLineDash([]);
  return points[0]?.[1] ?? null;
}

function drawBand(plot: uPlot, { from, to, axis }: DrawnLevel): number | null {
  const { ctx, bbox } = plot;
  const lower = pointsOf(plot, from, axis, bbox.top + bbox.height);
  const upper = pointsOf(plot, to ?? null, axis, bbox.top);
  ctx.globalAlpha = BAND;
  ctx.beginPath();
  trace(ctx, upper);
  trace(ctx, lower.toReversed(), true);
  ctx.fill();
  ctx.globalAlpha = 1;
  const [top, bottom] = [upper[0]?.[1] ?? bbox.top, lower[0]?.[1] ?? 0];
  return bottom - Math.max(top, bbox.top) < ROW * uPlot.pxRatio ? null : Math.max(top, bbox.top);
}

/** The pixels of an end across the plot. @param open where the edge of the plot is */
function pointsOf(plot: uPlot, end: LevelEnd, axis: string, open: number): [x: number, y: number][] {
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

function trace(ctx: CanvasRenderingContext2D, points: readonly (readonly [number, number])[], goesOn = false): void {
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
  const { ctx, bbox } = plot;
  const size = MARK * uPlot.pxRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = color("--accent");
  ctx.strokeStyle = color("--surface");
  ctx.lineWidth = uPlot.pxRatio;
  for (const [time, value] of firings.points) {
    const [x, y] = [plot.valToPos(time, "x", true), plot.valToPos(value, firings.axis, true)];
    if (!(x >= bbox.left && x <= bbox.left + bbox.width && Number.isFinite(y))) continue;
    ctx.beginPath();
    trace(ctx, [
      [x, y - size],
      [x + size, y],
      [x, y + size],
      [x - size, y],
      [x, y - size],
    ]);
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}
