/** Areas that lie on each other: their edges, and their names at the right edge. */

import uPlot from "uplot";
import type { Drawing } from "../drawing/drawing.ts";

/** Pixels. */
const LEAST_HEIGHT = 15;
const MARGIN = 7;
/** The part of the width in which an area has to be high enough for its name, from the right edge. */
const ROOM = 0.06;

interface Style {
  font: string;
  color(property: string): string;
}

/** The places of the areas among the lines, from the uppermost. */
export const areasOf = ({ lines }: Drawing): number[] => lines.flatMap(({ isArea }, i) => (isArea ? i : []));

/** Where an area begins and ends in a row, as values of its axis; null where it has no point. */
export function edgesAt(
  { columns }: Pick<Drawing, "columns">,
  areas: readonly number[],
  place: number,
  row: number,
): [from: number, to: number] | null {
  const [to, ...below] = areas.slice(place).map((column) => columns[column]![row]);
  return to == null ? null : [below.find((edge) => edge != null) ?? 0, to];
}

/** The place of the area that a value is in; -1 outside of all. */
export const areaAt = (
  drawing: Pick<Drawing, "columns">,
  areas: readonly number[],
  row: number,
  value: number,
): number =>
  areas.findIndex((_, place) => {
    const edges = edgesAt(drawing, areas, place, row);
    return edges !== null && value >= edges[0] && value < edges[1];
  });

/** Writes the names of areas into them, at the right edge, where they are high enough. */
export function drawAreaNames(plot: uPlot, drawing: Drawing, { font, color }: Style): void {
  const areas = areasOf(drawing);
  if (areas.length === 0) return;
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const [first = 0, last = -1] = plot.series[0]?.idxs ?? [];
  const begin = Math.max(first, Math.round(last - (last - first) * ROOM));
  ctx.save();
  ctx.font = font.replace(/\d+/, (size) => String(Number(size) * ratio));
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.lineWidth = 4 * ratio;
  ctx.lineJoin = "round";
  for (const [place, line] of areas.entries()) {
    const { axis, label, color: own } = drawing.lines[line]!;
    // The name has to lie within the area in all of the rows that it covers.
    let [top, bottom] = [bbox.top, bbox.top + bbox.height];
    for (let row = begin; row <= last; row++) {
      const edges = edgesAt(drawing, areas, place, row);
      if (edges === null) continue;
      top = Math.max(top, plot.valToPos(edges[1], axis, true));
      bottom = Math.min(bottom, plot.valToPos(edges[0], axis, true));
    }
    if (last < begin || bottom - top < LEAST_HEIGHT * ratio) continue;
    const [x, y] = [bbox.left + bbox.width - MARGIN * ratio, (top + bottom) / 2];
    // Lines over the areas stop short of the name.
    ctx.strokeStyle = color(own);
    ctx.strokeText(label, x, y);
    ctx.fillStyle = isDark(color(own)) ? "#ffffff" : "#14161b";
    ctx.fillText(label, x, y);
  }
  ctx.restore();
}

/** Resolved colours have the form `rgb(31, 79, 216)`. White is easier to read on those below this luminance. */
function isDark(color: string): boolean {
  const [red, green, blue] = (color.match(/[\d.]+/g) ?? []).map((part) => (Number(part) / 255) ** 2.2);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! < 0.19;
}
