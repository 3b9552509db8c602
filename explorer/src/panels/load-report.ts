/** Reports how loading went: in place of a chart that is empty, and to screen readers. */

import { findAsset } from "../api/catalog.ts";
import { bucketTime } from "../format/time.ts";
import type { Page, Session } from "../session.ts";
import { setRange } from "../state/changes.ts";
import { announce } from "./dom.ts";
import type { KeyDialog } from "./key-dialog.ts";
import type { Notice } from "./notice.ts";

export class LoadReport {
  readonly #session: Session;
  readonly #notice: Notice;
  readonly #keyDialog: KeyDialog;

  constructor(session: Session, notice: Notice, keyDialog: KeyDialog) {
    this.#session = session;
    this.#notice = notice;
    this.#keyDialog = keyDialog;
    session.watch(
      ({ data }) => [data],
      (page) => this.#report(page),
    );
  }

  #report(page: Page): void {
    const { status, table, problems } = page.data;
    const problem = problems.find((problem) => problem !== null);
    const isEmpty = table.t.length === 0;
    this.#notice.hide();
    if (status === "loading") return;
    if (status === "no key") this.#requestKey();
    else if (problem) {
      if (isEmpty) {
        const action = problem.isAboutKey
          ? { title: "Enter a key", run: () => this.#keyDialog.open(problem.message) }
          : { title: "Try again", run: () => void this.#session.load() };
        this.#notice.problem(problem, action);
      }
      announce(`${problem.title}. ${problem.message}`);
    } else if (isEmpty) this.#reportNoPoints(page);
    else announce(describe(page));
  }

  #requestKey(): void {
    const open = () => this.#keyDialog.openForMissingKey();
    this.#notice.message("API key required", "Enter an API key to load this chart.", {
      title: "Enter a key",
      run: open,
    });
    open();
  }

  #reportNoPoints({ catalog, chart }: Page): void {
    const span = findAsset(catalog, chart.asset)?.ranges[chart.resolution];
    const extent = span ? ` ${chart.asset} has data from ${span.first.slice(0, 10)} to ${span.last.slice(0, 10)}.` : "";
    this.#notice.message("No points in this range", `The series have no values here.${extent}`, {
      title: "Show all data",
      run: () => this.#session.show(setRange(this.#session.page.chart, { preset: "all" })),
    });
    announce("No points in this range.");
  }
}

function describe({ chart, series, data }: Page): string {
  const { t } = data.table;
  const { asset, resolution } = chart;
  const names = series.map(({ name }) => name).join("; ");
  const [first, last] = [bucketTime(t[0]!, resolution), bucketTime(t[t.length - 1]!, resolution)];
  return `${names}. ${asset}, per ${resolution}, ${t.length} points, ${first} to ${last}.`;
}
