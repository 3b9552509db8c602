/** Touch on the chart: one finger moves the crosshair, two zoom. Vertical swipes still scroll the page. */

import type uPlot from "uplot";
import type { Interval } from "../state/chart-state.ts";

/** @param plot the current plot, null while there is none */
export function listenToTouch(host: HTMLElement, plot: () => uPlot | null, onZoom: (interval: Interval) => void): void {
  /** The times under two fingers when they touched the chart. */
  let start: Interval | null = null;
  const follow = (event: TouchEvent) => {
    const current = plot();
    if (!current) return;
    const { over } = current;
    const { left } = over.getBoundingClientRect();
    const [first, second, third] = Array.from(event.touches, ({ clientX }) => clientX - left);
    if (first === undefined || third !== undefined) return;
    if (second === undefined) {
      current.setCursor({ left: Math.max(0, Math.min(first, over.clientWidth)), top: 10 });
      return;
    }
    const from = current.posToVal(Math.min(first, second), "x");
    const to = current.posToVal(Math.max(first, second), "x");
    const { min, max } = current.scales.x ?? {};
    if (!start || min === undefined || max === undefined) start = { from, to };
    else if (to > from) {
      const factor = (start.to - start.from) / (to - from);
      const center = (start.from + start.to) / 2;
      const zoomFrom = center - (center - min) * factor;
      onZoom({ from: zoomFrom, to: zoomFrom + (max - min) * factor });
    }
    event.preventDefault();
  };
  host.addEventListener("touchstart", follow, { passive: false });
  host.addEventListener("touchmove", follow, { passive: false });
  host.addEventListener("touchend", () => {
    start = null;
  });
}
