/** Notes on a plot: a line at a time, or a band over a stretch, with its text at the top. And its pins, as dashed lines. */

import uPlot from "uplot";
import { firstIndex } from "../../../../data-schema/search.ts";
import type { Remark } from "../../state/chart-state.ts";

interface Style {
  font: string;
  color(property: string): string;
}

/** Pixels. */
const ROW = 17;
const GAP = 5;

/** Texts that would overlap are below each other. */
export function drawRemarks(plot: uPlot, remarks: readonly Remark[], { font, color }: Style): void {
  if (remarks.length === 0) return;
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const [left, right] = [bbox.left, bbox.left + bbox.width];
  /** Where the last text of each row ends. */
  const ends: number[] = [];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = font.replace(/\d+/, (size) => String(Number(size) * ratio));
  ctx.textBaseline = "middle";
  // The axes leave another one.
  ctx.textAlign = "left";
  ctx.strokeStyle = color("--accent");
  ctx.lineWidth = ratio;
  for (const { from, to, text } of remarks) {
    const start = plot.valToPos(from, "x", true);
    const end = to === null ? start : plot.valToPos(to, "x", true);
    if (end < left || start > right) continue;
    ctx.fillStyle = color("--accent");
    ctx.globalAlpha = 0.1;
    ctx.fillRect(start, bbox.top, end - start, bbox.height);
    ctx.globalAlpha = 1;
    ctx.beginPath();
    for (const x of new Set([start, end])) {
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    if (text === "") continue;
    const label = shortened(text, bbox.width - 2 * GAP * ratio, (part) => ctx.measureText(part).width);
    const width = ctx.measureText(label).width + 2 * GAP * ratio;
    const x = Math.max(left, Math.min(start, right - width));
    const free = ends.findIndex((last) => last <= x);
    const row = free < 0 ? ends.length : free;
    ends[row] = x + width;
    const top = bbox.top + row * ROW * ratio;
    ctx.fillStyle = color("--accent-wash");
    ctx.fillRect(x, top, width, (ROW - 1) * ratio);
    ctx.fillStyle = color("--ink");
    ctx.fillText(label, x + GAP * ratio, top + ((ROW - 1) / 2) * ratio);
  }
  ctx.restore();
}

/** What there is room for of a text, with an ellipsis for the rest. */
function shortened(text: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= room) return text;
  return `${text
    .slice(
      0,
      firstIndex(text.length, (end) => widthOf(`${text.slice(0, end + 1)}…`) > room),
    )
    .trimEnd()}…`;
}

/** @param times Unix seconds */
export function drawPins(plot: uPlot, times: readonly number[], { color }: Style): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color("--ink");
  ctx.lineWidth = 1.5 * uPlot.pxRatio;
  ctx.setLineDash([3 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
  ctx.beginPath();
  for (const time of times) {
    const x = Math.round(plot.valToPos(time, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}
