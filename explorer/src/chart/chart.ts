/** The chart: lines over time on one or two axes, drawn by uPlot, with mouse, touch and keyboard. */

import uPlot from "uplot";
import type { Interval } from "../state/chart-state.ts";
import type { Drawing } from "./drawing.ts";
import { plotOptions } from "./options.ts";
import { listenToTouch } from "./touch.ts";

export interface ChartEvents {
  /** The crosshair has moved to a row of the table, or away (null). */
  onCursor(cursor: { row: number; isByKeyboard: boolean } | null): void;
  /** The user has zoomed; null shows everything. */
  onZoom(interval: Interval | null): void;
}

/** Rows by which a key moves the crosshair. */
const KEY_STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
const KEY_ZOOM = 1.25;
const HALF_DAY = 43_200;

export class Chart {
  readonly #host: HTMLElement;
  readonly #events: ChartEvents;
  #plot: uPlot | null = null;
  #drawing: Drawing | null = null;
  #zoom: Interval | null = null;
  #isByKeyboard = false;

  /** @param host takes the focus; its size is the chart's */
  constructor(host: HTMLElement, events: ChartEvents) {
    this.#host = host;
    this.#events = events;
    new ResizeObserver(() => this.#plot?.setSize({ width: host.clientWidth, height: host.clientHeight })).observe(host);
    host.addEventListener("keydown", (event) => this.#onKey(event));
    host.addEventListener("blur", () => this.#plot?.setCursor({ left: -10, top: -10 }));
    listenToTouch(
      host,
      () => this.#plot,
      (interval) => this.#zoomTo(interval),
    );
  }

  /** Replaces the lines; a drawing without points clears the chart. */
  draw(drawing: Drawing, zoom: Interval | null): void {
    this.#drawing = drawing;
    this.#zoom = zoom;
    this.redraw();
  }

  /** Draws the same lines again, for instance in another theme's colours. */
  redraw(): void {
    this.#plot?.destroy();
    this.#plot = null;
    const visible = this.#zoom ?? this.#fullSpan();
    if (!this.#drawing || !visible || this.#drawing.table.t.length === 0) return;
    const { t, columns } = this.#drawing.table;
    const options = plotOptions(this.#drawing, visible, this.#host);
    options.cursor = { ...options.cursor, bind: { dblclick: () => () => this.#showAll() } };
    options.hooks = {
      ...options.hooks,
      setCursor: [({ cursor }) => this.#onCursor(rowOf(cursor))],
      setSelect: [(plot) => this.#onSelect(plot)],
    };
    this.#plot = new uPlot(options, [t, ...columns] as uPlot.AlignedData, this.#host);
  }

  setZoom(zoom: Interval | null): void {
    this.#zoom = zoom;
    const visible = zoom ?? this.#fullSpan();
    if (visible) this.#plot?.setScale("x", { min: visible.from, max: visible.to });
  }

  /** Zooms to an interval; shows everything if that is no smaller. */
  #zoomTo({ from, to }: Interval): void {
    const full = this.#fullSpan();
    if (!full || to - from < 2) return;
    if (from <= full.from && to >= full.to) this.#events.onZoom(null);
    else this.#events.onZoom({ from: Math.round(from), to: Math.round(to) });
  }

  /** Zooms in by a factor around a time or, without one, the middle. */
  #zoomBy(factor: number, around: number | undefined): void {
    const full = this.#fullSpan();
    if (!full) return;
    const { from, to } = this.#zoom ?? full;
    const center = around ?? (from + to) / 2;
    this.#zoomTo({
      from: Math.max(center - (center - from) / factor, full.from),
      to: Math.min(center + (to - center) / factor, full.to),
    });
  }

  #showAll(): null {
    this.#events.onZoom(null);
    return null;
  }

  #fullSpan(): Interval | null {
    const times = this.#drawing?.table.t ?? [];
    const from = times[0];
    const to = times[times.length - 1];
    if (from === undefined || to === undefined) return null;
    // A single point needs room on both sides.
    return from === to ? { from: from - HALF_DAY, to: to + HALF_DAY } : { from, to };
  }

  #onCursor(row: number | null): void {
    this.#events.onCursor(row === null ? null : { row, isByKeyboard: this.#isByKeyboard });
  }

  #onSelect(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#zoomTo({ from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") });
  }

  #onKey(event: KeyboardEvent): void {
    const plot = this.#plot;
    if (!plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const [first, last] = plot.series[0]?.idxs ?? [0, 0];
    const row = rowOf(plot.cursor);
    const time = row === null ? undefined : this.#drawing?.table.t[row];
    const { key } = event;
    const step = KEY_STEPS[key];
    if (step !== undefined) this.#moveTo(plot, (row ?? last + 1) + step);
    else if (key === "Home") this.#moveTo(plot, first);
    else if (key === "End") this.#moveTo(plot, last);
    else if (key === "+" || key === "=") this.#zoomBy(KEY_ZOOM, time);
    else if (key === "-") this.#zoomBy(1 / KEY_ZOOM, time);
    else if (key === "0" || key === "Escape") this.#showAll();
    else return;
    event.preventDefault();
  }

  /** Moves the crosshair to a row or, if that isn't visible, to the nearest one that is. */
  #moveTo(plot: uPlot, row: number): void {
    const [first, last] = plot.series[0]?.idxs ?? [0, 0];
    const time = plot.data[0][Math.max(first, Math.min(last, row))];
    if (time === undefined) return;
    this.#isByKeyboard = true;
    plot.setCursor({ left: Math.max(0, plot.valToPos(time, "x")), top: 10 });
    this.#isByKeyboard = false;
  }
}

/** The row under the crosshair; null if the crosshair is off the chart. */
function rowOf({ left = -1, idx }: uPlot.Cursor): number | null {
  return left >= 0 ? (idx ?? null) : null;
}
