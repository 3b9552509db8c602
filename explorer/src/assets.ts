/** The page `/assets`: all assets in a table, from GET /v3/screener. */

import { storedKey } from "./api/key.ts";
import { getJson } from "./api/load.ts";
import { asProblem } from "./api/problem.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { KeyDialog } from "./panels/dialogs/key-dialog.ts";
import { fill, h, part, setPressed } from "./panels/dom.ts";
import { type AssetRow, matches, type ScreenerOrder, sorted } from "./screener/screener-rows.ts";
import { bodyRow, type Change, headRow } from "./screener/screener-table.ts";
import { addressIn, holdingsPath } from "./search/find-address.ts";

const root = document.body;
const keyDialog = new KeyDialog(part<HTMLDialogElement>(root, "key-dialog"), part(root, "key"));
connectThemeSwitch(part<HTMLButtonElement>(root, "theme"));

const search = part<HTMLInputElement>(root, "search");
const changes = part<HTMLFieldSetElement>(root, "change");
const table = part(root, "table");
const notice = part(root, "notice");
const head = h("thead");
const body = h("tbody");
table.append(h("table", {}, head, body));

let rows: readonly AssetRow[] = [];
let change: Change = "7d";
let order: ScreenerOrder = { column: "market_cap", isDescending: true };
/** The elements of the rows, with one of the changes: each is made once. */
let elements = new Map<AssetRow, HTMLElement>();

function render(): void {
  const shown = sorted(
    rows.filter((row) => matches(row, search.value.trim())),
    order,
  );
  fill(head, headRow(order, sort));
  body.replaceChildren(...shown.map(elementOf));
  const all = rows.length === 1 ? "1 asset" : `${rows.length} assets`;
  part(root, "count").textContent = shown.length === rows.length ? all : `${shown.length} of ${all}`;
  setPressed(changes, change);
}

function elementOf(row: AssetRow): HTMLElement {
  const known = elements.get(row) ?? bodyRow(row, change);
  elements.set(row, known);
  return known;
}

/** A first press sorts numbers from the highest, and names from A. */
function sort(column: string): void {
  const isSame = order.column === column;
  order = { column, isDescending: isSame ? !order.isDescending : column !== "asset" };
  render();
}

search.addEventListener("input", render);
search.addEventListener("keydown", ({ key }) => {
  const address = key === "Enter" ? addressIn(search.value) : null;
  if (address !== null) location.assign(holdingsPath(address));
});
changes.addEventListener("click", ({ target }) => {
  const button = (target as Element).closest("button");
  if (!button) return;
  change = button.value as Change;
  elements = new Map();
  render();
});

async function load(): Promise<void> {
  notice.hidden = true;
  table.setAttribute("aria-busy", "true");
  try {
    const { publicKey } = await getJson<{ publicKey: string | null }>("/explorer.json");
    const key = storedKey() ?? publicKey;
    if (key === null) return keyDialog.openForMissingKey();
    rows = (await getJson<{ assets: AssetRow[] }>("/v3/screener", key)).assets;
    elements = new Map();
    search.disabled = changes.disabled = false;
    render();
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
