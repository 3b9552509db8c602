/** The controls above the charts: resolution, range and dates. */

import type { Resolution } from "../api/catalog.ts";
import { DAY, isoTime, parseTime } from "../format/time.ts";
import type { Page, Session } from "../session.ts";
import { setRange, setResolution } from "../state/changes.ts";
import { availableResolutions, contextOf, isLongEnough, type Preset } from "../state/chart-state.ts";
import { shownPreset, visibleBounds } from "../state/requests.ts";
import { byId, setPressed } from "./dom.ts";

export function connectToolbar(session: Session): void {
  for (const id of ["resolution", "range", "dates", "open-dates"]) {
    byId<HTMLFieldSetElement | HTMLButtonElement>(id).disabled = false;
  }
  onPress<Resolution>("resolution", (resolution) => session.change((chart) => setResolution(chart, resolution)));
  onPress<Preset>("range", (preset) => session.change((chart) => setRange(chart, { preset })));
  byId("dates").addEventListener("change", () => setDates(session));
  byId("open-dates").addEventListener("click", ({ currentTarget }) => {
    const button = currentTarget as HTMLElement;
    button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") === "false"));
  });
  session.watch(["traces", "resolution", "range"], renderResolution);
  session.watch(["traces", "resolution", "range", "zoom"], renderRange);
}

function onPress<T extends string>(id: string, act: (value: T) => void): void {
  byId(id).addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("button");
    if (button) act(button.value as T);
  });
}

function renderResolution({ chart, catalog }: Page): void {
  const group = byId("resolution");
  const available = availableResolutions(chart.panes, contextOf(chart, catalog));
  setPressed(group, chart.resolution);
  for (const button of group.querySelectorAll("button")) {
    button.disabled = !available.includes(button.value as Resolution);
    button.title = button.disabled ? "Not available for this chart" : "";
  }
}

/** The buttons and fields tell what is visible: the zoom, or the range. */
function renderRange({ chart, asset }: Page): void {
  const span = asset?.ranges[chart.resolution];
  const { since, until } = visibleBounds(chart, asset);
  const range = byId("range");
  setPressed(range, shownPreset(chart, asset) ?? "");
  for (const button of range.querySelectorAll("button")) {
    button.disabled = !isLongEnough(button.value as Preset, chart.resolution);
  }
  for (const [id, bound, edge] of [
    ["since", since, span?.first],
    ["until", until, span?.last],
  ] as const) {
    const input = byId<HTMLInputElement>(id);
    input.value = (bound === null ? edge : isoTime(bound))?.slice(0, 10) ?? "";
    input.min = span?.first.slice(0, 10) ?? "";
    input.max = span?.last.slice(0, 10) ?? "";
  }
}

function setDates(session: Session): void {
  const [since, lastDay] = [startOfDay("since"), startOfDay("until")];
  if (since !== null && lastDay !== null && since > lastDay) session.note("The start date is after the end date.");
  else {
    const { value, max } = byId<HTMLInputElement>("until");
    // A range up to the latest day goes on with the data.
    const until = lastDay === null || value === max ? null : lastDay + DAY - 1;
    session.change((chart) => setRange(chart, { since, until }));
  }
}

/** Unix seconds; null for an empty input. */
function startOfDay(id: string): number | null {
  const seconds = parseTime(byId<HTMLInputElement>(id).value);
  return Number.isNaN(seconds) ? null : seconds;
}
