/** The page `/assets`: all assets in a table, from GET /v3/screener, with own columns, filters and a watchlist. */

import { errorText } from "../../data-schema/formula/error-text.ts";
import { FormulaError } from "../../data-schema/formula.ts";
import { SCREENER_COLUMNS, type ScreenerColumn } from "../../data-schema/stored.ts";
import type { Catalog } from "./api/catalog.ts";
import { storedKey } from "./api/key.ts";
import { getJson } from "./api/load.ts";
import { asProblem } from "./api/problem.ts";
import { connectAssetLink } from "./panels/chrome/asset-picker.ts";
import { loadCatalog } from "./panels/chrome/start.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { UndoSteps } from "./panels/chrome/undo.ts";
import { copyText } from "./panels/copy-text.ts";
import { KeyDialog } from "./panels/dialogs/key-dialog.ts";
import { announce, fill, h, part, setPressed } from "./panels/dom.ts";
import { connectAdder } from "./screener/adder.ts";
import { connectColumnGuide } from "./screener/column-guide.ts";
import { ComputedColumns, type Need } from "./screener/computed.ts";
import { assetsLacking, readAddition, readColumn, readRowCondition } from "./screener/own-columns.ts";
import {
  type AssetRow,
  type Change,
  type FieldsOf,
  fitting,
  ownFields,
  type RowCondition,
  type ScreenerOrder,
  sorted,
} from "./screener/screener-rows.ts";
import { bodyRow, headRow } from "./screener/screener-table.ts";
import {
  FIRST_SCREENER_VIEW,
  formatScreenerView,
  MOST_OWN,
  parseScreenerView,
  type ScreenerView,
  toggled,
} from "./screener/view.ts";
import { star, starred } from "./screener/watchlist.ts";
import { addressIn, holdingsPath } from "./search/find-address.ts";

const root = document.body;
const keyDialog = new KeyDialog(part<HTMLDialogElement>(root, "key-dialog"), part(root, "key"));
connectAssetLink(root);
connectThemeSwitch(part<HTMLButtonElement>(root, "theme"));

const search = part<HTMLInputElement>(root, "search");
const controls = ["search", "change", "by", "watched", "copy", "add", "open-guide"];
const table = part(root, "table");
const notice = part(root, "notice");
const head = h("thead");
const body = h("tbody");
table.append(h("table", {}, head, body));

let catalog: Catalog | null = null;
let key: string | null = null;
let rows: readonly AssetRow[] = [];
let view: ScreenerView = parseScreenerView(location.search);
/** The view's own columns and conditions as they were read; those that can't be are told. */
let columns: readonly ScreenerColumn[] = [];
let conditions: readonly RowCondition[] = [];
/** The elements of the rows, as they look now: each is made once. */
const elements = new Map<AssetRow, HTMLElement>();
const rowOf = new WeakMap<Element, AssetRow>();
/** The rows in sight, and near it: own columns are computed for these. */
const visible = new Set<AssetRow>();
const steps = new UndoSteps<{ address: string; stars: readonly string[] }>();

const computed = new ComputedColumns(
  (path) => getJson(path, key),
  () => renderSoon(),
  (column) => assetsLacking(column, catalog!),
);
const isOwn = (column: ScreenerColumn) => !SCREENER_COLUMNS.includes(column);
const fieldsOf: FieldsOf = (row, column) => {
  if (!isOwn(column)) return ownFields(row, column);
  return row.t === null ? null : computed.fields(column, row.asset);
};
const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const row = rowOf.get(target);
      if (row === undefined) continue;
      if (isIntersecting) visible.add(row);
      else visible.delete(row);
    }
    if (columns.length > 0) renderSoon();
  },
  { root: table, rootMargin: "200px" },
);

const address = () => `/assets${formatScreenerView(view)}`;

/** Shows another view, as a new entry in the browser's history. */
function change(changed: Partial<ScreenerView>): void {
  view = { ...view, ...changed };
  history.pushState(null, "", address());
  record();
  read();
}

function record(): void {
  steps.record({ address: address(), stars: starred() }, false);
}

/** Shows the view of the address bar. */
function reopen(): void {
  view = parseScreenerView(location.search);
  search.value = view.words;
  read();
}

/** Reads the formulas of the view, and shows it. */
function read(): void {
  if (catalog === null) return;
  const wrong: string[] = [];
  const kept = <T>(texts: readonly string[], reading: (text: string) => T | FormulaError): T[] =>
    texts.flatMap((text) => {
      const found = reading(text);
      if (!(found instanceof FormulaError)) return [found];
      wrong.push(`“${text}” can't be read: ${errorText(found)}`);
      return [];
    });
  const own = catalog;
  columns = kept(view.columns, (text) => readColumn(text, own)).filter(isOwn);
  conditions = kept(view.conditions, (text) => readRowCondition(text, own, columns));
  part(root, "problem").textContent = wrong.join(" ");
  render();
}

let isRenderDue = false;
/** Values arrive in batches, and rows come in sight together: one look at all of them. */
function renderSoon(): void {
  if (isRenderDue) return;
  isRenderDue = true;
  requestAnimationFrame(() => {
    isRenderDue = false;
    render();
  });
}

const columnNamed = (name: string) => [...SCREENER_COLUMNS, ...columns].find((column) => column.name === name);

/** The order of the view, or the first one if there is no such column. */
function shownOrder(): { order: ScreenerOrder; column: ScreenerColumn | null } {
  const column = columnNamed(view.order.column) ?? null;
  if (column !== null || view.order.column === "asset") return { order: view.order, column };
  return { order: FIRST_SCREENER_VIEW.order, column: columnNamed(FIRST_SCREENER_VIEW.order.column)! };
}

function render(): void {
  const { order, column } = shownOrder();
  const found = fitting(rows, { ...view, conditions }, fieldsOf);
  const shown = sorted(found.rows, order, column, view.change, fieldsOf);
  const look = { sort, remove };
  fill(head, headRow(order, columns, look));
  const stars = new Set(starred());
  const made = shown.map((row) => elementOf(row, stars.has(row.asset)));
  if (made.length !== body.children.length || made.some((element, i) => element !== body.children[i]))
    fill(body, ...made);
  computed.need(needsOf(found.pending, column, shown));
  const all = rows.length === 1 ? "1 asset" : `${rows.length} assets`;
  const isAll = shown.length === rows.length && rows.length > 0;
  const count = isAll ? all : `${shown.length} of ${all}`;
  part(root, "count").textContent = found.pending.length > 0 ? `${count}, computing ${found.pending.length}…` : count;
  setPressed(part(root, "change"), view.change);
  setPressed(part(root, "by"), view.order.by);
  renderConditions();
  renderWatched();
  renderProblem();
}

/** What has to be computed: all that filters and the order need, and of other own columns what is in sight. */
function needsOf(pending: readonly AssetRow[], sortedBy: ScreenerColumn | null, shown: readonly AssetRow[]): Need[] {
  const sides = conditions.flatMap(({ left, right }) => [left, right]);
  const filtered = sides.flatMap((side) =>
    typeof side === "number" || !isOwn(side) ? [] : { column: side, rows: pending },
  );
  const inSight = shown.filter((row) => visible.has(row));
  return [...filtered, ...columns.map((column) => ({ column, rows: column === sortedBy ? shown : inSight }))];
}

/** The element of a row; another one once its own columns have arrived, or it looks different. */
function elementOf(row: AssetRow, isStarred: boolean): HTMLElement {
  const known = elements.get(row);
  const own = columns.map((column) => `${column.name}${fieldsOf(row, column) === undefined ? "…" : ""}`);
  const state = [view.change, isStarred, ...own].join();
  if (known?.dataset.state === state) return known;
  if (known) sight.unobserve(known);
  const element = bodyRow(row, {
    change: view.change,
    isStarred,
    own: columns,
    fieldsOf,
    star: toggleStar,
  });
  element.dataset.state = state;
  elements.set(row, element);
  rowOf.set(element, row);
  sight.observe(element);
  return element;
}

function renderConditions(): void {
  const chips = view.conditions.map((text) => {
    const onclick = () => change({ conditions: toggled(view.conditions, text) });
    const remove = h("button", { type: "button", class: "quiet remove", "aria-label": `Remove ${text}`, onclick }, "×");
    return h("li", {}, h("code", {}, text), remove);
  });
  fill(part(root, "conditions"), ...chips);
  part(root, "conditions").hidden = chips.length === 0;
}

const isSame = (a: readonly string[], b: readonly string[]) => a.toSorted().join() === b.toSorted().join();

/** The button of the watchlist, and whose list it is that a link shows. */
function renderWatched(): void {
  const { watched } = view;
  part(root, "watched").setAttribute("aria-pressed", String(watched !== null));
  const line = part(root, "shared");
  line.hidden = watched === null || isSame(watched, starred());
  if (line.hidden || watched === null) return;
  const adopt = () => {
    keepStars([...new Set([...starred(), ...watched])]);
    record();
    read();
  };
  const count = watched.length === 1 ? "one asset" : `${watched.length} assets`;
  const own = () => change({ watched: starred() });
  fill(
    line,
    `The watchlist of this link has ${count}. `,
    h("button", { type: "button", onclick: adopt }, watched.length === 1 ? "Star it, too" : "Star them, too"),
    starred().length > 0 && " ",
    starred().length > 0 && h("button", { type: "button", onclick: own }, "Show yours"),
  );
}

function renderProblem(): void {
  const sides = conditions.flatMap(({ left, right }) => [left, right]);
  const own = [...columns, ...sides.filter((side) => typeof side !== "number")];
  const failed = own.map((column) => ({ column, problem: computed.problem(column) })).find(({ problem }) => problem);
  const line = part(root, "failed");
  line.hidden = failed === undefined;
  if (failed === undefined) return;
  const retry = () => {
    computed.retry();
    read();
  };
  const { column, problem } = failed;
  const text = `${column.title} couldn't be computed for all assets: ${problem!.title}. ${problem!.advice} `;
  fill(line, text, h("button", { type: "button", "data-focus": "retry", onclick: retry }, "Try again"));
}

/** A first press sorts numbers from the highest, and names from A. */
function sort(column: string): void {
  const { order } = shownOrder();
  const isDescending = order.column === column ? !order.isDescending : column !== "asset";
  change({ order: { ...view.order, column, isDescending } });
}

function remove(column: ScreenerColumn): void {
  const place = columns.indexOf(column);
  const readable = view.columns.filter((text) => catalog && !(readColumn(text, catalog) instanceof FormulaError));
  change({ columns: readable.toSpliced(place, 1) });
  announce(`${column.title} removed.`);
}

function keepStars(stars: readonly string[]): void {
  const problem = star(stars);
  if (problem !== null) announce(problem);
}

/** A watchlist that is shown has what is starred. */
function toggleStar(asset: string): void {
  const before = starred();
  const stars = toggled(before, asset);
  keepStars(stars);
  announce(stars.includes(asset) ? `${asset} is on the watchlist.` : `${asset} is off the watchlist.`);
  if (view.watched !== null && isSame(view.watched, before)) change({ watched: stars.length > 0 ? stars : null });
  else {
    record();
    read();
  }
}

part(root, "watched").addEventListener("click", () => {
  if (view.watched !== null) change({ watched: null });
  else if (starred().length > 0) change({ watched: starred() });
  else part(root, "problem").textContent = "Your watchlist is empty: star assets in the first column.";
});
search.addEventListener("input", () => {
  view = { ...view, words: search.value.trim() };
  history.replaceState(null, "", address());
  render();
});
search.addEventListener("change", record);
search.addEventListener("keydown", ({ key }) => {
  if (key !== "Enter") return;
  const [first] = body.querySelectorAll<HTMLAnchorElement>("th a");
  const wanted = addressIn(search.value);
  if (first) location.assign(first.href);
  else if (wanted !== null) location.assign(holdingsPath(wanted));
});
for (const name of ["change", "by"] as const) {
  part(root, name).addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("button");
    if (!button) return;
    if (name === "change") change({ change: button.value as Change });
    else change({ order: { ...shownOrder().order, by: button.value as ScreenerOrder["by"] } });
  });
}
part(root, "copy").addEventListener("click", async () => {
  const isCopied = await copyText(location.origin + address());
  announce(isCopied ? "Link copied." : "The browser doesn't allow copying. Copy the address of the page.");
  part(root, "copy").textContent = isCopied ? "Copied" : "Not copied";
  setTimeout(() => {
    part(root, "copy").textContent = "Copy link";
  }, 2_000);
});
connectColumnGuide(root, () => columns);
connectAdder(
  root,
  () => ({ catalog, columns }),
  (text) => {
    if (catalog === null) return null;
    const added = readAddition(text, catalog, columns);
    if (added instanceof FormulaError) return added;
    const isColumn = added.kind === "column";
    if (isColumn && (!isOwn(added.column) || columns.some(({ name }) => name === added.column.name)))
      return `The table has a column ${added.column.title} already.`;
    const list = isColumn ? view.columns : view.conditions;
    if (list.length >= MOST_OWN)
      return `A table has at most ${MOST_OWN} own columns and as many filters: remove one first.`;
    part(root, "problem").textContent = "";
    change(isColumn ? { columns: [...list, text] } : { conditions: [...new Set([...list, text])] });
    announce(isColumn ? `Column ${added.column.title} added.` : "Filter added.");
    return null;
  },
);
addEventListener("popstate", () => {
  reopen();
  record();
});
steps.listen(({ address, stars }) => {
  keepStars(stars);
  history.pushState(null, "", address);
  reopen();
});

async function load(): Promise<void> {
  notice.hidden = true;
  table.setAttribute("aria-busy", "true");
  try {
    const loaded = await loadCatalog();
    key = storedKey() ?? loaded.settings.publicKey;
    if (key === null) return keyDialog.openForMissingKey();
    const { assets } = await getJson<{ assets: AssetRow[] }>("/v3/screener", key);
    const found = new Map(loaded.catalog.assets.map((asset) => [asset.symbol, asset]));
    catalog = loaded.catalog;
    rows = assets.map((row) => ({ ...row, contract: found.get(row.asset)?.contract, was: found.get(row.asset)?.was }));
    for (const name of controls) part<HTMLInputElement>(root, name).disabled = false;
    computed.clear();
    search.value = view.words;
    read();
    if (steps.shown === undefined) record();
  } catch (error) {
    const problem = asProblem(error);
    if (problem.isAboutKey) keyDialog.open(problem.advice);
    const again = h("button", { type: "button", onclick: () => void load() }, "Try again");
    fill(notice, `${problem.title}. ${problem.advice} `, again);
    notice.hidden = false;
  } finally {
    table.setAttribute("aria-busy", "false");
  }
}

keyDialog.onChange = () => void load();
void load();
