/** The chart, the button that resets its zoom, and the footnote below it. */

import { MAX_POINTS } from "../api/load.ts";
import { Chart } from "../chart/chart.ts";
import { type Drawing, drawingOf } from "../chart/drawing.ts";
import { gapNote } from "../chart/price-gaps.ts";
import { full } from "../format/numbers.ts";
import { bucketTime } from "../format/time.ts";
import { type Page, type Session, visibleRows } from "../session.ts";
import type { Interval } from "../state/chart-state.ts";
import { announce, byId } from "./dom.ts";
import { THEME_CHANGE } from "./theme-switch.ts";

export function connectChart(session: Session): void {
  const host = byId("chart");
  const reset = byId("reset");
  const zoomTo = (zoom: Interval | null) => {
    session.adjust({ zoom });
    announce(describeZoom(session.page));
  };
  const chart = new Chart(host, {
    onCursor: (cursor) => session.setCursor(cursor),
    onZoom: (zoom) => {
      // While another chart is loading, the visible one can't be zoomed.
      if (session.page.data.table.t.length > 0) zoomTo(zoom);
    },
  });
  addEventListener(THEME_CHANGE, () => chart.redraw());
  reset.addEventListener("click", () => {
    zoomTo(null);
    host.focus({ preventScroll: true });
  });
  session.watch(["series"], ({ series, chart: { asset } }) => {
    host.setAttribute("aria-label", `Chart of ${series.map(({ name }) => name).join(", ")} for ${asset}`);
  });
  session.watch(["data", "scale", "notes"], (page) => {
    const { status } = page.data;
    const drawing = drawingOf(page);
    byId("frame").setAttribute("aria-busy", String(status === "loading"));
    // The old chart stays visible, dimmed, until there is a new one.
    if (status !== "loading") chart.draw(drawing, page.chart.zoom);
    renderFootnote(page, drawing);
  });
  session.watch(["zoom"], ({ data, chart: { zoom } }) => {
    reset.hidden = zoom === null;
    if (data.status === "loaded") chart.setZoom(zoom);
  });
}

function renderFootnote({ data, series, notes, asset }: Page, { dropped, gaps }: Drawing): void {
  const warnings = [...notes];
  // The failure of a chart without any points is reported in its place.
  const problems = data.table.t.length > 0 ? data.problems : [];
  for (const [i, problem] of problems.entries()) {
    if (problem) warnings.push(`${series[i]?.name}: ${problem.title}. ${problem.advice}`);
  }
  if (data.isTruncated) {
    const limit = full(MAX_POINTS, "count");
    warnings.push(`Showing the first ${limit} points. Choose a shorter range to see the rest.`);
  }
  const hints = dropped > 0 ? ["A log scale can't show values of zero or less, so these points are hidden."] : [];
  if (gaps.length > 0) hints.push(gapNote(gaps, asset?.price?.moreGaps));
  const footnote = byId("footnote");
  footnote.textContent = [...warnings, ...hints].join(" ");
  footnote.hidden = footnote.textContent === "";
  footnote.classList.toggle("warning", warnings.length > 0);
}

function describeZoom(page: Page): string {
  const { data, chart } = page;
  const { from, to } = visibleRows(page);
  if (to <= from) return "No points in view.";
  const [first, last] = [from, to - 1].map((row) => bucketTime(data.table.t[row]!, chart.resolution));
  return `${chart.zoom ? "Zoomed to" : "Showing"} ${first} to ${last}, ${to - from} points.`;
}
