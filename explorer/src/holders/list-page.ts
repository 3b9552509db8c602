/** The page `/holders`: the addresses of an asset in an order, from GET /v3/holders. */

import { DAY_SECONDS } from "../../../data-schema/text.ts";
import type { Asset } from "../api/catalog.ts";
import { queryValue } from "../api/request.ts";
import { dateText, parseTime } from "../format/time.ts";
import { connectAssetPicker } from "../panels/chrome/asset-picker.ts";
import { copyText } from "../panels/copy-text.ts";
import { announce, fill, h, part, setPressed } from "../panels/dom.ts";
import { saveFile } from "../panels/save-file.ts";
import { sparkElement } from "../panels/spark.ts";
import { shortAddress } from "../search/find-address.ts";
import type { Holder, HolderList, LargeHolder } from "./answers.ts";
import { balancesOf, listDays, pointDays } from "./balances.ts";
import { dayColumns, labelName, listColumns } from "./columns.ts";
import { footnote, type Reader, type Show, showSentence } from "./reader.ts";
import { tableOf } from "./tables.ts";
import {
  filtered,
  formatView,
  GROUPS,
  type HoldersView,
  LABELS,
  ORDERS,
  parseView,
  recordsText,
  requestPath,
  rowsOf,
} from "./view.ts";

const counted = (count: number) => count.toLocaleString("en-US");
const option = (value: string, title: string) => h("option", { value }, title);
const orderValue = ({ sort, order }: Pick<HoldersView, "sort" | "order">) => `${sort} ${order}`;

/** @returns what shows the page of the address bar */
export function connectList(root: HTMLElement, reader: Reader): Show {
  const controls = part<HTMLFieldSetElement>(root, "controls");
  const select = (name: string) => part<HTMLSelectElement>(controls, name);
  const day = part<HTMLInputElement>(controls, "at");
  const groups = part(controls, "group");
  const table = part(root, "table");
  let view = parseView(location.search);
  let assets: Asset[] = [];
  /** The rows of the table as the API gave them. */
  let rows: readonly (Holder | LargeHolder)[] = [];

  select("order").append(...ORDERS.map((one) => option(orderValue(one), one.title)));
  select("label").append(...LABELS.map((label) => option(label, labelName(label))));
  groups.append(...Object.entries(GROUPS).map(([value, title]) => h("button", { type: "button", value }, title)));

  /** Shows another view, as a new entry in the browser's history. */
  const change = (changed: Partial<HoldersView>) => {
    const next = { ...view, page: 1, ...changed };
    history.pushState(null, "", `/holders${formatView(next)}`);
    void show();
  };

  const picker = connectAssetPicker(
    root,
    () => reader.assets(),
    (asset) => change({ asset, cohort: null }),
  );

  const show: Show = async () => {
    view = parseView(location.search);
    const mine = view;
    controls.hidden = false;
    table.setAttribute("aria-busy", "true");
    try {
      assets = await reader.assets();
      if (assets.length === 0) return showSentence(root, "No asset is published yet: soprano build publishes one.");
      const asset = view.asset ?? assets[0]!.symbol;
      renderControls(asset);
      const list = await reader.ask<HolderList<Holder> | HolderList<LargeHolder>>(requestPath({ ...view, asset }));
      if (view !== mine) return;
      showSentence(root, "");
      renderList(list);
      if (view.at === null) void drawBalances(asset).catch(() => {});
    } catch (error) {
      if (view !== mine) return;
      clear();
      reader.tell(root, error, show);
    } finally {
      if (view === mine) table.setAttribute("aria-busy", "false");
    }
  };

  const showRows = () => {
    table.hidden = rows.length === 0;
    for (const name of ["copy", "download"]) part<HTMLButtonElement>(controls, name).disabled = table.hidden;
  };
  const clear = () => {
    rows = [];
    showRows();
    part(root, "pages").hidden = true;
    for (const name of ["count", "footnote"]) part(root, name).textContent = "";
  };

  function renderControls(asset: string): void {
    const found = assets.find(({ symbol }) => symbol === asset);
    document.title = `Holders of ${asset} · Soprano`;
    controls.disabled = false;
    picker.show(found ?? { symbol: asset, name: asset });
    select("order").value = orderValue(view);
    select("label").value = view.label ?? "";
    const own = new Set([
      ...(found?.cohorts ?? []).map(({ selector }) => selector.slice(1)),
      ...(view.cohort === null ? [] : [view.cohort]),
    ]);
    fill(select("cohort"), option("", "Any"), ...[...own].map((name) => option(name, `@${name}`)));
    select("cohort").value = view.cohort ?? "";
    part(controls, "own").hidden = own.size === 0;
    setPressed(groups, view.group ?? "");
    const { first, last } = found?.ranges.day ?? { first: "", last: "" };
    [day.min, day.max] = [first.slice(0, 10), last.slice(0, 10)];
    // The API takes other times of a day, too, and spans.
    day.value = /^\d{4}-\d\d-\d\d/.exec(view.at ?? "")?.[0] ?? "";
    // A day has its balances alone.
    for (const name of ["order", "label", "cohort"]) select(name).disabled = view.at !== null;
    for (const button of groups.querySelectorAll("button")) button.disabled = view.at !== null;
  }

  function renderList(list: HolderList<Holder> | HolderList<LargeHolder>): void {
    const { offset, limit, isLast } = rowsOf(view);
    const isOver = isLast || list.holders.length < limit;
    if (view.at === null) {
      const ranked = filtered(list.holders as Holder[], view);
      rows = ranked.map(({ row }) => row);
      const press = (sort: HoldersView["sort"]) =>
        change({ sort, order: sort === view.sort && view.order === "desc" ? "asc" : "desc" });
      fill(table, tableOf(listColumns(list.asset), ranked, { sort: view.sort, order: view.order, press }));
    } else {
      rows = list.holders as LargeHolder[];
      const ranked = (list.holders as LargeHolder[]).map((row, i) => ({ row, rank: offset + i + 1 }));
      fill(table, tableOf(dayColumns(list.asset), ranked));
    }
    showRows();
    table.scrollTop = 0;
    scrollToSorted(table);
    part(root, "count").textContent = countText(list.holders.length, offset);
    if (rows.length === 0) showNone(list, isOver);
    else if (view.at !== null) showSentence(root, dayText(list), backToLast());
    renderPages(isOver);
    fill(part(root, "footnote"), closeText(list), ...footnote(requestPath({ ...view, asset: list.asset })));
  }

  function countText(brought: number, offset: number): string {
    if (brought === 0) return "";
    const span = `${counted(offset + 1)} to ${counted(offset + brought)}`;
    return rows.length === brought ? `Ranks ${span}` : `${counted(rows.length)} of ranks ${span}`;
  }

  const link = (title: string, changed: Partial<HoldersView>) =>
    h("button", { type: "button", onclick: () => change(changed) }, title);
  const backToLast = () => link("Back to the last close", { at: null });
  const dayText = ({ at = "" }: HolderList<unknown>) =>
    `The largest 1,000 at the close of ${dateText(parseTime(at))}. Their cost and profit are known for the last close alone.`;

  /** Why there is no row, and what to do. */
  function showNone({ asset, holders, asOf }: HolderList<unknown>, isOver: boolean): void {
    if (holders.length > 0) {
      const more = isOver ? [] : [link("Look through the next 1,000", { page: view.page + 1 })];
      const all = link("Show all", { label: null, cohort: null });
      showSentence(root, `None of these ${counted(holders.length)} addresses fits.`, ...more, all);
    } else if (view.page > 1) showSentence(root, "The list ends before this page.", link("First page", {}));
    else if (view.group !== null || view.label !== null || view.cohort !== null) {
      showSentence(root, "There is no such address.", link("Show all", { group: null, label: null, cohort: null }));
    } else {
      const end = dateText(parseTime(asOf));
      showSentence(root, `Nobody holds ${asset} yet: its data end on ${end}, and the next build may have holders.`);
    }
  }

  function renderPages(isOver: boolean): void {
    const { limit } = rowsOf(view);
    const step = (title: string, page: number, isOffered: boolean) =>
      h(
        "button",
        { type: "button", "data-focus": title, disabled: !isOffered, onclick: () => change({ page }) },
        title,
      );
    const pages = part(root, "pages");
    pages.hidden = view.page === 1 && isOver;
    fill(
      pages,
      step(`Previous ${counted(limit)}`, view.page - 1, view.page > 1),
      step(`Next ${counted(limit)}`, view.page + 1, !isOver),
    );
  }

  /** The day whose close it is. */
  function closeText({ asOf }: HolderList<unknown>): string {
    const close = Math.floor(parseTime(asOf) / DAY_SECONDS) * DAY_SECONDS;
    return view.at === null ? `At the close of ${dateText(close - DAY_SECONDS)}. ` : "";
  }

  /** Draws the year of each address that is among the largest: six requests, and one if there is none. */
  async function drawBalances(asset: string): Promise<void> {
    const { first, last } = assets.find(({ symbol }) => symbol === asset)?.ranges.day ?? {};
    if (first === undefined || last === undefined) return;
    const days = pointDays(parseTime(first), parseTime(last));
    const places = [...table.querySelectorAll<HTMLElement>("[data-balances]")];
    const addressOf = (place: HTMLElement) => place.dataset.balances!;
    const listOf = async (at: string) => {
      const { holders } = await reader.ask<HolderList<LargeHolder>>(largestPath(asset, at));
      return new Map(holders.map((row) => [row.address, row]));
    };
    const [now, ...others] = listDays(days);
    const latest = await listOf(now!);
    if (!places.some((place) => latest.has(addressOf(place)))) return;
    const lists = [latest, ...(await Promise.all(others.map(listOf)))];
    for (const place of places) {
      const label = `The balance of ${shortAddress(addressOf(place))} over a year`;
      fill(place, sparkElement(balancesOf(addressOf(place), lists, days.length), label) as Node);
    }
  }

  select("order").addEventListener("change", () => {
    const chosen = ORDERS.find((one) => orderValue(one) === select("order").value);
    if (chosen) change({ sort: chosen.sort, order: chosen.order });
  });
  select("label").addEventListener("change", () => change({ label: select("label").value || null }));
  select("cohort").addEventListener("change", () => change({ cohort: select("cohort").value || null }));
  day.addEventListener("change", () => change({ at: day.value || null }));
  groups.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("button");
    if (button) change({ group: (button.value || null) as HoldersView["group"], label: null });
  });
  part(controls, "copy").addEventListener("click", async () => {
    const isDone = await copyText(recordsText(rows, "\t"));
    announce(isDone ? `${counted(rows.length)} rows copied.` : "The browser doesn't let this page copy: use CSV.");
    part(controls, "copy").textContent = isDone ? "Copied" : "Not copied";
    setTimeout(() => {
      part(controls, "copy").textContent = "Copy";
    }, 2_000);
  });
  part(controls, "download").addEventListener("click", () => {
    const name = `${view.asset ?? assets[0]?.symbol}_holders${view.at === null ? "" : `_${view.at}`}.csv`;
    saveFile(new Blob([recordsText(rows, ",")], { type: "text/csv" }), name);
  });
  return show;
}

/** On narrow pages, the column that the order is of may be out of view. */
function scrollToSorted(table: HTMLElement): void {
  const head = table.querySelector("[aria-sort]");
  const hidden = head === null ? 0 : head.getBoundingClientRect().right - table.getBoundingClientRect().right;
  if (hidden > 0) table.scrollLeft += hidden;
}

/** The request for all largest addresses of a day. */
export const largestPath = (asset: string, at: string) => `/v3/holders?a=${queryValue(asset)}&at=${at}&limit=1000`;
