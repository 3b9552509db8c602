/** The controls above the charts: resolution, range and dates. */

import type { Resolution } from "../api/catalog.ts";
import { DAY, isoTime, parseTime } from "../format/time.ts";
import type { Page, Session } from "../session.ts";
import { setRange, setResolution } from "../state/changes.ts";
import { availableResolutions, contextOf, isLongEnough, type Preset } from "../state/chart-state.ts";
import { shownPreset, visibleBounds } from "../state/requests.ts";
import { part, setPressed } from "./dom.ts";

export function connectToolbar(root: HTMLElement, session: Session): void {
  for (const id of ["resolution", "range", "dates", "open-dates"]) {
    part<HTMLFieldSetElement | HTMLButtonElement>(root, id).disabled = false;
  }
  onPress<Resolution>(root, "resolution", (resolution) => session.change((chart) => setResolution(chart, resolution)));
  onPress<Preset>(root, "range", (preset) => session.change((chart) => setRange(chart, { preset })));
  part(root, "dates").addEventListener("change", () => setDates(root, session));
  part(root, "open-dates").addEventListener("click", ({ currentTarget }) => {
    const button = currentTarget as HTMLElement;
    button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") === "false"));
  });
  session.watch(["traces", "resolution", "range"], (page) => renderResolution(root, page));
  session.watch(["traces", "resolution", "range", "zoom"], (page) => renderRange(root, page));
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
    input.value = (bound === null ? edge : isoTime(bound))?.slice(0, 10) ?? "";
    input.min = span?.first.slice(0, 10) ?? "";
    input.max = span?.last.slice(0, 10) ?? "";
  }
}

function setDates(root: HTMLElement, session: Session): void {
  const [since, lastDay] = [startOfDay(root, "since"), startOfDay(root, "until")];
  if (since !== null && lastDay !== null && since > lastDay) session.note("The start date is after the end date.");
  else {
    const { value, max } = part<HTMLInputElement>(root, "until");
    // A range up to the latest day goes on with the data.
    const until = lastDay === null || value === max ? null : lastDay + DAY - 1;
    session.change((chart) => setRange(chart, { since, until }));
  }
}

/** Unix seconds; null for an empty input. */
function startOfDay(root: HTMLElement, id: string): number | null {
  const seconds = parseTime(part<HTMLInputElement>(root, id).value);
  return Number.isNaN(seconds) ? null : seconds;
}
