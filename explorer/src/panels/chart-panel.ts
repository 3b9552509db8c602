/** The chart, and the footnote below it. */

import { MAX_POINTS } from "../api/load.ts";
import { Chart } from "../chart/chart.ts";
import { type Drawing, drawingOf } from "../chart/drawing.ts";
import { full } from "../format/numbers.ts";
import { bucketTime } from "../format/time.ts";
import { type Page, type Session, visibleRows } from "../session.ts";
import type { Interval } from "../state/chart-state.ts";
import { announce, byId } from "./dom.ts";
import { THEME_CHANGE } from "./theme-switch.ts";

export class ChartPanel {
  readonly #session: Session;
  readonly #host = byId("chart");
  readonly #frame = byId("frame");
  readonly #footnote = byId("footnote");
  readonly #chart: Chart;

  constructor(session: Session) {
    this.#session = session;
    this.#chart = new Chart(this.#host, {
      onCursor: (cursor) => session.setCursor(cursor),
      onZoom: (zoom) => {
        // While another chart is loading, the one that is visible can't be zoomed.
        if (session.page.data.table.t.length > 0) this.#zoom(zoom);
      },
    });
    addEventListener(THEME_CHANGE, () => this.#chart.redraw());
    byId("reset").addEventListener("click", () => {
      this.#zoom(null);
      this.#host.focus({ preventScroll: true });
    });
    session.watch(
      ({ series }) => [series],
      ({ series, chart }) => {
        const names = series.map(({ name }) => name).join(", ");
        this.#host.setAttribute("aria-label", `Chart of ${names} for ${chart.asset}`);
      },
    );
    session.watch(
      ({ data, chart, notes }) => [data, chart.scale, notes],
      (page) => this.#render(page),
    );
    session.watch(
      ({ chart }) => [chart.zoom],
      ({ data, chart }) => {
        if (data.status !== "loading") this.#chart.setZoom(chart.zoom);
      },
    );
  }

  #render(page: Page): void {
    const drawing = drawingOf(page);
    const { data, chart } = page;
    this.#frame.setAttribute("aria-busy", String(data.status === "loading"));
    // The old chart stays visible, dimmed, until there is a new one.
    if (data.status === "loaded") this.#chart.draw(drawing, chart.zoom);
    if (data.status === "no key") this.#chart.clear();
    this.#renderFootnote(page, drawing);
  }

  #renderFootnote({ data, series, notes }: Page, { dropped }: Drawing): void {
    const hasPoints = data.table.t.length > 0;
    const failed = series.flatMap(({ name }, i) => {
      const problem = data.problems[i];
      return problem && hasPoints ? `${name}: ${problem.title}. ${problem.advice}` : [];
    });
    const truncated = data.isTruncated
      ? [`Showing the first ${full(MAX_POINTS, "count")} points. Choose a shorter range to see the rest.`]
      : [];
    const warnings = [...notes, ...failed, ...truncated];
    const hints = dropped > 0 ? ["A log scale can't show values of zero or less, so these points are hidden."] : [];
    this.#footnote.textContent = [...warnings, ...hints].join(" ");
    this.#footnote.hidden = this.#footnote.textContent === "";
    this.#footnote.classList.toggle("warning", warnings.length > 0);
  }

  #zoom(zoom: Interval | null): void {
    this.#session.adjust({ zoom });
    announce(describeZoom(this.#session.page));
  }
}

function describeZoom(page: Page): string {
  const { data, chart } = page;
  const { from, to } = visibleRows(page);
  const [first, last] = [data.table.t[from], data.table.t[to - 1]];
  if (to <= from || first === undefined || last === undefined) return "No points in view.";
  const verb = chart.zoom ? "Zoomed to" : "Showing";
  const { resolution } = chart;
  return `${verb} ${bucketTime(first, resolution)} to ${bucketTime(last, resolution)}, ${to - from} points.`;
}
