/** Charts below each other, drawn by uPlot: one time axis and one crosshair for mouse, touch and keyboard. */

import uPlot from "uplot";
import type { Bounds } from "../formula/needed-bounds.ts";
import type { Interval } from "../state/chart-state.ts";
import type { Drawing } from "./drawing/drawing.ts";
import { frameOf, fullSpan, LEAST_VISIBLE, visibleInterval } from "./frame.ts";
import { listenToGestures } from "./gestures.ts";
import { axisSize, plotOptions } from "./options.ts";
import { EventMarks } from "./overlays/events.ts";
import { tellCells } from "./overlays/heatmap.ts";
import { tellAreas } from "./tell-areas.ts";
import { tellValues } from "./tell-values.ts";

export interface ChartEvents {
  /** The crosshair has moved to a row of the table, or away (null). */
  onCursor(cursor: { row: number; isByKeyboard: boolean } | null): void;
  /** The user wants to see an interval; null is the range, and "all" is everything. */
  onZoom(interval: Interval | null | "all"): void;
  /** The user works in a pane. */
  onFocus(pane: number): void;
}

/** Rows by which a key moves the crosshair. */
const KEY_STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
/** The part of the visible time by which Shift and an arrow pan. */
const KEY_PAN = 0.2;
const KEY_ZOOM = 1.25;

/** Points after which the browser paints and handles input before the next pane is drawn. */
const MOST_POINTS = 20_000;

export class Chart {
  readonly #events: ChartEvents;
  readonly #resizes = new ResizeObserver(() => this.#resize());
  #hosts: HTMLElement[] = [];
  /** The plots, by pane. */
  readonly #plots = new Map<number, uPlot>();
  /** What is to be drawn, by pane, in this order: whoever waits longest comes first. */
  readonly #due = new Map<number, () => void>();
  /** The frame in which that goes on. */
  #frame: number | undefined;
  #drawings: readonly Drawing[] = [];
  #visible: Interval | null = null;
  #isByKeyboard = false;
  /** Whether the crosshair of one plot is being moved to the others. */
  #isFollowing = false;

  constructor(events: ChartEvents) {
    this.#events = events;
  }

  /** The elements to draw in, one for each pane; each takes the focus, and its size is the plot's. */
  set hosts(hosts: HTMLElement[]) {
    for (const [pane, host] of hosts.entries()) {
      if (this.#hosts.includes(host)) continue;
      this.#resizes.observe(host);
      host.addEventListener("keydown", (event) => this.#onKey(event, pane));
      host.addEventListener("focus", () => this.#events.onFocus(pane));
      host.addEventListener("pointerdown", () => this.#events.onFocus(pane));
      host.addEventListener("blur", () => this.#plots.get(pane)?.setCursor({ left: -10, top: -10 }));
    }
    for (const host of this.#hosts) if (!hosts.includes(host)) this.#resizes.unobserve(host);
    this.#hosts = [...hosts];
  }

  /**
   * Replaces the lines; drawings without points clear the chart.
   *
   * @param visible in Unix seconds; an end that is null is that of the data
   */
  draw(drawings: readonly Drawing[], visible: Bounds): void {
    this.#drawings = drawings;
    this.#visible = visibleInterval(this.#drawings, visible);
    for (const pane of this.#plots.keys()) if (!this.#visible || !this.#drawings[pane]) this.#remove(pane);
    this.#due.clear();
    for (const pane of this.#drawings.keys()) this.#due.set(pane, () => this.#plot(pane));
    this.#drawDue();
  }

  /** Draws other marks over the same lines. */
  mark(marksOf: (pane: number) => Partial<Pick<Drawing, "restated" | "pins" | "events">>): void {
    for (const [pane, drawing] of this.#drawings.entries()) {
      Object.assign(drawing, marksOf(pane));
      // What is due anyway draws them, too; and a move takes along whatever is to be shown until then.
      if (this.#plots.has(pane) && !this.#due.has(pane)) this.#due.set(pane, () => this.#move(pane));
    }
    if (this.#due.size > 0) this.#drawDue();
  }

  /** Draws the same lines again at once, for instance in another theme's colours. */
  redraw(): void {
    this.#due.clear();
    for (const pane of this.#drawings.keys()) this.#plot(pane);
  }

  /**
   * Moves the time axis.
   *
   * @param drawings the same lines, where their values depend on what is visible
   */
  show(visible: Bounds, drawings?: readonly Drawing[]): void {
    this.#visible = visibleInterval(this.#drawings, visible);
    if (drawings) this.#drawings = drawings;
    for (const pane of this.#plots.keys()) {
      if (!this.#due.has(pane)) this.#due.set(pane, () => this.#move(pane));
    }
    this.#drawDue();
  }

  /**
   * Puts the crosshair at a time, as that of another chart is; null takes it away.
   *
   * @returns the row that it is at; null if that isn't visible
   */
  point(time: number | null): number | null {
    this.#isFollowing = true;
    for (const plot of this.#plots.values()) {
      const left = time === null ? -1 : plot.valToPos(time, "x");
      const isVisible = left >= 0 && left <= plot.over.clientWidth;
      plot.setCursor(isVisible ? { left, top: 10 } : { left: -10, top: -10 });
    }
    this.#isFollowing = false;
    const [first] = this.#plots.values();
    return first ? rowOf(first.cursor) : null;
  }

  /** Ends all drawing, and lets go of the page. */
  remove(): void {
    this.#resizes.disconnect();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    for (const pane of [...this.#plots.keys()]) this.#remove(pane);
    this.#hosts = [];
  }

  /** In each of the frames to come, draws panes until they have many points together. */
  #drawDue(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      let points = 0;
      for (const [pane, draw] of this.#due) {
        this.#due.delete(pane);
        draw();
        const { t, columns } = this.#drawings[pane]!;
        points += t.length * columns.length;
        if (points >= MOST_POINTS) break;
      }
      if (this.#due.size > 0) this.#drawDue();
    });
  }

  #plot(pane: number): void {
    this.#remove(pane);
    const [host, drawing, visible] = [this.#hosts[pane], this.#drawings[pane], this.#visible];
    if (!host || !drawing || !visible) return;
    const frame = frameOf(this.#drawings, visible);
    const options = plotOptions(drawing, frame, pane === this.#drawings.length - 1, host);
    options.cursor = {
      ...options.cursor,
      bind: { dblclick: () => () => this.#showAll(), mousedown: selectWithoutShift },
    };
    let marks: EventMarks | undefined;
    options.hooks = {
      ...options.hooks,
      draw: [
        ...(options.hooks?.draw ?? []),
        (plot) => {
          if (drawing.events.length > 0) marks ??= new EventMarks(plot);
          marks?.show(plot, drawing);
        },
      ],
      setCursor: [(plot) => this.#onCursor(plot)],
      setSelect: [(plot) => this.#onSelect(plot)],
    };
    const plot = new uPlot(options, dataOf(drawing), host);
    if (drawing.heat) tellCells(plot, drawing.heat);
    else tellAreas(plot, drawing);
    const moveValues = tellValues(plot, drawing, axisSize(plot));
    plot.hooks.setCursor = [...(plot.hooks.setCursor ?? []), moveValues];
    listenToGestures(plot, (interval) => this.#zoomTo(interval));
    this.#plots.set(pane, plot);
  }

  #move(pane: number): void {
    const [plot, drawing, visible] = [this.#plots.get(pane), this.#drawings[pane], this.#visible];
    if (!plot || !drawing || !visible) return;
    plot.batch(() => {
      if (plot.data[1] !== drawing.columns[0]) plot.setData(dataOf(drawing), false);
      plot.setScale("x", { min: visible.from, max: visible.to });
    });
  }

  #remove(pane: number): void {
    this.#plots.get(pane)?.destroy();
    this.#plots.delete(pane);
  }

  #resize(): void {
    for (const [pane, plot] of this.#plots) {
      const host = this.#hosts[pane];
      // While fewer panes are loading, the old plots are still there.
      if (!host) continue;
      const { clientWidth: width, clientHeight: height } = host;
      // An observer reports the first size, too, and the plot would be drawn again.
      if (width !== plot.width || height !== plot.height) plot.setSize({ width, height });
    }
  }

  /** Shows the nearest interval within the data. Returns whether that differs from what is visible. */
  #zoomTo({ from, to }: Interval): boolean {
    const [full, visible] = [fullSpan(this.#drawings), this.#visible];
    if (!full || !visible || !(to - from >= LEAST_VISIBLE)) return false;
    const length = Math.min(to - from, full.to - full.from);
    const start = Math.round(Math.max(full.from, Math.min(from, full.to - length)));
    const end = Math.round(start + length);
    if (start === visible.from && end === visible.to) return false;
    this.#events.onZoom(start <= full.from && end >= full.to ? "all" : { from: start, to: end });
    return true;
  }

  /** Zooms in by a factor around a time or, without one, the middle. */
  #zoomBy(factor: number, around: number | undefined): void {
    if (!this.#visible) return;
    const { from, to } = this.#visible;
    const center = around ?? (from + to) / 2;
    this.#zoomTo({ from: center - (center - from) / factor, to: center + (to - center) / factor });
  }

  #panBy(part: number): void {
    if (!this.#visible) return;
    const { from, to } = this.#visible;
    this.#zoomTo({ from: from + (to - from) * part, to: to + (to - from) * part });
  }

  #showAll(): null {
    this.#events.onZoom("all");
    return null;
  }

  #onCursor(moved: uPlot): void {
    if (this.#isFollowing) return;
    const row = rowOf(moved.cursor);
    this.#isFollowing = true;
    for (const plot of this.#plots.values()) {
      if (plot !== moved) plot.setCursor({ left: moved.cursor.left ?? -10, top: row === null ? -10 : 10 });
    }
    this.#isFollowing = false;
    this.#events.onCursor(row === null ? null : { row, isByKeyboard: this.#isByKeyboard });
  }

  #onSelect(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#zoomTo({ from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") });
  }

  #onKey(event: KeyboardEvent, pane: number): void {
    const plot = this.#plots.get(pane);
    if (!plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const [first, last] = plot.series[0]?.idxs ?? [0, 0];
    const row = rowOf(plot.cursor);
    const time = row === null ? undefined : this.#drawings[0]?.t[row];
    const { key } = event;
    const step = KEY_STEPS[key];
    if (event.shiftKey && key === "ArrowLeft") this.#panBy(-KEY_PAN);
    else if (event.shiftKey && key === "ArrowRight") this.#panBy(KEY_PAN);
    else if (step !== undefined) this.#moveTo(plot, (row ?? last + 1) + step);
    else if (key === "Home") this.#moveTo(plot, first);
    else if (key === "End") this.#moveTo(plot, last);
    else if (key === "+" || key === "=") this.#zoomBy(KEY_ZOOM, time);
    else if (key === "-") this.#zoomBy(1 / KEY_ZOOM, time);
    else if (key === "Escape") this.#events.onZoom(null);
    else if (key === "0") this.#showAll();
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

const dataOf = ({ t, columns }: Drawing) => [t, ...columns] as unknown as uPlot.AlignedData;

/** The row under the crosshair; null if the crosshair is off the chart. */
function rowOf({ left = -1, idx }: uPlot.Cursor): number | null {
  return left >= 0 ? (idx ?? null) : null;
}

/** With Shift, dragging pans. */
const selectWithoutShift: uPlot.Cursor.MouseListenerFactory = (_plot, _target, select) => (event) =>
  event.shiftKey ? null : select(event);
