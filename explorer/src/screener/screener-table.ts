/** The table of assets as elements. */

import { SCREENER_COLUMNS, type ScreenerColumn, type ScreenerField } from "../../../data-schema/stored.ts";
import { queryValue } from "../api/request.ts";
import { short, signed, signedDifference } from "../format/numbers.ts";
import { h } from "../panels/dom.ts";
import { sparkElement } from "../panels/spark.ts";
import { type AssetRow, fieldOf, isAlwaysZero, type ScreenerOrder, standingText } from "./screener-rows.ts";

export type Change = Exclude<ScreenerField, "v" | "pct">;

/** The head of the table; a button in each column sorts by it. */
export function headRow({ column, isDescending }: ScreenerOrder, sort: (column: string) => void): HTMLElement {
  const direction = isDescending ? "descending" : "ascending";
  const cell = (name: string, title: string) => {
    const isSorted = name === column;
    return h(
      "th",
      { scope: "col", "aria-sort": isSorted ? direction : undefined },
      h(
        "button",
        { type: "button", class: "quiet sort", "data-focus": `sort-${name}`, onclick: () => sort(name) },
        title,
        isSorted && h("span", { "aria-hidden": "true" }, isDescending ? " ↓" : " ↑"),
      ),
    );
  };
  const [price, ...others] = SCREENER_COLUMNS;
  return h(
    "tr",
    {},
    cell("asset", "Asset"),
    cell(price!.name, price!.title),
    h("th", { scope: "col" }, "30 days"),
    ...others.map(({ name, title }) => cell(name, title)),
  );
}

/** A row: its cells lead to charts. */
export function bodyRow(row: AssetRow, change: Change): HTMLElement {
  const [price, ...others] = SCREENER_COLUMNS;
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { href: `/?a=${queryValue(row.asset)}` }, row.asset),
      h("span", { class: "name" }, row.name),
    ),
    valueCell(row, price!, change),
    h("td", { class: "spark" }, sparkElement(row.closes, `The price of ${row.asset} over 30 days`)),
    ...others.map((column) => valueCell(row, column, change)),
  );
}

function valueCell(row: AssetRow, column: ScreenerColumn, change: Change): HTMLElement {
  const value = fieldOf(row, column.name, "v");
  if (value === null) return h("td", { class: "missing" }, h("span", { "aria-label": "missing" }, "–"));
  const changed = fieldOf(row, column.name, change);
  const percentile = fieldOf(row, column.name, "pct");
  const sign = changed === null || changed === 0 ? "" : changed > 0 ? "up" : "down";
  return h(
    "td",
    { title: percentile === null ? undefined : standingText(value, percentile) },
    h("a", { href: `/?a=${queryValue(row.asset)}&y==${queryValue(column.formula)}` }, short(value, column.unit)),
    h("span", { class: `change ${sign}` }, changeText(changed, column)),
    percentile !== null && !isAlwaysZero(value, percentile) && bar(percentile),
  );
}

function changeText(changed: number | null, { unit, isFraction }: ScreenerColumn): string {
  if (changed === null) return "–";
  const text = isFraction ? signed(changed, "share") : signedDifference(changed, unit);
  return changed === 0 ? text.replace("+", "") : text;
}

/** How high a value is among those of the last year. */
function bar(percentile: number): HTMLElement {
  const filled = h("span", { class: "filled" });
  filled.style.width = `${100 * percentile}%`;
  return h("span", { class: "percentile", "aria-hidden": "true" }, filled);
}
