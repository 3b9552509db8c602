/** Pins on the chart: the exact values of a row or, of two rows, what has changed from the earlier to the later. */

import { LONGEST_REMARK, MOST_PINS, MOST_REMARKS } from "../../../../data-schema/chart-link.ts";
import { DAY_SECONDS, isoTimeWithoutZone } from "../../../../data-schema/text.ts";
import type { Ask } from "../../api/load.ts";
import { full } from "../../format/numbers.ts";
import { bucketTime } from "../../format/time.ts";
import { type Page, pinnedRows, pinnedTimes, type Session } from "../../session.ts";
import { addRemark } from "../../state/changes.ts";
import { copyText } from "../copy-text.ts";
import { announce, fill, h, isWithin, part } from "../dom.ts";
import { changeOf, type PinOrder, pinTable, valuesOf } from "./pin-table.ts";
import { ProfilePanel } from "./profile-panel.ts";

/** Pixels by which a click may move; a stretch that is dragged over is zoomed to. */
const CLICK = 4;

/** Days before a pin for which a second one is offered. */
const BEFORE = [
  { days: 7, title: "7 days before" },
  { days: 30, title: "30 days before" },
  { days: 365, title: "A year before" },
] as const;

/** @param ask for the distributions of single days */
export function connectPins(root: HTMLElement, session: Session, ask: Ask): void {
  let order: PinOrder | null = null;
  /** Whether a note on the pins is being written. */
  let isNoting = false;
  const panel = part(root, "pins");
  const profiles = new ProfilePanel(ask);
  const show = () => {
    const pins = pinnedTimes(session.page);
    isNoting &&= pins.length > 0;
    panel.hidden = pins.length === 0;
    if (panel.hidden) return fill(panel);
    const sort = (next: PinOrder | null) => {
      order = next;
      show();
    };
    const table = pinTable(session.page, pins, order, sort);
    const actions = isNoting
      ? noteForm(pins.length > 1, note, () => write(false))
      : pinActions(session.page, pins, { copy, clear, add, day, note: () => write(true) });
    fill(panel, table, actions, ...profiles.show(session.page, pins));
  };
  const write = (isBegun: boolean) => {
    isNoting = isBegun;
    show();
    panel.querySelector<HTMLElement>(isBegun ? "form input" : "[data-focus=pin-note]")?.focus();
  };
  const note = (text: string) => {
    const [from, to = null] = pinnedTimes(session.page);
    if (session.page.chart.remarks.length >= MOST_REMARKS) {
      return session.note(`A chart has up to ${MOST_REMARKS} notes. Remove one first.`);
    }
    isNoting = false;
    session.adjust((chart) => addRemark({ ...chart, pins: [] }, { from: from!, to, text }));
    announce("Note added.");
  };
  const setPins = (times: readonly number[]) =>
    session.adjust((chart) => ({ ...chart, pins: times.toSorted((a, b) => a - b) }));
  const clear = () => {
    setPins([]);
    announce("Pins removed.");
  };
  const day = () => session.adjust((chart) => ({ ...chart, isDayOpen: !chart.isDayOpen }));
  const copy = async () => {
    const isCopied = await copyText(textOf(session.page));
    announce(isCopied ? "Values copied." : "The browser does not allow copying.");
  };
  const add = (time: number) => {
    const pins = pinnedTimes(session.page);
    const others = pins.filter((other) => other !== time);
    setPins(others.length < pins.length ? others : [...others.slice(-MOST_PINS + 1), time]);
    const spoken = pinnedText(session.page);
    if (spoken !== "") announce(spoken);
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
      if (event.key !== "Escape" || pinnedRows(session.page).length === 0 || isElsewhere) return;
      event.stopPropagation();
      clear();
    },
    { capture: true },
  );
  document.addEventListener("copy", (event) => {
    const isOwn = getSelection()?.isCollapsed !== false && !document.activeElement?.matches("input, textarea");
    if (pinnedRows(session.page).length === 0 || !isOwn || !event.clipboardData) return;
    event.clipboardData.setData("text/plain", textOf(session.page));
    event.preventDefault();
    announce("Values copied.");
  });

  session.watch(["data", "zone", "pins", "isDayOpen"], (page) => {
    // The old values stay until there are new ones.
    if (page.data.status === "loading" && page.chart.pins.length > 0) return;
    show();
  });
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
  { data, chart }: Page,
  pins: readonly number[],
  {
    copy,
    clear,
    add,
    note,
    day,
  }: Record<"copy" | "clear" | "note" | "day", () => void> & { add: (time: number) => void },
): HTMLElement {
  const button = (text: string, title: string, onclick: () => void, focus: string, isOpen?: boolean) =>
    h("button", { type: "button", title, onclick, "data-focus": focus, "aria-expanded": isOpen?.toString() }, text);
  const before = BEFORE.map(({ days, title }) => {
    const time = pins.length > 1 ? undefined : data.table.t.findLast((one) => one <= pins[0]! - days * DAY_SECONDS);
    return time !== undefined && button(title, `Compare with ${title.toLowerCase()}`, () => add(time), `pin-${days}`);
  });
  return h(
    "div",
    { class: "pin-actions" },
    ...before,
    button("What happened", "Its events, largest changes and largest transfers", day, "pin-day", chart.isDayOpen),
    button("Note", "Write a note on it, which is part of the link and the picture", note, "pin-note"),
    button("Copy", "Copy the exact values (Ctrl C)", copy, "pin-copy"),
    button("Unpin", "Remove the pins (Escape)", clear, "pin-clear"),
  );
}

/** What is pinned, in a sentence for each line or, of two pins, what has changed; empty without pins. */
export function pinnedText(page: Page): string {
  const { traces, chart, zone } = page;
  const pins = pinnedTimes(page);
  if (pins.length === 0) return "";
  const moments = pins.map((time) => bucketTime(time, chart.resolution, zone)).join(" and ");
  const texts = traces.map((trace, i) => {
    const values = valuesOf(page, pins, i);
    return `${trace.name}: ${pins.length > 1 ? changeOf(page, values, i).join(", ") : full(values[0]!, trace.unit)}`;
  });
  return `Pinned ${moments}. ${texts.join("; ")}.`;
}

/** For the clipboard, in full precision: a single number alone, others as a table that spreadsheets take. */
function textOf(page: Page): string {
  const { traces } = page;
  const pins = pinnedTimes(page);
  const columns = traces.map((_, i) => valuesOf(page, pins, i));
  if (pins.length === 1 && traces.length === 1) return String(columns[0]![0]);
  const cell = (value: number) => (Number.isNaN(value) ? "" : String(value));
  const rows = pins.map((time, i) => [isoTimeWithoutZone(time), ...columns.map((values) => cell(values[i]!))]);
  return [["t", ...traces.map(({ code }) => code)], ...rows].map((cells) => cells.join("\t")).join("\n");
}
