/**
 * How lines, areas and bars are drawn. With many points in each pixel: a column from the least to the greatest of them, of
 * areas and bars from zero. No extreme is lost, and browsers fill columns ten times as fast as they stroke tens of thousands of
 * corners.
 */

import uPlot from "uplot";
import { pixelColumns } from "./pixel-columns.ts";

/** Points in a pixel from which a line is drawn so. */
const DENSE = 3;

/** Whether so many points are visible. */
function isDense({ series, bbox }: uPlot): boolean {
  const [first = 0, last = 0] = series[0]?.idxs ?? [];
  return last - first > DENSE * bbox.width;
}

/** What is not filled. */
export const NO_FILL = "transparent";

/** uPlot makes functions of colours. */
function colorOf(plot: uPlot, series: number, of: "fill" | "stroke"): string | CanvasGradient | CanvasPattern | null {
  const given = plot.series[series]![of];
  const color = typeof given === "function" ? given(plot, series) : given;
  return color === undefined || color === NO_FILL ? null : color;
}

const LINEAR = uPlot.paths.linear!();

/** Pixels: an outline would erase an area that is lower. */
const LEAST_HEIGHT = 3;

/** The path of an area, whose outline ends where the area is low; none for what `drawDense` draws. */
export const areaPath: uPlot.Series.PathBuilder = (plot, series, first, last) => {
  const path = isDense(plot) ? null : LINEAR(plot, series, first, last);
  return path && { ...path, stroke: outline(plot, series, first, last) };
};

/** The upper edge of an area, where neither it nor the one above it is low. Areas come from the uppermost to the lowest. */
function outline(plot: uPlot, series: number, first: number, last: number): Path2D {
  const { data, series: all } = plot;
  const scale = all[series]!.scale!;
  const neighbour = (place: number) => (all[place]?.paths === areaPath ? data[place] : undefined);
  const [above, below] = [neighbour(series - 1), neighbour(series + 1)];
  const height = (value: number | null | undefined) => plot.valToPos(value ?? 0, scale, true);
  const least = LEAST_HEIGHT * uPlot.pxRatio;
  const path = new Path2D();
  let isDrawn = false;
  for (let i = first; i <= last; i++) {
    const value = data[series]![i];
    if (value === undefined) continue;
    const y = height(value);
    const isHigh =
      value !== null && height(below?.[i]) - y >= least && (above === undefined || y - height(above[i]) >= least);
    const x = plot.valToPos(data[0][i]!, "x", true);
    if (isHigh && isDrawn) path.lineTo(x, y);
    else if (isHigh) path.moveTo(x, y);
    isDrawn = isHigh;
  }
  return path;
}

const BARS = uPlot.paths.bars!({ size: [0.8, 40, 1] });
const STEPS = uPlot.paths.stepped!({ align: 1 });

/** The path of bars; none for what `drawDense` draws. */
export const barPath: uPlot.Series.PathBuilder = (plot, series, first, last) =>
  isDense(plot) ? null : BARS(plot, series, first, last);

/** The path of steps; none for what `drawDense` draws. */
export const stepPath: uPlot.Series.PathBuilder = (plot, series, first, last) =>
  isDense(plot) ? null : STEPS(plot, series, first, last);

/** The path of a line; none for what `drawDense` draws: any dense line without a gradient below it. */
export const linePath: uPlot.Series.PathBuilder = (plot, series, first, last) =>
  isDense(plot) && !colorOf(plot, series, "fill") ? null : LINEAR(plot, series, first, last);

/** Draws what is dense of a line, an area or bars. */
export function drawDense(plot: uPlot, series: number, isBroken: (row: number) => boolean): void {
  const { paths, width, scale } = plot.series[series]!;
  const isFromZero = paths === areaPath || paths === barPath;
  const isLine = paths === stepPath || (paths === linePath && !colorOf(plot, series, "fill"));
  if (!isDense(plot) || !(isFromZero || isLine)) return;
  const { ctx, bbox, data } = plot;
  const [first = 0, last = 0] = plot.series[0]!.idxs ?? [];
  const [times, values] = [data[0], data[series]!];
  const { min, max } = plot.scales.x!;
  const factor = bbox.width / (max! - min!);
  const thickness = isFromZero ? 1 : Math.max(1, Math.round(width! * uPlot.pxRatio));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colorOf(plot, series, isFromZero ? "fill" : "stroke") ?? "transparent";
  const columnOf = (row: number) => Math.round(bbox.left + (times[row]! - min!) * factor);
  pixelColumns(values, { first, last }, columnOf, isBroken, isFromZero, (x, least, most) => {
    const top = Math.round(plot.valToPos(most, scale!, true));
    const bottom = Math.round(plot.valToPos(least, scale!, true));
    ctx.fillRect(x, top, thickness, Math.max(isFromZero ? 0 : thickness, bottom - top));
  });
  ctx.restore();
}
