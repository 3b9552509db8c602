/** The table of assets as elements. */

import { SCREENER_COLUMNS, type ScreenerColumn } from "../../../data-schema/stored.ts";
import { queryValue } from "../api/request.ts";
import { exact, short, signed, signedDifference } from "../format/numbers.ts";
import { h } from "../panels/dom.ts";
import { sparkElement } from "../panels/spark.ts";
import {
  type AssetRow,
  type Change,
  type Fields,
  isAlwaysZero,
  type ScreenerOrder,
  standingText,
} from "./screener-rows.ts";

export interface HeadActions {
  sort(column: string): void;
  remove(column: ScreenerColumn): void;
}

const BY_WORDS = { v: null, change: "by change", pct: "by percentile" } as const;

/** The head of the table; a button in each column sorts by it, and another one removes an own column. */
export function headRow(
  { column, by, isDescending }: ScreenerOrder,
  own: readonly ScreenerColumn[],
  { sort, remove }: HeadActions,
): HTMLElement {
  const direction = isDescending ? "descending" : "ascending";
  const cell = (name: string, title: string, about?: string, removed?: ScreenerColumn) => {
    const isSorted = name === column;
    return h(
      "th",
      { scope: "col", "aria-sort": isSorted && direction, class: removed && "own" },
      h(
        "button",
        { type: "button", class: "quiet sort", "data-focus": `sort-${name}`, title: about, onclick: () => sort(name) },
        title,
        isSorted && h("span", { "aria-hidden": "true" }, isDescending ? " ↓" : " ↑"),
        isSorted && name !== "asset" && BY_WORDS[by] && h("small", {}, ` ${BY_WORDS[by]}`),
      ),
      removed &&
        h(
          "button",
          { type: "button", class: "quiet remove", "aria-label": `Remove ${title}`, onclick: () => remove(removed) },
          "×",
        ),
    );
  };
  const [price, ...others] = SCREENER_COLUMNS;
  return h(
    "tr",
    {},
    cell("asset", "Asset"),
    cell(price!.name, price!.title, price!.description),
    h("th", { scope: "col" }, "30 days"),
    ...own.map((column) => cell(column.name, column.title, column.formula, column)),
    ...others.map(({ name, title, description }) => cell(name, title, description)),
  );
}

/** How a row is shown. */
export interface RowLook {
  change: Change;
  isStarred: boolean;
  own: readonly ScreenerColumn[];
  /** Null where there are none, undefined until they are computed. */
  fieldsOf(row: AssetRow, column: ScreenerColumn): Fields | null | undefined;
  star(asset: string): void;
}

/** A row: its cells lead to charts. Own columns come first, where they are in sight. */
export function bodyRow(row: AssetRow, { change, isStarred, own, fieldsOf, star }: RowLook): HTMLElement {
  const [price, ...others] = SCREENER_COLUMNS;
  const cell = (column: ScreenerColumn) => valueCell(row, column, fieldsOf(row, column), change);
  const starButton = h(
    "button",
    {
      type: "button",
      class: "quiet star",
      "aria-label": `Watch ${row.asset}`,
      "aria-pressed": String(isStarred),
      "data-focus": `star-${row.asset}`,
      onclick: () => star(row.asset),
    },
    isStarred ? "★" : "☆",
  );
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      starButton,
      h("a", { href: `/?a=${queryValue(row.asset)}`, "data-focus": `asset-${row.asset}` }, row.asset),
      h("span", { class: "name" }, row.name),
    ),
    cell(price!),
    h("td", { class: "spark" }, sparkElement(row.closes, `The price of ${row.asset} over 30 days`)),
    ...own.map(cell),
    ...others.map(cell),
  );
}

function valueCell(
  row: AssetRow,
  column: ScreenerColumn,
  fields: Fields | null | undefined,
  change: Change,
): HTMLElement {
  if (fields === undefined) return h("td", { class: "missing" }, h("span", { "aria-label": "computing" }, "…"));
  if (fields === null || fields.v === null)
    return h("td", { class: "missing" }, h("span", { "aria-label": "missing" }, "–"));
  const { v: value, pct: percentile, [change]: changed } = fields;
  const sign = changed === null || changed === 0 ? "" : changed > 0 ? "up" : "down";
  return h(
    "td",
    {
      title: [exact(value, column.unit), percentile !== null && standingText(value, percentile)]
        .filter(Boolean)
        .join(". "),
    },
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
