/** The values of pinned rows as a table, with bars for the parts of a family. */

import type { Table } from "../../data/table.ts";
import { type Cell, changeCells, changesByPart } from "../../data/value-changes.ts";
import { full } from "../../format/numbers.ts";
import { bucketTime } from "../../format/time.ts";
import type { Page } from "../../session.ts";
import type { Trace } from "../../state/traces.ts";
import { h, swatch } from "../dom.ts";

/** By which column the rows are sorted: a pin's place, or what comes after the pins. */
export interface PinOrder {
  column: number;
  isDescending: boolean;
}

/** The row of a time; undefined if the table has none. */
export function rowAt({ t }: Table, time: number): number | undefined {
  const row = t.indexOf(time);
  return row < 0 ? undefined : row;
}

/** The pinned values of each trace. */
export const valuesOf = ({ data }: Page, pins: readonly number[], trace: number) =>
  pins.map((time) => data.table.columns[trace]?.[rowAt(data.table, time)!] ?? Number.NaN);

/** The change of a trace from the first pin to the last, and that as a part of the first; nothing where either is missing. */
export const changeOf = (page: Page, values: readonly number[], trace: number): string[] =>
  changeCells(values, page.traces[trace]!, changesByPart(page.traces[trace]!, page.data.table.columns[trace])).map(
    ({ text }) => text,
  );

/** @param sort is called with another order; null is that of the chart */
export function pinTable(
  page: Page,
  pins: readonly number[],
  order: PinOrder | null,
  sort: (order: PinOrder | null) => void,
): HTMLElement {
  const { traces, chart, zone } = page;
  const titles = [
    ...pins.map((time) => bucketTime(time, chart.resolution, zone)),
    ...(pins.length > 1 ? ["Change", "%"] : []),
  ];
  const rows = traces.map((trace, i) => {
    const values = valuesOf(page, pins, i);
    const isByPart = changesByPart(trace, page.data.table.columns[i]);
    const cells = values.map((value): Cell => ({ text: full(value, trace.unit), value }));
    return { trace, values, cells: [...cells, ...(pins.length > 1 ? changeCells(values, trace, isByPart) : [])] };
  });
  const most = new Map<number, number>();
  for (const { trace, values } of rows) {
    if (!isPart(trace)) continue;
    most.set(trace.pane, Math.max(most.get(trace.pane) ?? 0, ...values.filter((value) => !Number.isNaN(value))));
  }
  return sortedTable(
    "Pinned",
    titles,
    rows.map(({ trace, values, cells }) => ({
      head: [swatch(trace.color), trace.name],
      bars: isPart(trace) ? values.map((value) => ({ part: value / most.get(trace.pane)!, color: trace.color })) : [],
      cells,
    })),
    { order, sort, isSortable: rows.length > 2 },
  );
}

/** Parts of a whole are compared by their lengths. */
const isPart = ({ part }: Trace) => part !== undefined && part.role !== "whole";

interface SortedRow {
  head: (Node | string)[];
  /** One for each pin. */
  bars: Bar[];
  cells: Cell[];
}

interface Bar {
  /** Its length as a part of the longest bar's, from 0 to 1. */
  part: number;
  /** A custom property of the style sheet. */
  color: string;
}

/** A table whose rows can be sorted by its columns: from the highest, from the lowest, as they were. */
export function sortedTable(
  title: string,
  titles: readonly string[],
  rows: readonly SortedRow[],
  { order, sort, isSortable }: { order: PinOrder | null; sort: (order: PinOrder | null) => void; isSortable: boolean },
): HTMLElement {
  const hasBars = rows.some(({ bars }) => bars.length > 0);
  const value = ({ cells }: SortedRow) => cells[order?.column ?? 0]?.value ?? Number.NaN;
  const ordered = order === null ? rows : rows.toSorted((a, b) => compare(value(a), value(b), order.isDescending));
  const heads = titles.map((text, column) => {
    if (!isSortable) return h("th", { scope: "col" }, text);
    const own = order?.column === column ? order : null;
    const next =
      own === null ? { column, isDescending: true } : own.isDescending ? { column, isDescending: false } : null;
    const state = own && (own.isDescending ? "descending" : "ascending");
    const button = h(
      "button",
      { type: "button", class: "sort", onclick: () => sort(next), "data-focus": `sort-${title}-${column}` },
      text,
    );
    return h("th", { scope: "col", "aria-sort": state }, button);
  });
  const body = ordered.map(({ head, bars, cells }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, ...head),
      hasBars && h("td", { class: "bars", "aria-hidden": "true" }, ...bars.map(barOf)),
      ...cells.map(({ text }) => h("td", {}, text)),
    ),
  );
  return h(
    "table",
    {},
    h("caption", { class: "visually-hidden" }, `${title}: values`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, title), hasBars && h("td", {}), ...heads)),
    h("tbody", {}, ...body),
  );
}

/** What isn't there comes last. */
function compare(a: number, b: number, isDescending: boolean): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return isDescending ? b - a : a - b;
}

function barOf({ part, color }: Bar): HTMLElement {
  const bar = h("i");
  bar.style.width = `${100 * Math.max(0, part || 0)}%`;
  bar.style.background = `var(${color})`;
  return bar;
}
