/** Reports how loading went: in place of a chart that is empty, and to screen readers. */

import type { Problem } from "../../api/problem.ts";
import { bucketTime, dateText, parseTime } from "../../format/time.ts";
import { NO_EXCHANGES } from "../../lines/no-exchanges.ts";
import { type Page, type Session, visibleRows } from "../../session.ts";
import { setRange } from "../../state/changes.ts";
import type { Trace } from "../../state/traces.ts";
import type { FormulaDialog } from "../dialogs/formula-dialog.ts";
import type { KeyDialog } from "../dialogs/key-dialog.ts";
import { announce } from "../dom.ts";
import { type Action, hideNotice, showNotice } from "../notice.ts";

/** What can be done about a failure; null where nothing is asked for. */
interface Dialogs {
  keyDialog: KeyDialog;
  /** Null where charts aren't changed. */
  formulas: FormulaDialog | null;
}

export function connectLoadReport(root: HTMLElement, session: Session, dialogs: Dialogs | null): void {
  session.watch(["data", "range"], (page) => {
    const { status, problems } = page.data;
    const place = problems.findIndex((problem) => problem !== null);
    const problem = problems[place];
    const { from, to } = visibleRows(page);
    const isEmpty = from === to;
    hideNotice(root);
    if (status === "loading") return;
    if (status === "no key") requestKey(root, dialogs?.keyDialog ?? null);
    else if (problem) {
      if (isEmpty)
        showNotice(
          root,
          problem.type === NO_EXCHANGES ? "message" : "problem",
          problem.title,
          problem.advice,
          remedy(problem, page.traces[place], session, dialogs),
        );
      announce(`${problem.title}. ${problem.message}`);
    } else if (isEmpty) reportNoPoints(root, page, session);
    else announce(describe(page));
  });
}

/** The button that leads on from a failure; undefined where none does. */
function remedy(
  problem: Problem,
  trace: Trace | undefined,
  session: Session,
  dialogs: Dialogs | null,
): Action | undefined {
  if (problem.type === NO_EXCHANGES) return undefined;
  if (dialogs && problem.isAboutKey) {
    return { title: "Enter a key", run: () => dialogs.keyDialog.open(problem.message) };
  }
  const formulas = dialogs?.formulas;
  if (formulas && problem.type === "formula" && trace) {
    return { title: "Edit the formula", run: () => formulas.open(trace) };
  }
  return { title: "Try again", run: () => void session.load() };
}

function requestKey(root: HTMLElement, keyDialog: KeyDialog | null): void {
  if (keyDialog === null) {
    showNotice(root, "message", "No public key", "This Soprano has no public key, so its charts can't be embedded.");
    return;
  }
  const run = () => keyDialog.openForMissingKey();
  showNotice(root, "message", "API key required", "Enter an API key to load this chart.", {
    title: "Enter a key",
    run,
  });
  run();
}

function reportNoPoints(root: HTMLElement, { asset, chart }: Page, session: Session): void {
  const span = asset?.ranges[chart.resolution];
  const [first, last] = span ? [span.first, span.last].map((time) => dateText(parseTime(time))) : [];
  const extent = span ? ` ${chart.asset} has data from ${first} to ${last}.` : "";
  const run = () => session.change((chart) => setRange(chart, { preset: "all" }));
  const text = `This chart has no values between these dates.${extent}`;
  showNotice(root, "message", "No points in this range", text, { title: "Show all data", run });
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
