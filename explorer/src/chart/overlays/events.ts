/** Marks of an asset's events at the lower edge of a plot: diamonds, and over each a place that tells what happened. */

import uPlot from "uplot";
import { type AssetEvent, type EventGroup, eventText, eventTime, grouped } from "../../data/events.ts";
import type { TimeZone } from "../../format/time.ts";
import type { Drawing } from "../drawing/drawing.ts";

/** Pixels: what a finger hits, and half of what is drawn. */
const MARK = 24;
const HALF = 5;
/** Events that a card lists; of more, it says how many. */
const MOST_LISTED = 8;

/** Groups in pixels of the page. */
const groupsOf = (plot: uPlot, events: readonly AssetEvent[]): EventGroup[] =>
  grouped(events, (time) => plot.valToPos(time, "x"), {
    width: plot.bbox.width / uPlot.pxRatio,
    markWidth: MARK,
  });

export function drawEvents(
  plot: uPlot,
  events: readonly AssetEvent[],
  { color }: { color(property: string): string },
): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const middle = bbox.top + bbox.height - (HALF + 3) * ratio;
  ctx.save();
  ctx.fillStyle = color("--accent");
  ctx.strokeStyle = color("--surface");
  ctx.lineWidth = 2 * ratio;
  for (const { x } of groupsOf(plot, events)) {
    const center = bbox.left + x * ratio;
    const size = HALF * ratio;
    ctx.beginPath();
    ctx.moveTo(center, middle - size);
    ctx.lineTo(center + size, middle);
    ctx.lineTo(center, middle + size);
    ctx.lineTo(center - size, middle);
    ctx.closePath();
    ctx.stroke();
    ctx.fill();
  }
  ctx.restore();
}

/** A plot's marks as elements. They are the plot's: they leave the page with it. */
export class EventMarks {
  readonly #root = document.createElement("div");
  #shown = "";

  constructor(plot: uPlot) {
    this.#root.className = "events";
    plot.over.after(this.#root);
    // A card that hides what one wants to see goes.
    this.#root.addEventListener("keydown", ({ key, target }) => {
      if (key === "Escape" && target instanceof HTMLElement) target.blur();
    });
  }

  /** Follows what the plot shows. */
  show(plot: uPlot, { events, zone }: Pick<Drawing, "events" | "zone">): void {
    const groups = groupsOf(plot, events);
    const { offsetLeft, offsetTop, clientWidth, clientHeight } = plot.over;
    const shown = JSON.stringify([groups, zone, offsetLeft, offsetTop, clientWidth, clientHeight]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const { style } = this.#root;
    style.left = `${offsetLeft}px`;
    style.top = `${offsetTop + clientHeight}px`;
    style.setProperty("--room", `${clientHeight - MARK - 8}px`);
    this.#root.replaceChildren(...groups.map((group) => markOf(group, zone, clientWidth)));
  }
}

function markOf({ x, events }: EventGroup, zone: TimeZone, width: number): HTMLElement {
  const place = document.createElement("div");
  place.className = x > width / 2 ? "event to-left" : "event";
  place.style.left = `${x}px`;
  // The card stays within the plot: a hidden one, too, would make a phone's page wider.
  place.style.setProperty("--beside", `${Math.max(x, width - x) + MARK / 2}px`);
  const button = document.createElement("button");
  button.type = "button";
  const [first] = events;
  const more = events.length - 1;
  button.ariaLabel = `${eventText(first!, zone)}${more > 0 ? `, and ${more} more` : ""}`;
  const card = document.createElement("div");
  card.className = "event-card";
  for (const event of events.slice(0, MOST_LISTED)) card.append(lineOf(event, zone));
  if (events.length > MOST_LISTED) card.append(`and ${events.length - MOST_LISTED} more`);
  place.append(button, card);
  return place;
}

function lineOf(event: AssetEvent, zone: TimeZone): HTMLElement {
  const line = document.createElement("p");
  const time = document.createElement("span");
  time.textContent = eventTime(event.t, zone);
  if (event.link === null) {
    line.append(time, ` ${event.title}`);
    return line;
  }
  const link = document.createElement("a");
  Object.assign(link, { href: event.link, target: "_blank", rel: "noopener noreferrer", textContent: event.title });
  line.append(time, " ", link);
  return line;
}
