/** Values where the axes are: the last one of each line. */

import uPlot from "uplot";
import { short } from "../../format/numbers.ts";
import type { Drawing } from "../drawing/drawing.ts";

/** Pixels from one label to the next. */
const STEP = 15;
const PAD = 4;
/** The part of an axis' height that labels may take, and their number: more of them would hide it. */
const MOST = 0.6;
const MOST_LABELS = 7;

interface Style {
  font: string;
  color(property: string): string;
}

/** The label of a line's value. */
interface Label {
  text: string;
  /** Name of a line's colour, a custom property of the style sheet. */
  color: string;
  /** The place of its axis: 0 is the left one. */
  axis: number;
  /** Pixels of the screen from the plot's upper edge to its middle. */
  y: number;
}

/**
 * Moves labels apart that would overlap, in their order, as little as possible, and into the plot.
 *
 * @param places pixels, in any order
 * @returns the places moved, in the order of `places`
 */
export function spread(places: readonly number[], height: number, step = STEP): number[] {
  const order = places.map((_, i) => i).sort((a, b) => places[a]! - places[b]! || a - b);
  // Labels that touch are a block, whose middle is the mean of what its labels want.
  const blocks: { members: number[]; sum: number }[] = [];
  const topOf = ({ members, sum }: (typeof blocks)[number]) => {
    const wanted = sum / members.length - ((members.length - 1) * step) / 2;
    return Math.max(step / 2, Math.min(height - step / 2 - (members.length - 1) * step, wanted));
  };
  for (const member of order) {
    let block = { members: [member], sum: places[member]! };
    for (
      let last = blocks.at(-1);
      last && topOf(last) + last.members.length * step > topOf(block);
      last = blocks.at(-1)
    ) {
      blocks.pop();
      block = { members: [...last.members, ...block.members], sum: last.sum + block.sum };
    }
    blocks.push(block);
  }
  const moved = [...places];
  for (const block of blocks)
    for (const [i, member] of block.members.entries()) moved[member] = topOf(block) + i * step;
  return moved;
}

/** The labels of the lines' values in a row; of areas there are none, since their edges are sums. */
export function labelsAt(plot: uPlot, { lines, columns, axes }: Drawing, rowOf: (column: number) => number): Label[] {
  const { height } = plot.over.getBoundingClientRect();
  const labels = lines.flatMap((line, i): Label[] => {
    const axis = axes.findIndex(({ name }) => name === line.axis);
    const [unit, value] = [axes[axis]?.unit, columns[i]![rowOf(i)]];
    if (line.isArea || value == null || unit === undefined || unit === "month") return [];
    const y = plot.valToPos(value, line.axis);
    return y >= 0 && y <= height ? [{ text: short(value, unit), color: line.color, axis, y }] : [];
  });
  return axes.flatMap((_, axis) => {
    const own = labels.filter((label) => label.axis === axis);
    if (own.length > Math.min(MOST_LABELS, (height * MOST) / STEP)) return [];
    const places = spread(
      own.map(({ y }) => y),
      height,
    );
    return own.map((label, i) => ({ ...label, y: places[i]! }));
  });
}

/** Draws the last visible value of each line, in its colour. */
export function drawLastValues(plot: uPlot, drawing: Drawing, axisSize: number, { font, color }: Style): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const [first = 0, last = -1] = plot.series[0]?.idxs ?? [];
  const lastRow = (column: number) => {
    let row = last;
    while (row > first && drawing.columns[column]![row] == null) row--;
    return row;
  };
  ctx.save();
  ctx.font = font.replace(/\d+/, (size) => String(Number(size) * ratio));
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const { text, color: own, axis, y } of labelsAt(plot, drawing, lastRow)) {
    const width = ctx.measureText(text).width + 2 * PAD * ratio;
    const right = bbox.left + bbox.width;
    const left = axis === 0 ? bbox.left - width - 2 * ratio : right + ((axis - 1) * axisSize + 2) * ratio;
    const middle = bbox.top + y * ratio;
    ctx.fillStyle = color(own);
    ctx.fillRect(left, middle - (STEP / 2 - 0.5) * ratio, width, (STEP - 1) * ratio);
    ctx.fillStyle = color("--surface");
    ctx.fillText(text, left + PAD * ratio, middle);
  }
  ctx.restore();
}
