/** Reports how loading went: in place of a chart that is empty, and to screen readers. */

import { bucketTime, dateText, parseTime } from "../format/time.ts";
import { type Page, type Session, visibleRows } from "../session.ts";
import { setRange } from "../state/changes.ts";
import { announce } from "./dom.ts";
import type { KeyDialog } from "./key-dialog.ts";
import { hideNotice, showNotice } from "./notice.ts";

/** @param keyDialog null where no key is asked for */
export function connectLoadReport(session: Session, keyDialog: KeyDialog | null): void {
  session.watch(["data", "range"], (page) => {
    const { status, problems } = page.data;
    const problem = problems.find((problem) => problem !== null);
    const { from, to } = visibleRows(page);
    const isEmpty = from === to;
    hideNotice();
    if (status === "loading") return;
    if (status === "no key") requestKey(keyDialog);
    else if (problem) {
      const enterKey = keyDialog && { title: "Enter a key", run: () => keyDialog.open(problem.message) };
      const tryAgain = { title: "Try again", run: () => void session.load() };
      const action = (problem.isAboutKey && enterKey) || tryAgain;
      if (isEmpty) showNotice("problem", problem.title, problem.advice, action);
      announce(`${problem.title}. ${problem.message}`);
    } else if (isEmpty) reportNoPoints(page, session);
    else announce(describe(page));
  });
}

function requestKey(keyDialog: KeyDialog | null): void {
  if (keyDialog === null) {
    showNotice("message", "No public key", "This Soprano has no public key, so its charts can't be embedded.");
    return;
  }
  const run = () => keyDialog.openForMissingKey();
  showNotice("message", "API key required", "Enter an API key to load this chart.", { title: "Enter a key", run });
  run();
}

function reportNoPoints({ asset, chart }: Page, session: Session): void {
  const span = asset?.ranges[chart.resolution];
  const [first, last] = span ? [span.first, span.last].map((time) => dateText(parseTime(time))) : [];
  const extent = span ? ` ${chart.asset} has data from ${first} to ${last}.` : "";
  const run = () => session.change((chart) => setRange(chart, { preset: "all" }));
  const text = `This chart has no values between these dates.${extent}`;
  showNotice("message", "No points in this range", text, { title: "Show all data", run });
  announce("No points in this range.");
}

function describe(page: Page): string {
  const { traces, zone } = page;
  const { asset, resolution } = page.chart;
  const { t } = page.data.table;
  const { from, to } = visibleRows(page);
  const names = traces.map(({ name }) => name).join("; ");
  const [first, last] = [bucketTime(t[from]!, resolution, zone), bucketTime(t[to - 1]!, resolution, zone)];
  return `${names}. ${asset}, per ${resolution}, ${to - from} points, ${first} to ${last}.`;
}
