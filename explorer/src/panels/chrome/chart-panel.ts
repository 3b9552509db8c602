/** The plots of all panes, the button that resets their zoom, and the footnote below them. */

import { isCalendar } from "../../../../data-schema/registry.ts";
import { MAX_POINTS } from "../../api/load.ts";
import { Problem } from "../../api/problem.ts";
import { Chart } from "../../chart/chart.ts";
import { countOutliers, type Drawing, drawingsOf, eventsIn } from "../../chart/drawing/drawing.ts";
import { gapNote } from "../../chart/drawing/price-gaps.ts";
import { restatedIn, restatedNote, restatedStretches } from "../../chart/drawing/restated.ts";
import type { EventLog } from "../../data/events.ts";
import { RestatementLog } from "../../data/restatements.ts";
import { full } from "../../format/numbers.ts";
import { bucketLength, bucketTime, dateText, parseTime } from "../../format/time.ts";
import { depositNotes } from "../../lines/deposit-note.ts";
import { type Page, pinnedTimes, type Session, visibleRows } from "../../session.ts";
import { showInterval } from "../../state/changes.ts";
import { contextOf, type Pane } from "../../state/chart-state.ts";
import { inputSeries, visibleBounds } from "../../state/requests.ts";
import { announce, fill, h, part } from "../dom.ts";
import { paneFrames } from "../legends/pane-frames.ts";
import { THEME_CHANGE } from "./theme-switch.ts";

/**
 * @param calendar of the assets; charts of one page share it, like the next
 * @param log of the restated points
 * @param until the chart is taken off the page
 */
export function connectChart(
  root: HTMLElement,
  session: Session,
  calendar: EventLog,
  { log = new RestatementLog(), until }: { log?: RestatementLog; until?: AbortSignal } = {},
): Chart {
  const reset = part(root, "reset");
  const zoomTo = (interval: Parameters<typeof showInterval>[1]) => {
    session.adjust((chart) => showInterval(chart, interval));
    announce(describeZoom(session.page));
  };
  const chart = new Chart({
    onCursor: (cursor) => session.setCursor(cursor),
    onZoom: (interval) => {
      // While another chart is loading, the visible one can't be zoomed.
      if (session.page.data.table.t.length > 0) zoomTo(interval);
    },
    onFocus: (pane) => session.activate(pane),
  });
  addEventListener(THEME_CHANGE, () => chart.redraw(), until && { signal: until });
  reset.addEventListener("click", () => {
    zoomTo(null);
    part(root, "chart").focus({ preventScroll: true });
  });
  session.watch(["traces"], ({ traces, chart: { asset, panes } }) => {
    const frames = paneFrames(root, panes.length);
    chart.hosts = frames.map(({ plot }) => plot);
    for (const [pane, { section, plot }] of frames.entries()) {
      const names = traces.filter((trace) => trace.pane === pane).map(({ name }) => name);
      const place = panes.length > 1 ? `, ${pane + 1} of ${panes.length}` : "";
      plot.setAttribute("aria-label", `Chart of ${names.join(", ")} for ${asset}${place}`);
      // One of several is a region; the only one is what surrounds it.
      if (panes.length > 1) section.setAttribute("aria-label", `Chart ${pane + 1}: ${names.join(", ")}`);
      else section.removeAttribute("aria-label");
    }
  });
  session.watch(["panes", "activePane"], ({ chart: { panes }, activePane }) => {
    for (const [pane, { section }] of paneFrames(root, panes.length).entries()) {
      section.classList.toggle("active", panes.length > 1 && pane === activePane);
    }
  });
  let drawings: Drawing[] = [];
  session.watch(["data", "panes", "notes", "zone", "remarks", "alert"], (page) => {
    const { status } = page.data;
    drawings = drawingsOf(page);
    part(root, "frame").setAttribute("aria-busy", String(status === "loading"));
    // The old chart stays visible, dimmed, until there is a new one.
    if (status !== "loading") chart.draw(drawings, visibleBounds(page.chart, page.asset));
    renderFootnote(root, page, drawings);
  });
  session.watch(["data"], ({ data, chart, catalog }) => {
    if (data.table.t.length === 0) return;
    const assets = new Set(inputSeries(chart, catalog).map(({ asset }) => asset));
    void log.ask([...assets]).then((restatements) => session.setRestatements(restatements));
  });
  session.watch(["restatements"], (page) => {
    if (page.restatements.length === 0 || page.data.status !== "loaded") return;
    const last = page.data.table.t.at(-1) ?? 0;
    chart.mark((pane) => ({ restated: restatedStretches(restatedIn(page, pane), last) }));
    renderFootnote(root, page, drawings);
  });
  session.watch(["data", "asset"], ({ data, asset }) => {
    // What the chart draws comes first.
    if (data.status !== "loaded" || !asset?.events) return;
    void calendar.of(asset.symbol).then((events) => {
      // By then, the chart may be another asset's.
      if (session.page.asset === asset) session.setEvents(events);
    });
  });
  session.watch(["events"], (page) => {
    if (page.data.status === "loaded") chart.mark((pane) => ({ events: eventsIn(page, pane) }));
  });
  session.watch(["pins"], (page) => chart.mark(() => ({ pins: pinnedTimes(page) })));
  session.watch(["zoom", "range"], (page) => {
    reset.hidden = page.chart.zoom === null;
    if (page.data.status !== "loaded") return;
    const isIndexed = page.chart.panes.some((pane) => pane.isIndexed);
    if (isIndexed) drawings = drawingsOf(page);
    chart.show(visibleBounds(page.chart, page.asset), isIndexed ? drawings : undefined);
    renderFootnote(root, page, drawings);
  });
  return chart;
}

function renderFootnote(root: HTMLElement, page: Page, drawings: readonly Drawing[]): void {
  const { data, traces, notes, asset, chart } = page;
  const warnings = [...notes];
  // The failure of a chart without any points is reported in its place.
  const problems = data.table.t.length > 0 ? data.problems : [];
  for (const [i, problem] of problems.entries()) {
    if (problem) warnings.push(`${traces[i]?.name}: ${problem.title}. ${problem.advice}`);
  }
  for (const heat of data.heats) {
    if (heat instanceof Problem) warnings.push(`Heatmap: ${heat.title}. ${heat.advice}`);
  }
  for (const [text, problem] of (data.levels ?? []).flatMap((levels) => [...levels])) {
    if (problem instanceof Problem) warnings.push(`Level ${text}: ${problem.title}. ${problem.advice}`);
  }
  if (data.isTruncated) {
    const limit = full(MAX_POINTS, "count");
    warnings.push(`Showing the first ${limit} points. Choose a shorter range to see the rest.`);
  }
  const count = (of: (drawing: Drawing) => number) => drawings.reduce((sum, drawing) => sum + of(drawing), 0);
  const hints: string[] = [];
  if (count(({ dropped }) => dropped) > 0)
    hints.push("A log scale can't show values of zero or less, so these points are hidden.");
  if (drawings.some((drawing, pane) => isUnrevised(drawing, chart.panes[pane]!))) {
    hints.push("Nothing was revised: every value is still as it was first published.");
  }
  const firstPrice = drawings.find((drawing) => drawing.firstPrice !== null)?.firstPrice ?? null;
  if (firstPrice !== null) {
    hints.push(`There is no price before ${dateText(firstPrice)}: values that rest on it begin then.`);
  }
  const outliers = count((drawing) => countOutliers(drawing, visibleRows(page)));
  if (outliers > 0) {
    hints.push(
      `Triangles at the edge mark ${outliers === 1 ? "a point" : `${full(outliers, "count")} points`} beyond the scale.`,
    );
  }
  const gaps = drawings.find((drawing) => drawing.gaps.length > 0)?.gaps ?? [];
  if (gaps.length > 0) hints.push(gapNote(gaps, asset?.price?.moreGaps));
  const restated = restatedNote([...new Set(chart.panes.flatMap((_, pane) => restatedIn(page, pane)))], page);
  if (restated !== null) hints.push(restated);
  hints.push(
    ...depositNotes(
      chart.panes.flatMap(({ lines }) => lines),
      contextOf(chart, page.catalog),
    ),
  );
  const open = openBucketNote(page);
  if (open !== null) hints.push(open);
  const footnote = part(root, "footnote");
  const warning = warnings.length > 0 && h("p", { class: "warning" }, warnings.join(" "));
  const hint = hints.length > 0 && h("p", {}, hints.join(" "));
  fill(footnote, warning, warning && hint && " ", hint);
  footnote.hidden = !footnote.hasChildNodes();
}

/** Whether a pane of revisions has nothing but zeros, or one of both vintages the same twice. */
function isUnrevised({ columns, lines }: Drawing, { known }: Pane): boolean {
  if (known === "both") {
    const [now, first] = [false, true].map((isDashed) => columns.filter((_, i) => lines[i]!.isDashed === isDashed));
    const isSame = (column: (typeof columns)[number], i: number) =>
      column.length > 0 && column.every((value, row) => value === first![i]?.[row]);
    return now!.length > 0 && now!.every(isSame);
  }
  const isZero = columns.some((column) => column.includes(0)) && columns.every((column) => !column.some(Boolean));
  return known === "revision" && isZero;
}

/** Weeks and the like have a point once they are over: a sentence on the one that isn't; null where the data ends with one. */
function openBucketNote({ chart: { resolution }, asset }: Page): string | null {
  const [last, lastDay] = [asset?.ranges[resolution]?.last, asset?.ranges.day?.last];
  if (resolution === "day" || !isCalendar(resolution) || last === undefined || lastDay === undefined) return null;
  const start = parseTime(last) + bucketLength(parseTime(last), resolution);
  if (parseTime(lastDay) < start) return null;
  return `The ${resolution} that began on ${dateText(start)} has a point once it is over.`;
}

function describeZoom(page: Page): string {
  const { data, chart, zone } = page;
  const { from, to } = visibleRows(page);
  if (to <= from) return "No points in view.";
  const [first, last] = [from, to - 1].map((row) => bucketTime(data.table.t[row]!, chart.resolution, zone));
  return `${chart.zoom ? "Zoomed to" : "Showing"} ${first} to ${last}, ${to - from} points.`;
}
