/** The dialog that says what each column of the table of assets is. */

import { SCREENER_COLUMNS, type ScreenerColumn } from "../../../data-schema/stored.ts";
import { fill, h, part } from "../panels/dom.ts";

const FIELDS: readonly [title: string, text: string][] = [
  [
    "Value",
    "That of the last complete day, or of the days that the column names. It leads to the chart. All its digits are shown on hover.",
  ],
  [
    "Change",
    "The difference to the value 1, 7 or 30 days before; of prices and of the market capitalisation, in per cent of that value; of shares, in percentage points (pp).",
  ],
  [
    "Percentile",
    "The bar: the share of the last year’s days on which the value was at most as high. Full is the highest of the year.",
  ],
];

export function connectColumnGuide(root: HTMLElement, ownColumns: () => readonly ScreenerColumn[]): void {
  const dialog = part<HTMLDialogElement>(root, "guide");
  part(root, "open-guide").addEventListener("click", () => {
    const columns = [...SCREENER_COLUMNS, ...ownColumns()].map(({ title, description, formula }) =>
      entry(title, description, h("code", { class: "formula" }, formula)),
    );
    fill(part(dialog, "list"), ...FIELDS.map(([title, text]) => entry(title, text)), ...columns);
    dialog.showModal();
  });
}

const entry = (title: string, text: string, code?: HTMLElement) =>
  h("div", {}, h("dt", {}, title), h("dd", {}, text, code && " ", code));
