/** What the table of holders shows: a plain value, which is the page's query string, and the request for it. */

import { EXCHANGE_SELECTORS } from "../../../data-schema/registry.ts";
import type { HolderGroup, HolderOrder, HolderSort } from "../../../data-schema/stored.ts";
import { queryValue } from "../api/request.ts";
import type { Holder } from "./answers.ts";

export interface HoldersView {
  /** Null for the first of the catalog. */
  asset: string | null;
  sort: HolderSort;
  order: HolderOrder;
  group: HolderGroup | null;
  /** An exchange, as the API names it. */
  label: string | null;
  /** An own cohort, without its @. */
  cohort: string | null;
  /** The day whose largest are shown, as the API takes it; null for all addresses at the last close. */
  at: string | null;
  /** From 1. */
  page: number;
}

/** The orders in words, the usual ones first. */
export const ORDERS: readonly { title: string; sort: HolderSort; order: HolderOrder }[] = [
  { title: "Largest balance", sort: "balance", order: "desc" },
  { title: "Unrealised loss", sort: "unrealised_profit", order: "asc" },
  { title: "Unrealised profit", sort: "unrealised_profit", order: "desc" },
  { title: "Realised profit", sort: "realised_profit", order: "desc" },
  { title: "Realised loss", sort: "realised_profit", order: "asc" },
  { title: "Highest cost", sort: "cost", order: "desc" },
  { title: "Most received", sort: "received", order: "desc" },
  { title: "Newest", sort: "first_seen", order: "desc" },
  { title: "Oldest", sort: "first_seen", order: "asc" },
  { title: "Active last", sort: "last_active", order: "desc" },
  { title: "Quiet longest", sort: "last_active", order: "asc" },
  { title: "Smallest balance", sort: "balance", order: "asc" },
  { title: "Lowest cost", sort: "cost", order: "asc" },
  { title: "Least received", sort: "received", order: "asc" },
];

export const GROUPS: Readonly<Record<HolderGroup, string>> = { users: "Users", sc: "Contracts", cex: "Exchanges" };

/** The exchanges that a label can name. */
export const LABELS: readonly string[] = EXCHANGE_SELECTORS.filter((name) => name !== "all");

/** Rows of a page. Of those that fit a filter, a page has all among the thousand that one request brings. */
const PAGE_ROWS = 100;
const FILTERED_ROWS = 1_000;
/** Rows of an order, and of a day, that the API reaches. */
const MOST_ROWS = 10_000;
const MOST_LARGEST = 1_000;

const isFiltered = ({ label, cohort, at }: HoldersView) => at === null && (label !== null || cohort !== null);

export function parseView(search: string): HoldersView {
  const query = new URLSearchParams(search);
  const text = (name: string) => query.get(name)?.trim() || null;
  const { sort, order } =
    ORDERS.find((one) => one.sort === text("sort") && one.order === (text("order") ?? "desc")) ?? ORDERS[0]!;
  const group = text("group");
  const page = Number(text("page") ?? 1);
  return {
    asset: text("a")?.toUpperCase() ?? null,
    sort,
    order,
    group: group !== null && Object.hasOwn(GROUPS, group) ? (group as HolderGroup) : null,
    label: LABELS.find((name) => name === text("label")) ?? null,
    cohort: text("cohort")?.replace(/^@/, "") ?? null,
    at: text("at"),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

type Pairs = [name: string, value: string | null][];

/** What the API takes of a view; the page's link has the same names. */
function parametersOf({ asset, sort, order, group, at }: HoldersView): Pairs {
  const isUsual = sort === "balance" && order === "desc";
  const chosen = { sort: isUsual ? null : sort, order: order === "desc" ? null : order, group };
  return Object.entries({ a: asset, ...(at === null ? chosen : { at }) });
}

/** The page's query string, with its `?`: nothing but what differs from the first view. */
export function formatView(view: HoldersView): string {
  const { label, cohort, at, page } = view;
  const filters = at === null ? { label, cohort } : {};
  return queryOf([...parametersOf(view), ...Object.entries({ ...filters, page: page === 1 ? null : String(page) })]);
}

function queryOf(pairs: Pairs): string {
  const given = pairs.flatMap(([name, value]) => (value === null ? [] : `${name}=${queryValue(value)}`));
  return given.length > 0 ? `?${given.join("&")}` : "";
}

/** The rows that a page is made of: those before it, and how many. */
export function rowsOf(view: HoldersView): { offset: number; limit: number; isLast: boolean } {
  const limit = isFiltered(view) ? FILTERED_ROWS : PAGE_ROWS;
  const most = (view.at === null ? MOST_ROWS : MOST_LARGEST) / limit;
  const page = Math.min(view.page, most);
  return { offset: (page - 1) * limit, limit, isLast: page === most };
}

/** The request for a page's rows. Those of an exchange are in one group. */
export function requestPath(view: HoldersView): string {
  const { offset, limit } = rowsOf(view);
  const asked = view.label !== null && view.group === null ? { ...view, group: "cex" as const } : view;
  const page = { limit: String(limit), offset: offset === 0 ? null : String(offset) };
  return `/v3/holders${queryOf([...parametersOf(asked), ...Object.entries(page)])}`;
}

/** The rows that fit the filters, each with its rank in the order. */
export function filtered(rows: readonly Holder[], view: HoldersView): { row: Holder; rank: number }[] {
  const { offset } = rowsOf(view);
  return rows
    .map((row, i) => ({ row, rank: offset + i + 1 }))
    .filter(({ row }) => view.label === null || row.label === view.label)
    .filter(({ row }) => view.cohort === null || row.cohorts.includes(view.cohort));
}

/** Rows as text: a line with the names, and one for each row, as the API's CSV has them. */
export function recordsText(rows: readonly object[], separator: "," | "\t"): string {
  const cells = (values: unknown[]) =>
    values.map((value) => {
      const text = Array.isArray(value) ? value.join(" ") : String(value ?? "");
      return text.includes(separator) ? `"${text}"` : text;
    });
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => cells(Object.values(row)))];
  return lines.map((line) => `${line.join(separator)}\n`).join("");
}
