/** The lines' values at the crosshair, where their axes are. */

import type uPlot from "uplot";
import type { Drawing } from "./drawing/drawing.ts";
import { labelsAt } from "./overlays/axis-values.ts";

/** Shows the values at the crosshair, from now on. Returns what moves them with it. */
export function tellValues(plot: uPlot, drawing: Drawing, axisSize: number): () => void {
  const shown: HTMLElement[] = [];
  return () => {
    const { idx, left = -1 } = plot.cursor;
    const labels = left < 0 || idx == null ? [] : labelsAt(plot, drawing, () => idx);
    for (const element of shown.splice(labels.length)) element.remove();
    for (const [i, { text, color, axis, y }] of labels.entries()) {
      const element = shown[i] ?? plot.over.appendChild(document.createElement("div"));
      shown[i] = element;
      element.className = "axis-value";
      element.textContent = text;
      element.style.cssText = `top: ${y}px; border-color: var(${color}); ${
        axis === 0 ? "right: calc(100% + 2px)" : `left: calc(100% + ${(axis - 1) * axisSize + 2}px)`
      }`;
    }
  };
}
