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
  session.watch(["data", "overview", "range"], (page) => {
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

function reportNoPoints(root: HTMLElement, page: Page, session: Session): void {
  const { chart, traces } = page;
  const extent = extentOf(page);
  const names = traces.map(({ name }) => name).join("; ");
  if (extent === null) {
    showNotice(root, "message", "No points", `${chart.asset} has no value of ${names} at any time.`);
    announce("No points.");
    return;
  }
  const [first, last] = extent.map(dateText);
  const text = `This chart has no values between these dates. It has some from ${first} to ${last}.`;
  const run = () => session.change((chart) => setRange(chart, { preset: "all" }));
  showNotice(root, "message", "No points in this range", text, { title: "Show all data", run });
  announce("No points in this range.");
}

/** The first and the last time with a value of what a chart shows; null without any. */
function extentOf({ data, overview, asset, chart }: Page): [first: number, last: number] | null {
  // The overview has the whole history of the first line, also where hours or blocks are shown.
  const tables = [data.table, overview.table].filter(({ t }) => t.length > 0);
  const extents = tables.flatMap(({ t, columns }) => {
    const has = (_: number, row: number) => columns.some((column) => !Number.isNaN(column[row]!));
    const [first, last] = [t.findIndex(has), t.findLastIndex(has)];
    return first < 0 ? [] : [t[first]!, t[last]!];
  });
  if (extents.length > 0) return [Math.min(...extents), Math.max(...extents)];
  // Before there is an overview, what is known is the asset's.
  const span = overview.status === "loaded" ? undefined : asset?.ranges[chart.resolution];
  return span ? [parseTime(span.first), parseTime(span.last)] : null;
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
