/** The last visible points as a table: for exact values, and for people who can't see the chart. */

import { findAsset } from "../api/catalog.ts";
import { toCsv } from "../data/csv.ts";
import { joinTitles, selectorName } from "../format/names.ts";
import { full } from "../format/numbers.ts";
import { bucketTime } from "../format/time.ts";
import { type Page, type Session, visibleRows } from "../session.ts";
import { codeName } from "../state/requests.ts";
import { announce, byId, fill, h } from "./dom.ts";

const FIRST_ROWS = 12;
const MORE_ROWS = 100;

export class PointTable {
  readonly #host = byId("table");
  readonly #more = byId<HTMLButtonElement>("more");
  readonly #download = byId<HTMLButtonElement>("download");
  #rows = FIRST_ROWS;

  constructor(session: Session) {
    this.#more.addEventListener("click", () => {
      this.#rows += MORE_ROWS;
      this.#render(session.page);
    });
    this.#download.addEventListener("click", () => this.#saveCsv(session.page));
    session.watch(
      ({ data, chart }) => [data, chart.zoom],
      (page) => {
        this.#rows = FIRST_ROWS;
        this.#download.disabled = page.data.table.t.length === 0;
        // The old rows stay until there are new ones.
        if (page.data.status !== "loading") this.#render(page);
      },
    );
  }

  #render(page: Page): void {
    const { catalog, chart, series, data } = page;
    const { from, to } = visibleRows(page);
    const start = Math.max(from, to - this.#rows);
    this.#more.hidden = start === from;
    if (to === from) {
      fill(this.#host, h("p", { class: "nothing" }, "No points to show."));
      return;
    }
    const asset = findAsset(catalog, chart.asset);
    const titles = new Set(series.map(({ definition }) => definition.title));
    const rows = Array.from({ length: to - start }, (_, i) => to - 1 - i);
    const head = series.map(({ selector, name }, i) =>
      h(
        "th",
        { scope: "col", class: `series-${i + 1}` },
        h("span", { class: "swatch", "aria-hidden": "true" }),
        // The caption names a metric that all columns share.
        titles.size === 1 && selector !== null ? selectorName(selector, asset) : name,
      ),
    );
    const body = rows.map((row) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, bucketTime(data.table.t[row]!, chart.resolution)),
        ...series.map(({ definition }, i) => h("td", {}, full(data.table.columns[i]?.[row], definition.unit))),
      ),
    );
    const caption = `${joinTitles([...titles])}: the latest ${rows.length} points, newest first`;
    fill(
      this.#host,
      h(
        "table",
        {},
        h("caption", { class: "visually-hidden" }, caption),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Time"), ...head)),
        h("tbody", {}, ...body),
      ),
    );
  }

  #saveCsv(page: Page): void {
    const { chart, data } = page;
    const { from, to } = visibleRows(page);
    const blob = new Blob([toCsv(data.table, chart.series.map(codeName), from, to)], { type: "text/csv" });
    const metrics = new Set(chart.series.map(({ metric }) => metric));
    const link = h("a", {
      href: URL.createObjectURL(blob),
      download: `${chart.asset}_${[...metrics].join("_")}_${chart.resolution}.csv`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    announce(`Downloaded ${to - from} points.`);
  }
}
