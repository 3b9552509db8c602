/** The pages `/boards` and `/boards/<name>`: charts in a grid, with one asset, one range and one crosshair. */

import { addressWriter } from "./address-writer.ts";
import { findAsset } from "./api/catalog.ts";
import { storedKey } from "./api/key.ts";
import { askWith, Loader } from "./api/load.ts";
import { type BoardCell, makeCell, type Surroundings } from "./boards/cell.ts";
import { chartTitles, findChart } from "./boards/find-chart.ts";
import { Together } from "./boards/together.ts";
import { loadChart } from "./chart-data.ts";
import { RestatementLog } from "./data/restatements.ts";
import { connectAssetMenu } from "./panels/chrome/asset-menu.ts";
import { untilReachable } from "./panels/chrome/offline.ts";
import { start } from "./panels/chrome/start.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { storedZone } from "./panels/chrome/zone-menu.ts";
import { copyText } from "./panels/copy-text.ts";
import { connectFileChooser } from "./panels/dialogs/file-chooser.ts";
import { keepDraft, keptDraft, leaveFor } from "./panels/dialogs/kept-board.ts";
import { KeyDialog } from "./panels/dialogs/key-dialog.ts";
import { announce, fill, h, part, setPressed } from "./panels/dom.ts";
import { showNotice } from "./panels/notice.ts";
import { saveFile } from "./panels/save-file.ts";
import { letWheelScroll } from "./panels/wheel.ts";
import { formatAddress, parseAddress } from "./state/address.ts";
import {
  BOARD_FILE,
  type Board,
  type BoardChart,
  COLUMNS,
  EMPTY_BOARD,
  formatBoard,
  formatFile,
  HEIGHTS,
  MOST_CHARTS,
  parseBoard,
  parseFile,
  partOf,
} from "./state/board-in-link.ts";
import { setAsset, setRange } from "./state/changes.ts";
import { type ChartState, PLAIN_LOOK, type Preset } from "./state/chart-state.ts";
import { shownPreset } from "./state/requests.ts";

/** Characters that servers and chats take. */
const LONGEST_LINK = 8_000;
/** The path without a name. */
const OWN = "/boards";

const root = document.body;
const grid = part(root, "frame");
const keyDialog = new KeyDialog(part<HTMLDialogElement>(root, "key-dialog"), part(root, "key"));
connectThemeSwitch(part<HTMLButtonElement>(root, "theme"));
letWheelScroll();

/** The board that the page's file holds, and its path; without charts on the page of new boards. */
const shipped: Board = JSON.parse(part(root, "board").textContent!);
const home = location.pathname;
const { catalog, settings } = await start(root);

const loader = new Loader();
const around: Surroundings = {
  catalog,
  keyDialog,
  zone: storedZone(),
  template: part<HTMLTemplateElement>(root, "cell"),
  log: new RestatementLog(),
  ask: askWith(loader, () => storedKey() ?? settings.publicKey),
  load: untilReachable(
    (chart, signal) => loadChart(chart, catalog, loader, storedKey() ?? settings.publicKey, signal),
    part(root, "offline"),
  ),
};
const menu = part<HTMLSelectElement>(root, "asset");
const range = part<HTMLFieldSetElement>(root, "range");
const columns = part<HTMLFieldSetElement>(root, "columns");
const adder = part<HTMLInputElement>(root, "add");

let board = shipped;
/** The asset, range and zoom of all charts, as a chart without lines. */
let shared: ChartState;
const cells = new Map<BoardChart, BoardCell>();
const together = new Together((shown) => {
  shared = { ...shared, ...shown };
  renderRange();
  writeSoon();
});

const tell = (text: string, isDone = true) => {
  const status = part(root, "state");
  status.textContent = text;
  status.classList.toggle("error-text", !isDone);
};

/** What all charts share, as a query string. */
const common = () => partOf(formatAddress(shared), "shared");

/** A board as it was deployed keeps its short address. */
const address = () =>
  board === shipped && shipped.charts.length > 0 ? `${home}?${common()}` : OWN + formatBoard(board, common());

const writeSoon = addressWriter((written) => history.replaceState(null, "", written), address);

/** Shows the board of the address bar. */
function open(): void {
  const { pathname, search } = location;
  board = parseBoard(search) ?? (pathname === home ? shipped : EMPTY_BOARD);
  shared = { ...parseAddress(search, catalog, []).chart, panes: [{ ...PLAIN_LOOK, lines: [] }] };
  for (const cell of cells.values()) discard(cell);
  cells.clear();
  render();
}

/** Shows another board, as a new entry in the browser's history, and keeps it in this browser. */
function change(next: Board): void {
  board = next;
  history.pushState(null, "", address());
  keepDraft(board);
  render();
}

function cellOf(chart: BoardChart): BoardCell {
  const known = cells.get(chart);
  if (known) return known;
  /** The chart as it is now. */
  let own = chart;
  const replace = (next: (place: number) => readonly BoardChart[]) =>
    change({ ...board, charts: next(board.charts.indexOf(own)) });
  const cell = makeCell(chart, `?${chart.query}&${common()}`, around, {
    onOpen: () => leaveFor({ board, shared: common(), place: board.charts.indexOf(own) }),
    onHeight: () => {
      const height = HEIGHTS[(HEIGHTS.indexOf(own.height) + 1) % HEIGHTS.length]!;
      const resized = { ...own, height };
      const charts = board.charts.with(board.charts.indexOf(own), resized);
      cells.delete(own);
      cells.set(resized, cell);
      own = resized;
      cell.resize(height);
      announce(`${height[0]!.toUpperCase()}${height.slice(1)}.`);
      change({ ...board, charts });
    },
    onMove: (by) =>
      replace((place) => {
        const to = Math.max(0, Math.min(board.charts.length - 1, place + by));
        return board.charts.toSpliced(place, 1).toSpliced(to, 0, own);
      }),
    onRemove: () => replace((place) => board.charts.toSpliced(place, 1)),
  });
  together.add(cell);
  cells.set(chart, cell);
  return cell;
}

function discard(cell: BoardCell): void {
  together.remove(cell);
  cell.remove();
}

function render(): void {
  for (const [chart, cell] of cells) {
    if (board.charts.includes(chart)) continue;
    discard(cell);
    cells.delete(chart);
  }
  const focused = document.activeElement as HTMLElement | null;
  for (const [place, chart] of board.charts.entries()) {
    const { root } = cellOf(chart);
    if (grid.children[place] !== root) grid.insertBefore(root, grid.children[place] ?? null);
  }
  // An element that is moved loses it.
  focused?.focus({ preventScroll: true });
  grid.style.setProperty("--columns", String(board.columns));
  const title = board.title || "Your board";
  part(root, "title").textContent = title;
  document.title = `${title} · ${shared.asset} · Soprano`;
  part(root, "text").textContent = board.text;
  part(root, "empty").hidden = board.charts.length > 0;
  const name = part<HTMLInputElement>(root, "name");
  if (document.activeElement !== name) name.value = board.title;
  setPressed(columns, String(board.columns));
  menu.value = shared.asset;
  for (const id of ["copy", "export"]) part<HTMLButtonElement>(root, id).disabled = board.charts.length === 0;
  renderRange();
  renderBoards();
}

function renderRange(): void {
  setPressed(range, shownPreset(shared, findAsset(catalog, shared.asset)) ?? "");
}

/** Links to the deployed boards, and to the user's own. */
function renderBoards(): void {
  const list = part(root, "boards");
  for (const link of list.querySelectorAll("a")) {
    link.href = `${link.pathname}?${common()}`;
    markCurrent(link, link.pathname === location.pathname && link.pathname !== OWN);
  }
  const draft = keptDraft();
  const own = part<HTMLAnchorElement>(root, "own");
  own.hidden = draft === null && location.pathname === OWN;
  own.href = draft === null ? `${OWN}?${common()}` : OWN + formatBoard(draft, common());
  own.textContent = draft === null ? "New board" : draft.title || "Your board";
  markCurrent(own, location.pathname === OWN && board.charts.length > 0);
}

function markCurrent(link: HTMLElement, isCurrent: boolean): void {
  if (isCurrent) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

function connect(): void {
  fill(part(root, "names"), ...chartTitles(catalog, catalog.assets[0]!.symbol).map((value) => h("option", { value })));
  for (const control of root.querySelectorAll<HTMLButtonElement>(".board-bar [disabled]")) control.disabled = false;
  connectAssetMenu(menu, catalog, (symbol) => {
    shared = setAsset(shared, symbol);
    for (const { session } of cells.values()) session.change((chart) => setAsset(chart, symbol));
    history.pushState(null, "", address());
    render();
  });
  range.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("button");
    if (!button) return;
    shared = setRange(shared, { preset: button.value as Preset });
    together.show(shared);
    renderRange();
    writeSoon();
  });
  columns.addEventListener("click", ({ target }) => {
    const chosen = COLUMNS.find((count) => String(count) === (target as Element).closest("button")?.value);
    if (chosen) change({ ...board, columns: chosen });
  });
  part(root, "add-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const words = adder.value.trim();
    if (words === "") return;
    if (board.charts.length >= MOST_CHARTS) return tell(`A board has at most ${MOST_CHARTS} charts.`, false);
    const query = findChart(words, catalog, shared.asset);
    if (query === null) return tell(`Nothing is called “${words.slice(0, 40)}”.`, false);
    change({ ...board, charts: [...board.charts, { query, height: "medium", title: null }] });
    adder.value = "";
    tell("");
    announce("Chart added.");
  });
  part(root, "name").addEventListener("change", ({ target }) => {
    change({ ...board, title: (target as HTMLInputElement).value.trim() });
  });
  part(root, "copy").addEventListener("click", async () => {
    if (address().length > LONGEST_LINK) return tell("This board is too long for a link: export it to a file.", false);
    const isCopied = await copyText(location.origin + address());
    tell(isCopied ? "Link copied." : "The browser doesn't allow copying. Copy the address of the page.", isCopied);
  });
  part(root, "export").addEventListener("click", () => {
    const name = (board.title || "board")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "");
    saveFile(new Blob([formatFile(board)], { type: "application/json" }), `${name || "board"}.json`);
  });
  const read = (text: string) => {
    change(parseFile(text));
    tell("Board imported.");
  };
  connectFileChooser(part(root, "import"), part(root, "file"), BOARD_FILE, read, (problem) => tell(problem, false));
  addEventListener("popstate", () => {
    open();
    // What is undone is the board that one has made, again.
    if (board !== shipped) keepDraft(board);
    renderBoards();
  });
  keyDialog.onChange = () => {
    loader.clear();
    for (const { session } of cells.values()) void session.load();
  };
}

grid.setAttribute("aria-busy", "false");
if (catalog.assets.length > 0) {
  connect();
  open();
  if (board.charts.length === 0) adder.focus();
  history.replaceState(null, "", address());
} else {
  showNotice(
    root,
    "message",
    "No data published yet",
    "Publish an asset with npx soprano build, then reload this page.",
  );
}
