/** The last points in sight as a table: for reading exact values, and for whoever can't see the chart. */

import type { Table } from "./align.ts";
import type { Resolution, Unit } from "./catalog.ts";
import { byId, fill, h } from "./dom.ts";
import { full, moment } from "./format.ts";

const FIRST_ROWS = 12;
const MORE_ROWS = 100;

export interface Column {
  name: string;
  unit: Unit;
}

export class PointTable {
  readonly #host = byId("table");
  readonly #more = byId<HTMLButtonElement>("more");
  #show: (rows: number) => void = () => {};
  #rows = FIRST_ROWS;

  constructor() {
    this.#more.addEventListener("click", () => {
      this.#rows += MORE_ROWS;
      this.#show(this.#rows);
    });
  }

  /**
   * Rows [from, to) of the table, newest first.
   *
   * @param subject what all columns are of
   */
  render(
    { t, columns }: Table,
    subject: string,
    titles: readonly Column[],
    resolution: Resolution,
    from: number,
    to: number,
  ): void {
    this.#rows = FIRST_ROWS;
    this.#show = (rows) => {
      const start = Math.max(from, to - rows);
      this.#more.hidden = start === from;
      const indices = Array.from({ length: to - start }, (_, i) => to - 1 - i);
      fill(
        this.#host,
        h(
          "table",
          {},
          h("caption", { class: "visually-hidden" }, `${subject}: the last ${indices.length} points, newest first`),
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, "Time"),
              ...titles.map(({ name }, i) =>
                h(
                  "th",
                  { scope: "col", class: `series-${i + 1}` },
                  h("span", { class: "swatch", "aria-hidden": "true" }),
                  name,
                ),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            ...indices.map((row) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, moment(t[row], resolution)),
                ...columns.map((column, i) => h("td", {}, cell(column[row], titles[i].unit))),
              ),
            ),
          ),
        ),
      );
    };
    this.#show(this.#rows);
  }

  clear(): void {
    this.#more.hidden = true;
    fill(this.#host, h("p", { class: "nothing" }, "No points to list."));
  }
}

function cell(value: number | null | undefined, unit: Unit): string {
  return value === null || value === undefined ? "–" : full(value, unit);
}
