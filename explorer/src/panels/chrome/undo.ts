/** Undo and redo of all that changes a chart or a board, zooms included: Ctrl Z, and Ctrl Shift Z or Ctrl Y. */

import type { Session } from "../../session.ts";
import { formatAddress } from "../../state/address.ts";
import type { ChartState } from "../../state/chart-state.ts";
import { announce, isWithin } from "../dom.ts";

/** Milliseconds within which zooms are one step: those of a turn of the wheel. */
const GESTURE = 700;
const MOST_STEPS = 200;

/** UndoSteps that can be undone and done again. */
export class UndoSteps<T> {
  readonly #steps: T[] = [];
  /** The step that the page shows. */
  #at = -1;
  /** When the page was zoomed last, if nothing else has happened since. */
  #zoomed = Number.NEGATIVE_INFINITY;

  get shown(): T | undefined {
    return this.#steps[this.#at];
  }

  record(step: T, isZoom: boolean): void {
    const now = performance.now();
    const isSameGesture = isZoom && now - this.#zoomed < GESTURE;
    this.#zoomed = isZoom ? now : Number.NEGATIVE_INFINITY;
    // What was undone is gone.
    this.#steps.length = isSameGesture ? this.#at : this.#at + 1;
    this.#steps.push(step);
    if (this.#steps.length > MOST_STEPS) this.#steps.shift();
    this.#at = this.#steps.length - 1;
  }

  /** Shows the step before or after, and says so. */
  go(by: 1 | -1, show: (step: T) => void): void {
    const step = this.#steps[this.#at + by];
    if (step === undefined) {
      announce(by < 0 ? "Nothing to undo." : "Nothing to redo.");
      return;
    }
    this.#at += by;
    this.#zoomed = Number.NEGATIVE_INFINITY;
    show(step);
    announce(by < 0 ? "Undone." : "Done again.");
  }

  /** Ctrl Z, Ctrl Shift Z and Ctrl Y. */
  listen(show: (step: T) => void): void {
    document.addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase();
      const isTyping = isWithin(event, "input, textarea, dialog");
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping || (key !== "z" && key !== "y")) return;
      event.preventDefault();
      this.go(key === "y" || event.shiftKey ? 1 : -1, show);
    });
  }
}

export function connectUndo(session: Session): void {
  const steps = new UndoSteps<{ chart: ChartState; address: string }>();
  session.watch(["chart"], ({ chart }) => {
    const address = formatAddress(chart);
    const { shown } = steps;
    if (address !== shown?.address)
      steps.record({ chart, address }, shown !== undefined && isZoomOf(shown.chart, chart));
  });
  steps.listen(({ address }) => session.visit(address));
}

/** Whether two charts differ by their zoom alone. */
const isZoomOf = (one: ChartState, other: ChartState) =>
  formatAddress({ ...one, zoom: null }) === formatAddress({ ...other, zoom: null });
