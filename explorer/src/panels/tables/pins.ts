/** Pins on the chart: the exact values of a row or, of two rows, what has changed from the earlier to the later. */

import { LONGEST_REMARK, MOST_REMARKS } from "../../../../data-schema/chart-link.ts";
import { DAY_SECONDS, isoTimeWithoutZone } from "../../../../data-schema/text.ts";
import type { Ask } from "../../api/load.ts";
import { visibleInterval } from "../../chart/frame.ts";
import { full } from "../../format/numbers.ts";
import { bucketTime } from "../../format/time.ts";
import type { Page, Session } from "../../session.ts";
import { addRemark } from "../../state/changes.ts";
import { visibleBounds } from "../../state/requests.ts";
import { copyText } from "../copy-text.ts";
import { announce, fill, h, isWithin, part } from "../dom.ts";
import { paneFrames } from "../legends/pane-frames.ts";
import { changeOf, type PinOrder, pinTable, rowAt, valuesOf } from "./pin-table.ts";
import { ProfilePanel } from "./profile-panel.ts";

const MOST_PINS = 2;
/** Pixels by which a click may move; a stretch that is dragged over is zoomed to. */
const CLICK = 4;

/** Days before a pin for which a second one is offered. */
const BEFORE = [
  { days: 7, title: "7 days before" },
  { days: 30, title: "30 days before" },
  { days: 365, title: "A year before" },
] as const;

/**
 * @param markRows marks rows of the table
 * @param ask for the distributions of single days
 */
export function connectPins(
  root: HTMLElement,
  session: Session,
  markRows: (rows: readonly number[]) => void,
  ask: Ask,
): void {
  /** The times of the pinned rows, ascending. */
  let pins: number[] = [];
  let order: PinOrder | null = null;
  /** Whether a note on the pins is being written. */
  let isNoting = false;
  const panel = part(root, "pins");
  const profiles = new ProfilePanel(ask);
  const show = () => {
    panel.hidden = pins.length === 0;
    if (panel.hidden) return fill(panel);
    const sort = (next: PinOrder | null) => {
      order = next;
      show();
    };
    const table = pinTable(session.page, pins, order, sort);
    const actions = isNoting
      ? noteForm(pins.length > 1, note, () => write(false))
      : pinActions(session.page, pins, { copy, clear, add, note: () => write(true) });
    fill(panel, table, actions, ...profiles.show(session.page, pins));
  };
  const write = (isBegun: boolean) => {
    isNoting = isBegun;
    show();
    panel.querySelector<HTMLElement>(isBegun ? "form input" : "[data-focus=pin-note]")?.focus();
  };
  const note = (text: string) => {
    const [from, to = null] = pins;
    if (session.page.chart.remarks.length >= MOST_REMARKS) {
      return session.note(`A chart has up to ${MOST_REMARKS} notes. Remove one first.`);
    }
    session.adjust((chart) => addRemark(chart, { from: from!, to, text }));
    isNoting = false;
    setPins([]);
    announce("Note added.");
  };
  const setPins = (times: readonly number[]) => {
    isNoting &&= times.length > 0;
    pins = times.toSorted((a, b) => a - b);
    show();
    placeMarks(root, session.page, pins);
    markRows(pins.flatMap((time) => rowAt(session.page.data.table, time) ?? []));
  };
  const clear = () => {
    setPins([]);
    announce("Pins removed.");
  };
  const copy = async () => {
    const isCopied = await copyText(textOf(session.page, pins));
    announce(isCopied ? "Values copied." : "The browser does not allow copying.");
  };
  const add = (time: number) => {
    const others = pins.filter((other) => other !== time);
    setPins(others.length < pins.length ? others : [...others.slice(-MOST_PINS + 1), time]);
    if (pins.length > 0) announce(spoken(session.page, pins));
  };
  const pin = () => {
    const { cursor, data } = session.page;
    const time = cursor && data.table.t[cursor.row];
    if (time !== undefined && time !== null) add(time);
  };

  let down = { x: 0, y: 0 };
  root.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => {
    down = { x, y };
  });
  root.addEventListener("click", (event) => {
    if (isWithin(event, ".u-over") && Math.hypot(event.clientX - down.x, event.clientY - down.y) < CLICK) pin();
  });
  root.addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && target instanceof Element && target.matches(".chart")) pin();
  });
  // Before the chart, where Escape ends the zoom.
  document.addEventListener(
    "keydown",
    (event) => {
      const isElsewhere = isWithin(event, "input, select, textarea, dialog");
      if (event.key !== "Escape" || pins.length === 0 || isElsewhere) return;
      event.stopPropagation();
      clear();
    },
    { capture: true },
  );
  document.addEventListener("copy", (event) => {
    const isOwn = getSelection()?.isCollapsed !== false && !document.activeElement?.matches("input, textarea");
    if (pins.length === 0 || !isOwn || !event.clipboardData) return;
    event.clipboardData.setData("text/plain", textOf(session.page, pins));
    event.preventDefault();
    announce("Values copied.");
  });

  // A plot is drawn anew whenever its lines change.
  const drawn = new MutationObserver(() => placeMarks(root, session.page, pins));
  session.watch(["traces"], ({ chart }) => {
    for (const { plot } of paneFrames(root, chart.panes.length)) drawn.observe(plot, { childList: true });
  });
  session.watch(["data", "zone"], ({ data }) => {
    if (pins.length === 0 || data.status === "loading") return;
    setPins(pins.filter((time) => rowAt(data.table, time) !== undefined));
  });
  session.watch(["zoom", "range"], (page) => placeMarks(root, page, pins));
}

/** @param done is called with a text */
function noteForm(isStretch: boolean, done: (text: string) => void, cancel: () => void): HTMLElement {
  const placeholder = isStretch ? "A note on this stretch" : "A note on this date";
  const input = h("input", { maxlength: LONGEST_REMARK, placeholder, "aria-label": placeholder, autocomplete: "off" });
  const onsubmit = (event: Event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text === "") cancel();
    else done(text);
  };
  const onkeydown = (event: KeyboardEvent) => event.key === "Escape" && cancel();
  return h("form", { class: "pin-actions", onsubmit, onkeydown }, input, h("button", { type: "submit" }, "Add note"));
}

/** What can be done with the pins. */
function pinActions(
  { data }: Page,
  pins: readonly number[],
  { copy, clear, add, note }: Record<"copy" | "clear" | "note", () => void> & { add: (time: number) => void },
): HTMLElement {
  const button = (text: string, title: string, onclick: () => void, focus: string) =>
    h("button", { type: "button", title, onclick, "data-focus": focus }, text);
  const before = BEFORE.map(({ days, title }) => {
    const time = pins.length > 1 ? undefined : data.table.t.findLast((one) => one <= pins[0]! - days * DAY_SECONDS);
    return time !== undefined && button(title, `Compare with ${title.toLowerCase()}`, () => add(time), `pin-${days}`);
  });
  return h(
    "div",
    { class: "pin-actions" },
    ...before,
    button("Note", "Write a note on it, which is part of the link and the picture", note, "pin-note"),
    button("Copy", "Copy the exact values (Ctrl C)", copy, "pin-copy"),
    button("Unpin", "Remove the pins (Escape)", clear, "pin-clear"),
  );
}

/** What is said of the latest pins. */
function spoken(page: Page, pins: readonly number[]): string {
  const { traces, chart, zone } = page;
  const moments = pins.map((time) => bucketTime(time, chart.resolution, zone)).join(" and ");
  const texts = traces.map((trace, i) => {
    const values = valuesOf(page, pins, i);
    return `${trace.name}: ${pins.length > 1 ? changeOf(page, values, i).join(", ") : full(values[0]!, trace.unit)}`;
  });
  return `Pinned ${moments}. ${texts.join("; ")}.`;
}

/** For the clipboard, in full precision: a single number alone, others as a table that spreadsheets take. */
function textOf(page: Page, pins: readonly number[]): string {
  const { traces } = page;
  const columns = traces.map((_, i) => valuesOf(page, pins, i));
  if (pins.length === 1 && traces.length === 1) return String(columns[0]![0]);
  const cell = (value: number) => (Number.isNaN(value) ? "" : String(value));
  const rows = pins.map((time, i) => [isoTimeWithoutZone(time), ...columns.map((values) => cell(values[i]!))]);
  return [["t", ...traces.map(({ code }) => code)], ...rows].map((cells) => cells.join("\t")).join("\n");
}

/** Draws the pins that are in view as lines over the plots. */
function placeMarks(root: HTMLElement, { data, chart, asset }: Page, pins: readonly number[]): void {
  const visible = visibleInterval([data.table], visibleBounds(chart, asset));
  for (const plot of root.querySelectorAll(".u-over")) {
    for (const mark of plot.querySelectorAll(".pin")) mark.remove();
    for (const time of visible ? pins : []) {
      const place = (time - visible!.from) / (visible!.to - visible!.from);
      if (place < 0 || place > 1) continue;
      const mark = h("i", { class: "pin" });
      mark.style.left = `${100 * place}%`;
      plot.append(mark);
    }
  }
}
