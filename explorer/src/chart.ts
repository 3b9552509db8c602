/** The chart: lines over time on one or two axes, drawn by uPlot. */

import uPlot from "uplot";
import type { Table } from "./align.ts";
import type { Unit } from "./catalog.ts";
import { tickLabels, timeTicks } from "./format.ts";
import { linearRange } from "./scale.ts";
import type { Interval } from "./state.ts";

export interface Line {
  name: string;
  unit: Unit;
  /** A colour of the style sheet, such as `--series-1`. */
  color: string;
}

export interface Drawing {
  table: Table;
  lines: Line[];
  isLog: boolean;
  /** Titles of the axes by unit. */
  titles: Map<Unit, string>;
}

export interface ChartEvents {
  /** The row under the crosshair, null when there is none; and whether a key put it there, for which it is to be told. */
  onRow(row: number | null, isByKey: boolean): void;
  onZoom(interval: Interval): void;
  onReset(): void;
}

const KEY_STEP = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 } as const;
const WHEEL_STEP = 1.25;

export class Chart {
  readonly #host: HTMLElement;
  readonly #events: ChartEvents;
  #plot: uPlot | null = null;
  #drawing: Drawing | null = null;
  #zoom: Interval | null = null;
  #isByKey = false;

  /** @param host takes the focus; its size is the chart's */
  constructor(host: HTMLElement, events: ChartEvents) {
    this.#host = host;
    this.#events = events;
    new ResizeObserver(() => this.#plot?.setSize(this.#size())).observe(host);
    host.addEventListener("keydown", (event) => this.#onKey(event));
    host.addEventListener("blur", () => this.#moveTo(null));
    this.#listenToTouch();
  }

  draw(drawing: Drawing, zoom: Interval | null): void {
    this.#drawing = drawing;
    this.#zoom = zoom;
    this.redraw();
  }

  /** Draws the same anew, for instance in the colours of another theme. */
  redraw(): void {
    this.#plot?.destroy();
    this.#plot = null;
    if (!this.#drawing || this.#drawing.table.t.length === 0) return;
    const { t, columns } = this.#drawing.table;
    this.#plot = new uPlot(this.#options(this.#drawing), [t, ...columns] as uPlot.AlignedData, this.#host);
  }

  clear(): void {
    this.#drawing = null;
    this.redraw();
  }

  setZoom(zoom: Interval | null): void {
    this.#zoom = zoom;
    const full = this.#fullSpan();
    if (this.#plot && full) this.#plot.setScale("x", { min: (zoom ?? full).from, max: (zoom ?? full).to });
  }

  /** Zooms around a time, by default the middle; more than 1 shows less. */
  zoomBy(factor: number, around?: number): void {
    const full = this.#fullSpan();
    if (!full) return;
    const { from, to } = this.#zoom ?? full;
    const center = around ?? (from + to) / 2;
    const zoom = { from: center - (center - from) / factor, to: center + (to - center) / factor };
    this.#show({ from: Math.max(zoom.from, full.from), to: Math.min(zoom.to, full.to) });
  }

  /** Shows an interval, or everything when it is no smaller than that. */
  #show(interval: Interval): void {
    const full = this.#fullSpan();
    if (!full || interval.to - interval.from < 2) return;
    if (interval.from <= full.from && interval.to >= full.to) this.#events.onReset();
    else this.#events.onZoom({ from: Math.round(interval.from), to: Math.round(interval.to) });
  }

  #reset(): null {
    this.#events.onReset();
    return null;
  }

  #fullSpan(): Interval | null {
    const { t } = this.#drawing?.table ?? { t: [] };
    if (t.length === 0) return null;
    const first = t[0];
    const last = t[t.length - 1];
    // One point alone needs room on both sides.
    return first === last ? { from: first - 43_200, to: last + 43_200 } : { from: first, to: last };
  }

  #size() {
    return { width: this.#host.clientWidth, height: this.#host.clientHeight };
  }

  #options({ table, lines, isLog, titles }: Drawing): uPlot.Options {
    const style = getComputedStyle(this.#host);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const font = `11px ${style.fontFamily}`;
    const units = [...new Set(lines.map(({ unit }) => unit))];
    const full = this.#fullSpan()!;
    const isNarrow = this.#host.clientWidth < 520;
    const axis = { font, stroke: color("--muted"), ticks: { show: false } };
    return {
      ...this.#size(),
      padding: [14, units.length > 1 ? 4 : 10, 0, 4],
      legend: { show: false },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      scales: {
        x: { time: true, min: (this.#zoom ?? full).from, max: (this.#zoom ?? full).to },
        ...Object.fromEntries(units.map((unit) => [unit, isLog ? LOG_SCALE : LINEAR_SCALE])),
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: isNarrow ? 64 : 90,
          size: 30,
          gap: 8,
          values: (_, splits, __, ___, step) => timeTicks(splits, step),
        },
        ...units.map((unit, i) => ({
          ...axis,
          stroke: color(axisColor(lines, unit)),
          scale: unit,
          side: i === 0 ? (3 as const) : (1 as const),
          grid:
            i === 0 ? { stroke: color("--grid"), width: 1, filter: isLog ? wholePowers : everySplit } : { show: false },
          size: isNarrow ? 52 : 64,
          gap: 8,
          space: 44,
          ...(isNarrow ? {} : { label: titles.get(unit)!, labelFont: font, labelSize: 22, labelGap: 2 }),
          values: (_: uPlot, splits: number[]) => tickLabels(splits, unit),
        })),
      ],
      series: [
        {},
        ...lines.map((line) => ({
          label: line.name,
          scale: line.unit,
          stroke: color(line.color),
          width: table.t.length > 1_500 ? 1 : 1.6,
          points: { show: table.t.length <= 40, size: 5, fill: color("--surface") },
          ...(lines.length === 1 && !isLog ? { fill: this.#fade(color(line.color)) } : {}),
        })),
      ],
      cursor: {
        y: false,
        points: { size: 8, width: 2, fill: () => color("--surface") },
        drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => this.#reset() },
      },
      hooks: {
        setCursor: [
          (plot) => this.#events.onRow(plot.cursor.left! >= 0 ? (plot.cursor.idx ?? null) : null, this.#isByKey),
        ],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width < 4) return;
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            this.#show({ from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") });
          },
        ],
      },
    };
  }

  /** A wash of the line's colour below it, gone at the bottom. */
  #fade(color: string) {
    return (plot: uPlot) => {
      const { top, height } = plot.bbox;
      if (!Number.isFinite(top) || height <= 0) return "transparent";
      const gradient = plot.ctx.createLinearGradient(0, top, 0, top + height);
      gradient.addColorStop(0, `${color}2e`);
      gradient.addColorStop(1, `${color}00`);
      return gradient;
    };
  }

  #onKey(event: KeyboardEvent): void {
    if (!this.#plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const [first, last] = this.#plot.series[0].idxs ?? [0, 0];
    const row = this.#plot.cursor.left! >= 0 ? this.#plot.cursor.idx : undefined;
    const { key } = event;
    if (key in KEY_STEP) this.#moveTo((row ?? last + 1) + KEY_STEP[key as keyof typeof KEY_STEP]);
    else if (key === "Home") this.#moveTo(first);
    else if (key === "End") this.#moveTo(last);
    else if (key === "+" || key === "=") this.zoomBy(WHEEL_STEP, this.#timeAt(row));
    else if (key === "-") this.zoomBy(1 / WHEEL_STEP, this.#timeAt(row));
    else if (key === "0" || key === "Escape") this.#events.onReset();
    else return;
    event.preventDefault();
  }

  #timeAt(row: number | null | undefined): number | undefined {
    return row === null || row === undefined ? undefined : this.#drawing?.table.t[row];
  }

  /** Puts the crosshair on a row of those in sight, or takes it away. */
  #moveTo(row: number | null): void {
    const plot = this.#plot;
    if (!plot) return;
    if (row === null) {
      plot.setCursor({ left: -10, top: -10 });
      return;
    }
    const [first, last] = plot.series[0].idxs ?? [0, 0];
    const time = plot.data[0][Math.max(first, Math.min(last, row))];
    this.#isByKey = true;
    plot.setCursor({ left: Math.max(0, plot.valToPos(time, "x")), top: 10 });
    this.#isByKey = false;
  }

  /** A finger moves the crosshair; two fingers zoom. Up and down still scroll the page. */
  #listenToTouch(): void {
    let spread: { from: number; to: number } | null = null;
    const times = (event: TouchEvent) => {
      const { left } = this.#plot!.over.getBoundingClientRect();
      return [...event.touches].map(({ clientX }) => this.#plot!.posToVal(clientX - left, "x")).sort((a, b) => a - b);
    };
    const follow = (event: TouchEvent) => {
      if (!this.#plot) return;
      const { left } = this.#plot.over.getBoundingClientRect();
      if (event.touches.length === 1) {
        const x = event.touches[0].clientX - left;
        this.#plot.setCursor({ left: Math.max(0, Math.min(x, this.#plot.over.clientWidth)), top: 10 });
      } else if (event.touches.length === 2) {
        const [from, to] = times(event);
        if (spread && to > from) {
          const { min, max } = this.#plot.scales.x;
          const factor = (spread.to - spread.from) / (to - from);
          const center = (spread.from + spread.to) / 2;
          const start = center - (center - min!) * factor;
          this.#show({ from: start, to: start + (max! - min!) * factor });
        } else spread = { from, to };
        event.preventDefault();
      }
    };
    this.#host.addEventListener("touchstart", follow, { passive: false });
    this.#host.addEventListener("touchmove", follow, { passive: false });
    this.#host.addEventListener("touchend", () => {
      spread = null;
    });
  }
}

/** Of two axes, one that is of a single line has its colour. */
function axisColor(lines: readonly Line[], unit: Unit): string {
  const own = lines.filter((line) => line.unit === unit);
  return own.length === 1 && own.length < lines.length ? own[0].color : "--muted";
}

const LINEAR_SCALE: uPlot.Scale = {
  range: (_, min, max) => (Number.isFinite(min) && Number.isFinite(max) ? linearRange(min, max) : [0, 1]),
};

const LOG_SCALE: uPlot.Scale = {
  distr: 3,
  log: 10,
  range: (_, min, max) =>
    min === null || max === null || !(min > 0) ? [1, 10] : uPlot.rangeLog(min, max * (min === max ? 10 : 1), 10, false),
};

const everySplit = (_: uPlot, splits: number[]) => splits;

/** On a log axis of some decades: 10, 100, 1000, and nothing between them. */
function wholePowers(_: uPlot, splits: number[]): (number | null)[] {
  const powers = splits.map((split) => (Number.isInteger(Math.round(Math.log10(split) * 1e6) / 1e6) ? split : null));
  return powers.filter((split) => split !== null).length > 1 ? powers : splits;
}
