/** The controls above the charts: resolution, range and dates. */

import { DAY_SECONDS, isoTimeWithoutZone } from "../../../../data-schema/text.ts";
import type { Resolution } from "../../api/catalog.ts";
import { parseTime } from "../../format/time.ts";
import type { Page, Session } from "../../session.ts";
import { setRange, setResolution } from "../../state/changes.ts";
import { availableResolutions, contextOf, isLongEnough, type Preset } from "../../state/chart-state.ts";
import { shownPreset, visibleBounds } from "../../state/requests.ts";
import { part, setPressed } from "../dom.ts";

export function connectToolbar(root: HTMLElement, session: Session): void {
  for (const id of ["resolution", "range", "dates", "open-dates", "open-sheet", "close-sheet"]) {
    part<HTMLFieldSetElement | HTMLButtonElement>(root, id).disabled = false;
  }
  connectSheet(root);
  onPress<Resolution>(root, "resolution", (resolution) => session.change((chart) => setResolution(chart, resolution)));
  onPress<Preset>(root, "range", (preset) => session.change((chart) => setRange(chart, { preset })));
  part(root, "dates").addEventListener("change", () => setDates(root, session));
  part(root, "dates").addEventListener("input", ({ target }) => {
    // A date that is whole counts at once.
    if (isDay((target as HTMLInputElement).value)) setDates(root, session);
  });
  part(root, "dates").addEventListener("keydown", (event) => stepDay(event as KeyboardEvent, root, session));
  part(root, "open-dates").addEventListener("click", ({ currentTarget }) => {
    const button = currentTarget as HTMLElement;
    button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") === "false"));
  });
  session.watch(["traces", "resolution", "range"], (page) => renderResolution(root, page));
  session.watch(["traces", "resolution", "range", "zoom"], (page) => renderRange(root, page));
}

/** In a small window, all controls but the range are in a sheet at its lower edge, above which the chart can be seen. */
function connectSheet(root: HTMLElement): void {
  const opener = part(root, "open-sheet");
  const open = (isOpen: boolean) => opener.setAttribute("aria-expanded", String(isOpen));
  const close = () => {
    open(false);
    opener.focus();
  };
  opener.addEventListener("click", () => open(opener.getAttribute("aria-expanded") === "false"));
  part(root, "close-sheet").addEventListener("click", close);
  part(root, "sheet").addEventListener("keydown", (event) => {
    if (event.key === "Escape" && opener.getAttribute("aria-expanded") === "true") close();
  });
}

function onPress<T extends string>(root: HTMLElement, id: string, act: (value: T) => void): void {
  part(root, id).addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("button");
    if (button) act(button.value as T);
  });
}

function renderResolution(root: HTMLElement, { chart, catalog }: Page): void {
  const group = part(root, "resolution");
  const available = availableResolutions(chart.panes, contextOf(chart, catalog));
  setPressed(group, chart.resolution);
  for (const button of group.querySelectorAll("button")) {
    button.disabled = !available.includes(button.value as Resolution);
    button.title = button.disabled ? "Not available for this chart" : "";
  }
}

/** The buttons and fields tell what is visible: the zoom, or the range. */
function renderRange(root: HTMLElement, { chart, asset }: Page): void {
  const span = asset?.ranges[chart.resolution];
  const { since, until } = visibleBounds(chart, asset);
  const range = part(root, "range");
  setPressed(range, shownPreset(chart, asset) ?? "");
  for (const button of range.querySelectorAll("button")) {
    button.disabled = !isLongEnough(button.value as Preset, chart.resolution);
  }
  for (const [id, bound, edge] of [
    ["since", since, span?.first],
    ["until", until, span?.last],
  ] as const) {
    const input = part<HTMLInputElement>(root, id);
    input.value = (bound === null ? edge : isoTimeWithoutZone(bound))?.slice(0, 10) ?? "";
    input.title = span ? `A day from ${span.first.slice(0, 10)} to ${span.last.slice(0, 10)}` : "";
  }
}

function setDates(root: HTMLElement, session: Session): void {
  const { chart, asset } = session.page;
  const [first, last] = [textOf(root, "since"), textOf(root, "until")];
  const wrong = [first, last].find((text) => text !== "" && !isDay(text));
  const [since, lastDay] = [dayOf(first), dayOf(last)];
  const isReversed = since !== null && lastDay !== null && since > lastDay;
  if (wrong !== undefined || isReversed) {
    session.note(
      isReversed ? "The start date is after the end date." : `${wrong} is no date: write it like 2026-11-20.`,
    );
    renderRange(root, session.page);
    return;
  }
  // A range up to the latest day goes on with the data.
  const isLatest = last === asset?.ranges[chart.resolution]?.last.slice(0, 10);
  const until = lastDay === null || isLatest ? null : lastDay + DAY_SECONDS - 1;
  const { range, zoom } = chart;
  // Both events of a date that was typed come here.
  if (zoom === null && "since" in range && range.since === since && range.until === until) return;
  session.change((chart) => setRange(chart, { since, until }));
}

/** Arrow keys change a date by a day. */
function stepDay(event: KeyboardEvent, root: HTMLElement, session: Session): void {
  const input = event.target as HTMLInputElement;
  const days = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
  if (days === 0 || !isDay(input.value)) return;
  event.preventDefault();
  input.value = isoTimeWithoutZone(parseTime(input.value) + days * DAY_SECONDS).slice(0, 10);
  setDates(root, session);
}

const textOf = (root: HTMLElement, id: string) => part<HTMLInputElement>(root, id).value.trim();

/** Unix seconds; null for an empty text. */
const dayOf = (text: string): number | null => (text === "" ? null : parseTime(text));

/** Whether a text is a day that exists: 31 February would be read as one of March. */
function isDay(text: string): boolean {
  const seconds = text.length === 10 ? parseTime(text) : Number.NaN;
  return !Number.isNaN(seconds) && isoTimeWithoutZone(seconds).startsWith(text);
}
