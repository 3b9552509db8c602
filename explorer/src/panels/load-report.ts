/** Reports how loading went: in place of a chart that is empty, and to screen readers. */

import { findAsset } from "../api/catalog.ts";
import { bucketTime } from "../format/time.ts";
import type { Page, Session } from "../session.ts";
import { setRange } from "../state/changes.ts";
import { announce } from "./dom.ts";
import type { KeyDialog } from "./key-dialog.ts";
import { hideNotice, showMessage, showProblem } from "./notice.ts";

export function connectLoadReport(session: Session, keyDialog: KeyDialog): void {
  session.watch(["data"], (page) => {
    const { status, table, problems } = page.data;
    const problem = problems.find((problem) => problem !== null);
    const isEmpty = table.t.length === 0;
    hideNotice();
    if (status === "loading") return;
    if (status === "no key") requestKey(keyDialog);
    else if (problem) {
      const enterKey = { title: "Enter a key", run: () => keyDialog.open(problem.message) };
      const tryAgain = { title: "Try again", run: () => void session.load() };
      if (isEmpty) showProblem(problem, problem.isAboutKey ? enterKey : tryAgain);
      announce(`${problem.title}. ${problem.message}`);
    } else if (isEmpty) reportNoPoints(page, session);
    else announce(describe(page));
  });
}

function requestKey(keyDialog: KeyDialog): void {
  const run = () => keyDialog.openForMissingKey();
  showMessage("API key required", "Enter an API key to load this chart.", { title: "Enter a key", run });
  run();
}

function reportNoPoints({ catalog, chart }: Page, session: Session): void {
  const span = findAsset(catalog, chart.asset)?.ranges[chart.resolution];
  const extent = span ? ` ${chart.asset} has data from ${span.first.slice(0, 10)} to ${span.last.slice(0, 10)}.` : "";
  const run = () => session.change((chart) => setRange(chart, { preset: "all" }));
  showMessage("No points in this range", `This chart has no values between these dates.${extent}`, {
    title: "Show all data",
    run,
  });
  announce("No points in this range.");
}

function describe({ chart: { asset, resolution }, series, data }: Page): string {
  const { t } = data.table;
  const names = series.map(({ name }) => name).join("; ");
  const [first, last] = [bucketTime(t[0]!, resolution), bucketTime(t[t.length - 1]!, resolution)];
  return `${names}. ${asset}, per ${resolution}, ${t.length} points, ${first} to ${last}.`;
}
