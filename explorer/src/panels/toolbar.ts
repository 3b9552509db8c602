/** The controls above the chart: resolution, range, dates, zoom and scale. */

import { findAsset, type Resolution } from "../api/catalog.ts";
import { DAY, parseTime } from "../format/time.ts";
import type { Page, Session } from "../session.ts";
import { setRange, setResolution } from "../state/changes.ts";
import { availableResolutions, type ChartState, type Preset } from "../state/chart-state.ts";
import { rangeBounds } from "../state/requests.ts";
import { byId, setPressed } from "./dom.ts";

export class Toolbar {
  readonly #session: Session;
  readonly #resolution = byId<HTMLFieldSetElement>("resolution");
  readonly #range = byId<HTMLFieldSetElement>("range");
  readonly #scale = byId<HTMLFieldSetElement>("scale");
  readonly #openDates = byId<HTMLButtonElement>("open-dates");
  readonly #dates = byId<HTMLFieldSetElement>("dates");
  readonly #since = byId<HTMLInputElement>("since");
  readonly #until = byId<HTMLInputElement>("until");
  readonly #reset = byId<HTMLButtonElement>("reset");

  constructor(session: Session) {
    this.#session = session;
    onPress<Resolution>(this.#resolution, (resolution) =>
      session.show(setResolution(session.page.chart, resolution, session.page.catalog)),
    );
    onPress<Preset>(this.#range, (preset) => session.show(setRange(session.page.chart, { preset })));
    onPress<ChartState["scale"]>(this.#scale, (scale) => session.adjust({ scale }));
    this.#openDates.addEventListener("click", () => {
      const isOpen = this.#openDates.getAttribute("aria-expanded") === "true";
      this.#openDates.setAttribute("aria-expanded", String(!isOpen));
    });
    this.#dates.addEventListener("change", () => this.#setDates());
    for (const control of [this.#resolution, this.#range, this.#scale, this.#openDates, this.#dates]) {
      control.disabled = false;
    }
    session.watch(
      ({ series, chart }) => [series, chart.resolution, chart.range],
      (page) => this.#render(page),
    );
    session.watch(
      ({ chart }) => [chart.scale],
      ({ chart }) => setPressed(this.#scale, chart.scale),
    );
    session.watch(
      ({ chart }) => [chart.zoom],
      ({ chart }) => {
        this.#reset.hidden = chart.zoom === null;
      },
    );
  }

  #render({ chart, catalog }: Page): void {
    const asset = findAsset(catalog, chart.asset);
    const available = availableResolutions(chart.series, catalog, asset);
    setPressed(this.#resolution, chart.resolution);
    for (const button of this.#resolution.querySelectorAll("button")) {
      button.disabled = !available.includes(button.value as Resolution);
      button.title = button.disabled ? "Not available for this chart" : "";
    }
    setPressed(this.#range, "preset" in chart.range ? chart.range.preset : "");
    const span = asset?.ranges[chart.resolution];
    const { since, until } = rangeBounds(chart, asset);
    this.#since.value = dateOf(since) ?? span?.first.slice(0, 10) ?? "";
    this.#until.value = dateOf(until) ?? span?.last.slice(0, 10) ?? "";
    for (const input of [this.#since, this.#until]) {
      input.min = span?.first.slice(0, 10) ?? "";
      input.max = span?.last.slice(0, 10) ?? "";
    }
  }

  #setDates(): void {
    const since = startOfDay(this.#since);
    const lastDay = startOfDay(this.#until);
    if (since !== null && lastDay !== null && since > lastDay) {
      this.#session.note("The start date is after the end date.");
      return;
    }
    const until = lastDay === null ? null : lastDay + DAY - 1;
    this.#session.show(setRange(this.#session.page.chart, { since, until }));
  }
}

function onPress<T extends string>(group: HTMLElement, act: (value: T) => void): void {
  group.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("button");
    if (button) act(button.value as T);
  });
}

function dateOf(seconds: number | null): string | undefined {
  return seconds === null ? undefined : new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** Unix seconds; null for an empty input. */
function startOfDay(input: HTMLInputElement): number | null {
  const seconds = parseTime(input.value);
  return Number.isNaN(seconds) ? null : seconds;
}
