/** The area under the pointer stands out, and a corner of the plot tells what it holds. */

import type uPlot from "uplot";
import { short } from "../format/numbers.ts";
import type { Drawing } from "./drawing/drawing.ts";
import { areaAt, areasOf, edgesAt } from "./overlays/areas.ts";

/** From now on, for a plot of more than one area. */
export function tellAreas(plot: uPlot, drawing: Drawing): void {
  const areas = areasOf(drawing);
  if (areas.length < 2) return;
  const { over } = plot;
  const veil = over.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  veil.setAttribute("class", "area-veil");
  const path = veil.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  const text = over.appendChild(document.createElement("div"));
  text.className = "heat-cell";
  text.hidden = true;
  let shown = -1;
  const show = (place: number) => {
    if (place === shown) return;
    shown = place;
    path.setAttribute("d", place < 0 ? "" : veilPath(plot, drawing, areas, place));
  };
  const leave = () => {
    text.hidden = true;
    show(-1);
  };
  over.addEventListener("pointermove", ({ offsetX, offsetY, pointerType }) => {
    const row = plot.posToIdx(offsetX);
    const axis = drawing.lines[areas[0]!]!.axis;
    const place = pointerType === "touch" ? -1 : areaAt(drawing, areas, row, plot.posToVal(offsetY, axis));
    const edges = place < 0 ? null : edgesAt(drawing, areas, place, row);
    if (edges === null) return leave();
    show(place);
    const unit = drawing.axes.find(({ name }) => name === axis)?.unit;
    text.hidden = false;
    const value = unit === undefined || unit === "month" ? "" : ` ${short(edges[1] - edges[0], unit)}`;
    text.textContent = drawing.lines[areas[place]!]!.label + value;
  });
  over.addEventListener("pointerleave", leave);
  plot.hooks.setScale = [...(plot.hooks.setScale ?? []), leave];
}

/** All of the plot but one area. */
function veilPath(plot: uPlot, drawing: Drawing, areas: readonly number[], place: number): string {
  const { axis } = drawing.lines[areas[place]!]!;
  const [first = 0, last = -1] = plot.series[0]?.idxs ?? [];
  const { clientWidth, clientHeight } = plot.over;
  const step = Math.max(1, Math.floor((last - first) / clientWidth));
  const upper: string[] = [];
  const lower: string[] = [];
  for (let row = first; row <= last; row += step) {
    const edges = edgesAt(drawing, areas, place, row);
    if (edges === null) continue;
    const x = plot.valToPos(drawing.t[row]!, "x").toFixed(1);
    upper.push(`${x} ${plot.valToPos(edges[1], axis).toFixed(1)}`);
    lower.push(`${x} ${plot.valToPos(edges[0], axis).toFixed(1)}`);
  }
  return `M0 0H${clientWidth}V${clientHeight}H0ZM${[...upper, ...lower.reverse()].join("L")}Z`;
}
