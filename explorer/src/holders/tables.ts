/** Tables of holders as elements. */

import type { HolderOrder, HolderSort } from "../../../data-schema/stored.ts";
import { h } from "../panels/dom.ts";
import type { Column } from "./columns.ts";

/** How a table is sorted, and what a press on a column's head does. */
export interface Sorting {
  sort: HolderSort;
  order: HolderOrder;
  press(sort: HolderSort): void;
}

/** A single row has no bars: there is nothing beside it. */
export function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], sorting?: Sorting): HTMLElement {
  const sizes = columns.map(({ size }) =>
    rows.length < 2 ? 0 : Math.max(0, ...rows.map((row) => Math.abs(size?.(row) ?? 0))),
  );
  const head = h("tr", {}, ...columns.map((column) => headCell(column, sorting)));
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      ...columns.map(({ isHead, cells }, i) =>
        h(isHead ? "th" : "td", isHead ? { scope: "row" } : {}, ...cells(row, sizes[i]!)),
      ),
    ),
  );
  return h("table", {}, h("thead", {}, head), h("tbody", {}, ...body));
}

function headCell<Row>({ title, sort }: Column<Row>, sorting: Sorting | undefined): HTMLElement {
  if (sort === undefined || sorting === undefined) return h("th", { scope: "col" }, title);
  const isDescending = sorting.order === "desc";
  const direction = isDescending ? "descending" : "ascending";
  const isSorted = sort === sorting.sort;
  return h(
    "th",
    { scope: "col", "aria-sort": isSorted ? direction : undefined },
    h(
      "button",
      { type: "button", class: "quiet sort", "data-focus": `sort-${sort}`, onclick: () => sorting.press(sort) },
      title,
      isSorted && h("span", { "aria-hidden": "true" }, isDescending ? " ↓" : " ↑"),
    ),
  );
}
