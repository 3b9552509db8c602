/**
 * Lines and areas with many points in each pixel: a column from the least to the greatest of them, or from zero. No extreme is
 * lost, and browsers fill columns ten times as fast as they stroke tens of thousands of corners.
 */

import uPlot from "uplot";

/** Points in a pixel from which a line is drawn so. */
const DENSE = 3;

/** Whether so many points are visible. */
function isDense({ series, bbox }: uPlot): boolean {
  const [first = 0, last = 0] = series[0]?.idxs ?? [];
  return last - first > DENSE * bbox.width;
}

/** uPlot makes functions of colours. */
function colorOf(plot: uPlot, series: number, of: "fill" | "stroke"): string | CanvasGradient | CanvasPattern | null {
  const color = plot.series[series]![of];
  return typeof color === "function" ? color(plot, series) : (color ?? null);
}

const LINEAR = uPlot.paths.linear!();

/** The path of an area; none for what `drawDense` draws. */
export const areaPath: uPlot.Series.PathBuilder = (plot, ...rest) => (isDense(plot) ? null : LINEAR(plot, ...rest));

/** The same of a line. With a gradient below it, it is drawn as any other. */
export const linePath: uPlot.Series.PathBuilder = (plot, series, first, last) =>
  isDense(plot) && !colorOf(plot, series, "fill") ? null : LINEAR(plot, series, first, last);

/** Draws a line or an area, if it is dense. */
export function drawDense(plot: uPlot, series: number): void {
  const { paths, width, scale } = plot.series[series]!;
  const isArea = paths === areaPath;
  if (!isDense(plot) || !(isArea || (paths === linePath && !colorOf(plot, series, "fill")))) return;
  const { ctx, bbox, data } = plot;
  const [first = 0, last = 0] = plot.series[0]!.idxs ?? [];
  const [times, values] = [data[0], data[series]!];
  const { min, max } = plot.scales.x!;
  const factor = bbox.width / (max! - min!);
  const thickness = isArea ? 1 : Math.max(1, Math.round(width! * uPlot.pxRatio));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colorOf(plot, series, isArea ? "fill" : "stroke") ?? "transparent";
  /** The column that is being filled. */
  let x = Number.NaN;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  /** What the column reaches to: the value before, or zero; null after a gap. */
  let before: number | null = null;
  const draw = () => {
    if (Number.isNaN(x)) return;
    const top = Math.round(plot.valToPos(most, scale!, true));
    const bottom = Math.round(plot.valToPos(least, scale!, true));
    ctx.fillRect(x, top, thickness, Math.max(isArea ? 0 : thickness, bottom - top));
  };
  for (let i = first; i <= last; i++) {
    const value = values[i];
    if (value === undefined) continue;
    const at = value === null ? Number.NaN : Math.round(bbox.left + (times[i]! - min!) * factor);
    if (at !== x) {
      draw();
      x = at;
      least = (isArea ? 0 : before) ?? Number.POSITIVE_INFINITY;
      most = (isArea ? 0 : before) ?? Number.NEGATIVE_INFINITY;
    }
    before = value;
    if (value === null) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  draw();
  ctx.restore();
}
