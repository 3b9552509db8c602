/** Undo and redo of all that changes the chart, its zoom included: Ctrl Z, and Ctrl Shift Z or Ctrl Y. */

import type { Session } from "../../session.ts";
import { formatAddress } from "../../state/address.ts";
import type { ChartState } from "../../state/chart-state.ts";
import { announce, isWithin } from "../dom.ts";

/** Milliseconds within which zooms are one step: those of a turn of the wheel. */
const GESTURE = 700;
const MOST_STEPS = 200;

export function connectUndo(session: Session): void {
  const steps: { chart: ChartState; address: string }[] = [];
  /** The step that the page shows. */
  let at = -1;
  /** When the chart was zoomed last, if nothing else has happened since. */
  let zoomed = Number.NEGATIVE_INFINITY;
  session.watch(["chart"], ({ chart }) => {
    const address = formatAddress(chart);
    const shown = steps[at];
    if (address === shown?.address) return;
    const now = performance.now();
    const isZoom = shown !== undefined && isZoomOf(shown.chart, chart);
    const isSameGesture = isZoom && now - zoomed < GESTURE;
    zoomed = isZoom ? now : Number.NEGATIVE_INFINITY;
    // What was undone is gone.
    steps.length = isSameGesture ? at : at + 1;
    steps.push({ chart, address });
    if (steps.length > MOST_STEPS) steps.shift();
    at = steps.length - 1;
  });
  const go = (by: 1 | -1) => {
    const step = steps[at + by];
    if (!step) return announce(by < 0 ? "Nothing to undo." : "Nothing to redo.");
    at += by;
    zoomed = Number.NEGATIVE_INFINITY;
    session.visit(step.address);
    announce(by < 0 ? "Undone." : "Done again.");
  };
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const isTyping = isWithin(event, "input, textarea, dialog");
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    go(key === "y" || event.shiftKey ? 1 : -1);
  });
}

/** Whether two charts differ by their zoom alone. */
const isZoomOf = (one: ChartState, other: ChartState) =>
  formatAddress({ ...one, zoom: null }) === formatAddress({ ...other, zoom: null });
