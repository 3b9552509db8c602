/** What the table of assets shows: a plain value, which is the page's query string. */

import { CHANGE_DAYS } from "../../../data-schema/stored.ts";
import { queryValue } from "../api/request.ts";
import { type Change, type ScreenerOrder, SORTED_BY } from "./screener-rows.ts";

export interface ScreenerView {
  order: ScreenerOrder;
  /** The days that changes are over. */
  change: Change;
  words: string;
  /** Own columns, each as `x` of the API takes it: a formula, perhaps with a name. */
  columns: readonly string[];
  /** Filters, each a comparison. */
  conditions: readonly string[];
  /** The symbols of the only assets that are shown; null for all. */
  watched: readonly string[] | null;
}

/** Own columns, and filters, of a table. */
export const MOST_OWN = 8;
const MOST_WATCHED = 200;

export const FIRST_SCREENER_VIEW: ScreenerView = {
  order: { column: "market_cap", by: "v", isDescending: true },
  change: "7d",
  words: "",
  columns: [],
  conditions: [],
  watched: null,
};

/** Reads a query string. What can't be read is as in the first view. */
export function parseScreenerView(search: string): ScreenerView {
  const query = new URLSearchParams(search);
  const text = (name: string) => query.get(name)?.trim() || null;
  const texts = (name: string) =>
    [...new Set(query.getAll(name).map((one) => one.trim()))].filter(Boolean).slice(0, MOST_OWN);
  const watched = text("watch")
    ?.split(",")
    .map((symbol) => symbol.trim().toUpperCase())
    .filter(Boolean);
  const change = text("change");
  return {
    order: {
      column: text("sort") ?? FIRST_SCREENER_VIEW.order.column,
      by: SORTED_BY.find((by) => by === text("by")) ?? "v",
      isDescending: text("order") !== "asc",
    },
    change: change !== null && Object.hasOwn(CHANGE_DAYS, change) ? (change as Change) : FIRST_SCREENER_VIEW.change,
    words: text("q") ?? "",
    columns: texts("x"),
    conditions: texts("if"),
    watched: watched?.length ? [...new Set(watched)].slice(0, MOST_WATCHED) : null,
  };
}

/** The query string, with its `?`: nothing but what differs from the first view. */
export function formatScreenerView({ order, change, words, columns, conditions, watched }: ScreenerView): string {
  const pairs: [name: string, value: string | null][] = [
    ["sort", order.column === FIRST_SCREENER_VIEW.order.column ? null : order.column],
    ["by", order.by === "v" ? null : order.by],
    ["order", order.isDescending ? null : "asc"],
    ["change", change === FIRST_SCREENER_VIEW.change ? null : change],
    ["q", words || null],
    ...columns.map((one): [string, string] => ["x", one]),
    ...conditions.map((one): [string, string] => ["if", one]),
    ["watch", watched === null ? null : watched.join(",")],
  ];
  const given = pairs.flatMap(([name, value]) => (value === null ? [] : `${name}=${queryValue(value)}`));
  return given.length > 0 ? `?${given.join("&")}` : "";
}

/** A list with an item, or without it. */
export const toggled = (list: readonly string[], item: string): string[] =>
  list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
