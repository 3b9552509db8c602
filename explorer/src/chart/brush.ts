/** The strip below the charts: the whole history, with a window over what is visible. */

import { dateText } from "../format/time.ts";
import type { Interval } from "../state/chart-state.ts";
import { HEIGHT, outline, STEPS } from "./drawing/outline.ts";

export interface BrushEvents {
  /** The window has been moved; `isDone` once the pointer is released, and for every key. */
  onMove(interval: Interval, isDone: boolean): void;
}

/** The part of the history by which a key moves an edge. */
const KEY_STEP = 0.01;
/** The narrowest window, as a part of the history. */
const LEAST = 0.002;

type Grip = "from" | "to" | "window";

export class Brush {
  readonly #host: HTMLElement;
  readonly #events: BrushEvents;
  readonly #path: SVGPathElement;
  readonly #window = part("div", "brush-window");
  readonly #edges: Record<"from" | "to", HTMLElement>;
  #full: Interval = { from: 0, to: 1 };
  #visible: Interval = { from: 0, to: 1 };

  constructor(host: HTMLElement, events: BrushEvents) {
    this.#host = host;
    this.#events = events;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.#path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${STEPS} ${HEIGHT}`, preserveAspectRatio: "none" })) {
      svg.setAttribute(name, value);
    }
    svg.setAttribute("aria-hidden", "true");
    svg.append(this.#path);
    this.#edges = { from: this.#edge("from", "Start"), to: this.#edge("to", "End") };
    this.#window.append(this.#edges.from, this.#edges.to);
    host.append(svg, this.#window);
    host.addEventListener("pointerdown", (event) => this.#onPointer(event));
  }

  /** @param values over the whole history, at times in Unix seconds, ascending; NaN where there is none */
  draw(t: Float64Array, values: Float64Array, isLog: boolean): void {
    const [from, to] = [t[0], t[t.length - 1]];
    this.#host.hidden = from === undefined || to === undefined || from === to;
    if (from === undefined || to === undefined || from === to) return;
    this.#full = { from, to };
    this.#path.setAttribute("d", outline(t, values, isLog));
    this.#place();
  }

  /** Moves the window. */
  show(visible: Interval): void {
    this.#visible = visible;
    this.#place();
  }

  #place(): void {
    const { from, to } = this.#full;
    const share = (time: number) => Math.max(0, Math.min(1, (time - from) / (to - from)));
    const [left, right] = [share(this.#visible.from), share(this.#visible.to)];
    this.#window.style.left = `${100 * left}%`;
    this.#window.style.right = `${100 * (1 - right)}%`;
    for (const name of ["from", "to"] as const) {
      const edge = this.#edges[name];
      edge.setAttribute("aria-valuemin", String(from));
      edge.setAttribute("aria-valuemax", String(to));
      edge.setAttribute("aria-valuenow", String(this.#visible[name]));
      edge.setAttribute("aria-valuetext", dateText(this.#visible[name]));
    }
  }

  /** Moves an edge or the window, at most to the ends of the history. */
  #move(start: Interval, grip: Grip, by: number, isDone: boolean): void {
    const { from, to } = this.#full;
    const least = (to - from) * LEAST;
    const next = { ...start };
    if (grip === "from") next.from = Math.max(from, Math.min(start.from + by, start.to - least));
    else if (grip === "to") next.to = Math.min(to, Math.max(start.to + by, start.from + least));
    else {
      const shift = Math.max(from - start.from, Math.min(by, to - start.to));
      next.from += shift;
      next.to += shift;
    }
    const rounded = { from: Math.round(next.from), to: Math.round(next.to) };
    this.show(rounded);
    this.#events.onMove(rounded, isDone);
  }

  #onPointer(down: PointerEvent): void {
    const host = this.#host;
    const { left, width } = host.getBoundingClientRect();
    const perPixel = (this.#full.to - this.#full.from) / Math.max(1, width);
    const grip = ((down.target as HTMLElement).dataset.grip ?? "window") as Grip;
    let start = this.#visible;
    if (down.target === host || (down.target as Element).closest("svg")) {
      // Beside the window: it comes to the pointer.
      const center = this.#full.from + (down.clientX - left) * perPixel;
      this.#move(start, "window", center - (start.from + start.to) / 2, false);
      start = this.#visible;
    }
    host.setPointerCapture(down.pointerId);
    const move = ({ clientX }: PointerEvent) => this.#move(start, grip, (clientX - down.clientX) * perPixel, false);
    host.addEventListener("pointermove", move);
    host.addEventListener(
      "lostpointercapture",
      () => {
        host.removeEventListener("pointermove", move);
        this.#events.onMove(this.#visible, true);
      },
      { once: true },
    );
    if (grip !== "window") this.#edges[grip].focus({ preventScroll: true });
    down.preventDefault();
  }

  #edge(name: "from" | "to", title: string): HTMLElement {
    const edge = part("div", `brush-edge ${name}`);
    edge.dataset.grip = name;
    edge.tabIndex = 0;
    edge.setAttribute("role", "slider");
    edge.setAttribute("aria-label", `${title} of what is visible`);
    edge.addEventListener("keydown", (event) => {
      const { from, to } = this.#full;
      const step = (to - from) * KEY_STEP;
      const by = {
        ArrowLeft: -step,
        ArrowDown: -step,
        ArrowRight: step,
        ArrowUp: step,
        PageDown: -10 * step,
        PageUp: 10 * step,
        Home: from - to,
        End: to - from,
      }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      this.#move(this.#visible, name, by, true);
    });
    return edge;
  }
}

function part(tag: "div", className: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  return element;
}
