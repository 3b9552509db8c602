/** Wheel, touch and dragging with Shift on a plot, as movements of its time axis. Vertical swipes still scroll the page. */

import type uPlot from "uplot";
import type { Interval } from "../state/chart-state.ts";

/** Pixels of a turn of the wheel that doubles the visible time. */
const WHEEL_DOUBLE = 500;
/** Browsers count some wheels by lines. */
const LINE_HEIGHT = 16;

/** @param show shows an interval; where it is out of bounds, the nearest that isn't. Returns whether anything moved */
export function listenToGestures(plot: uPlot, show: (interval: Interval) => boolean): void {
  const { over } = plot;
  const visible = () => ({ from: plot.scales.x!.min!, to: plot.scales.x!.max! });
  const place = ({ clientX }: { clientX: number }) => clientX - over.getBoundingClientRect().left;
  const width = () => Math.max(1, over.clientWidth);

  over.addEventListener(
    "wheel",
    (event) => {
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_HEIGHT : 1;
      const { from, to } = visible();
      const isPan = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      const delta = (isPan ? event.deltaX || event.deltaY : event.deltaY) * unit;
      const at = plot.posToVal(place(event), "x");
      const factor = 2 ** (delta / WHEEL_DOUBLE);
      const moved = isPan
        ? show(shifted({ from, to }, (delta / width()) * (to - from)))
        : show({ from: at - (at - from) * factor, to: at + (to - at) * factor });
      // At the end of the history, the wheel scrolls the page.
      if (moved) event.preventDefault();
    },
    { passive: false },
  );

  over.addEventListener("pointerdown", (start) => {
    if (!start.shiftKey || start.pointerType === "touch") return;
    const { from, to } = visible();
    over.setPointerCapture(start.pointerId);
    const move = (event: PointerEvent) => {
      show(shifted({ from, to }, ((place(start) - place(event)) / width()) * (to - from)));
    };
    over.addEventListener("pointermove", move);
    over.addEventListener("lostpointercapture", () => over.removeEventListener("pointermove", move), { once: true });
  });

  /** What was visible, and where the fingers were, when the last of them touched the plot. */
  let start: { visible: Interval; fingers: number[]; y: number } | null = null;
  const begin = (event: TouchEvent) => {
    const fingers = Array.from(event.touches, place);
    start = { visible: visible(), fingers, y: event.touches[0]!.clientY };
    if (fingers.length === 1) plot.setCursor({ left: Math.max(0, Math.min(fingers[0]!, width())), top: 10 });
    if (fingers.length === 2) event.preventDefault();
  };
  const follow = (event: TouchEvent) => {
    const fingers = Array.from(event.touches, place);
    if (!start || fingers.length !== start.fingers.length || fingers.length > 2) return;
    const { from, to } = start.visible;
    const [oldLeft = 0, oldRight = 0] = start.fingers.toSorted((a, b) => a - b);
    const [left = 0, right = 0] = fingers.toSorted((a, b) => a - b);
    if (fingers.length === 1) {
      if (Math.abs(event.touches[0]!.clientY - start.y) > Math.abs(left - oldLeft)) return;
      event.preventDefault();
      // Where there is nothing to pan, the finger moves the crosshair.
      const isMoved = show(shifted({ from, to }, ((oldLeft - left) / width()) * (to - from)));
      if (!isMoved) plot.setCursor({ left: Math.max(0, Math.min(left, width())), top: 10 });
    } else if (right > left) {
      event.preventDefault();
      // The times under the fingers stay under them.
      const scale = ((oldRight - oldLeft) / (right - left)) * ((to - from) / width());
      const newFrom = from + (oldLeft / width()) * (to - from) - left * scale;
      show({ from: newFrom, to: newFrom + scale * width() });
    }
  };
  over.addEventListener("touchstart", begin, { passive: false });
  over.addEventListener("touchmove", follow, { passive: false });
  over.addEventListener("touchend", (event) => {
    if (event.touches.length > 0) begin(event);
    else start = null;
  });
}

const shifted = ({ from, to }: Interval, by: number): Interval => ({ from: from + by, to: to + by });
