/** What the tables of holders show of a row, column by column. */

import { OWN_PREFIX } from "../../../data-schema/registry.ts";
import type { HolderSort } from "../../../data-schema/stored.ts";
import { queryValue } from "../api/request.ts";
import { selectorName } from "../format/names.ts";
import { compact, short, signed } from "../format/numbers.ts";
import { dateText, parseTime } from "../format/time.ts";
import { h } from "../panels/dom.ts";
import { exactNumber } from "../panels/exact-number.ts";
import { holdingsPath, shortAddress } from "../search/find-address.ts";
import type { Holder, LargeHolder } from "./answers.ts";

type Content = (Node | string | null)[];

/** A column of rows, which are of one kind. */
export interface Column<Row> {
  title: string;
  /** What the API sorts by. */
  sort?: HolderSort;
  /** A head of its row. */
  isHead?: true;
  /** @param most the largest of what the column has bars of, 0 if there is nothing */
  cells(row: Row, most: number): Content;
  /** What its bars are of. */
  size?(row: Row): number | null;
}

/** A row of the list, with its rank in the order. */
export interface Ranked<Row> {
  row: Row;
  rank: number;
}

export const labelName = (label: string): string =>
  label === "other" ? "Another exchange" : selectorName(label, undefined);

/** A line below a value. */
const below = (text: string, sign = "") => h("span", { class: `change ${sign}` }, text);
const dash = () => h("span", { class: "missing", "aria-label": "missing" }, "–");
const dated = (time: string | null): Content => [time === null ? dash() : dateText(parseTime(time))];
const signOf = (value: number) => (value === 0 ? "" : value > 0 ? "up" : "down");
const times = (count: number, one: string) => `${compact(count, "count")} ${count === 1 ? one : `${one}s`}`;

/** A bar as long as a value is large beside the largest, for the eye alone. */
function bar(value: number | null, most: number): HTMLElement | null {
  if (most === 0) return null;
  const filled = h("span", { class: `filled ${value !== null && value < 0 ? "loss" : ""}` });
  filled.style.width = `${(100 * Math.abs(value ?? 0)) / most}%`;
  return h("span", { class: "percentile", "aria-hidden": "true" }, filled);
}

/** What is told of an address beside its balance: `Binance`, `Contract`, `@team`. */
function kindOf({ group, label, cohorts }: Pick<Holder, "group" | "label" | "cohorts">): string {
  const known = group === "cex" ? labelName(label ?? "other") : group === "sc" ? "Contract" : null;
  return [known, ...cohorts.map((name) => OWN_PREFIX + name)].filter((part) => part !== null).join(" · ");
}

/** What the page copies is its value. */
export const copyButton = (address: string) =>
  h("button", {
    type: "button",
    class: "quiet copy-address",
    value: address,
    "aria-label": `Copy ${address}`,
    title: "Copy",
  });

function addressCells(address: string, asset: string, kind: string): Content {
  return [
    h("a", { href: `${holdingsPath(address)}?a=${queryValue(asset)}`, title: address }, shortAddress(address)),
    copyButton(address),
    h("span", { class: "name" }, kind),
  ];
}

const BALANCE: Column<{ balance: number; share: number | null }> = {
  title: "Balance",
  sort: "balance",
  size: ({ share }) => share,
  cells: ({ balance, share }, most) => [
    exactNumber(balance, "token"),
    below(share === null ? "–" : `${short(share, "share")} of the supply`),
    bar(share, most),
  ],
};

/** What its holder paid and has gained, of an address in an asset. */
const MONEY: readonly Column<Holder>[] = [
  {
    title: "Cost",
    sort: "cost",
    size: ({ cost }) => cost,
    cells: ({ cost, average_price }, most) => [
      exactNumber(cost, "usd"),
      below(average_price === null ? "–" : `at ${short(average_price, "usd_per_token")}`),
      bar(cost, most),
    ],
  },
  { title: "Value", cells: ({ value }) => [exactNumber(value, "usd")] },
  {
    title: "Unrealised profit",
    sort: "unrealised_profit",
    size: ({ unrealised_profit }) => unrealised_profit,
    cells: ({ unrealised_profit: profit, cost }, most) => [
      exactNumber(profit, "usd"),
      below(cost > 0 ? signed(profit / cost, "share") : "–", signOf(profit)),
      bar(profit, most),
    ],
  },
  {
    title: "Realised profit",
    sort: "realised_profit",
    size: ({ realised_profit }) => realised_profit,
    cells: ({ realised_profit: profit, sends }, most) => [
      exactNumber(profit, "usd"),
      below(`in ${times(sends, "send")}`),
      bar(profit, most),
    ],
  },
  {
    title: "Received",
    sort: "received",
    cells: ({ received, receipts }) => [exactNumber(received, "token"), below(times(receipts, "receipt"))],
  },
  { title: "Sent", cells: ({ sent, sends }) => [exactNumber(sent, "token"), below(times(sends, "send"))] },
  { title: "First seen", sort: "first_seen", cells: ({ first_seen }) => dated(first_seen) },
  { title: "Last active", sort: "last_active", cells: ({ last_active }) => dated(last_active) },
  { title: "Held since", cells: ({ held_since }) => dated(held_since) },
];

const RANK: Column<Ranked<unknown>> = { title: "#", cells: ({ rank }) => [compact(rank, "count", 5)] };

/** Columns of a row that is in another. */
const within = <Row, Inner>(columns: readonly Column<Inner>[], inner: (row: Row) => Inner): Column<Row>[] =>
  columns.map(({ cells, size, ...rest }) => ({
    ...rest,
    cells: (row, most) => cells(inner(row), most),
    ...(size && { size: (row: Row) => size(inner(row)) }),
  }));

/** The addresses of an asset at the last close. What `data-balances` marks is filled once their balances are known. */
export const listColumns = (asset: string): Column<Ranked<Holder>>[] => [
  {
    title: "Address",
    isHead: true,
    cells: ({ row }) => addressCells(row.address, asset, kindOf(row)),
  },
  RANK,
  ...within([BALANCE], ({ row }: Ranked<Holder>) => row),
  {
    title: "A year",
    cells: ({ row }) => [h("span", { class: "spark", "data-balances": row.address })],
  },
  ...within(MONEY, ({ row }: Ranked<Holder>) => row),
];

/** The largest addresses at a day's close. */
export const dayColumns = (asset: string): Column<Ranked<LargeHolder>>[] => [
  { title: "Address", isHead: true, cells: ({ row }) => addressCells(row.address, asset, "") },
  RANK,
  ...within([BALANCE], ({ row }: Ranked<LargeHolder>) => row),
  ...([1, 7, 30] as const).map(
    (days): Column<Ranked<LargeHolder>> => ({
      title: days === 1 ? "Over a day" : `Over ${days} days`,
      cells: ({ row }) => {
        const change = row[`change_${days}d`];
        return [change === null ? dash() : changeText(change)];
      },
    }),
  ),
];

const changeText = (change: number) =>
  h("span", { class: signOf(change) }, change === 0 ? "0" : signed(change, "token"));

/** One address, a row an asset. */
export const assetColumns: readonly Column<Holder & { asset: string }>[] = [
  {
    title: "Asset",
    isHead: true,
    cells: (row) => [
      h("a", { href: `/holders?a=${queryValue(row.asset)}` }, row.asset),
      h("span", { class: "name" }, kindOf(row)),
    ],
  },
  BALANCE,
  ...MONEY,
];

/** Where an address stood at a day's close; its rank is null where it was not among the largest. */
export interface DayRank {
  day: string;
  rank: number | null;
  row: LargeHolder | null;
}

export const rankColumns: readonly Column<DayRank>[] = [
  { title: "Day", isHead: true, cells: ({ day }) => [dateText(parseTime(day))] },
  { title: "Rank", cells: ({ rank }) => [rank === null ? "below 1,000" : compact(rank, "count", 4)] },
  {
    ...BALANCE,
    size: ({ row }) => row?.share ?? null,
    cells: ({ row }, most) => (row === null ? [dash()] : BALANCE.cells(row, most)),
  },
  {
    title: "Over 30 days",
    cells: ({ row }) => [row === null || row.change_30d === null ? dash() : changeText(row.change_30d)],
  },
];
