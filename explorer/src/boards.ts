/** The pages `/boards` and `/boards/<name>`: charts in a grid, with one asset, one range and one crosshair. */

import { addressWriter } from "./address-writer.ts";
import { findAsset } from "./api/catalog.ts";
import { storedKey } from "./api/key.ts";
import { askWith, Loader } from "./api/load.ts";
import { type BoardCell, makeCell, type Surroundings } from "./boards/cell.ts";
import { boardSource } from "./boards/source.ts";
import { makeTextCell, textDraft } from "./boards/text-cell.ts";
import { Together } from "./boards/together.ts";
import { loadChart } from "./chart-data.ts";
import { EventLog } from "./data/events.ts";
import { RestatementLog } from "./data/restatements.ts";
import { type AssetPicker, connectAssetPicker } from "./panels/chrome/asset-picker.ts";
import { untilReachable } from "./panels/chrome/offline.ts";
import { start } from "./panels/chrome/start.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { UndoSteps } from "./panels/chrome/undo.ts";
import { storedZone } from "./panels/chrome/zone-menu.ts";
import { copyText } from "./panels/copy-text.ts";
import { connectFileChooser } from "./panels/dialogs/file-chooser.ts";
import { keepBoard, keptBoards, knownAs, leaveFor } from "./panels/dialogs/kept-board.ts";
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
  type BoardItem,
  type BoardText,
  boardProblem,
  COLUMNS,
  EMPTY_BOARD,
  formatBoard,
  formatFile,
  HEIGHTS,
  isBoardText,
  MOST_CHARTS,
  parseBoard,
  parseFile,
  partOf,
} from "./state/board-in-link.ts";
import { setAsset, setRange } from "./state/changes.ts";
import { type ChartState, PLAIN_LOOK, type Preset } from "./state/chart-state.ts";
import { boardOf, type KnownBoard } from "./state/own-boards.ts";
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
const ask = askWith(loader, () => storedKey() ?? settings.publicKey);
const around: Surroundings = {
  catalog,
  keyDialog,
  zone: storedZone(),
  template: part<HTMLTemplateElement>(root, "cell"),
  log: new RestatementLog(),
  calendar: new EventLog(ask),
  ask,
  load: untilReachable(
    (chart, signal) => loadChart(chart, catalog, loader, storedKey() ?? settings.publicKey, signal),
    part(root, "offline"),
  ),
};
const range = part<HTMLFieldSetElement>(root, "range");
const columns = part<HTMLFieldSetElement>(root, "columns");
const adder = part<HTMLInputElement>(root, "add");

let picker: AssetPicker;
let board = shipped;
/** What the browser keeps the board as. */
let known: KnownBoard = { id: null, search: "" };
/** The asset, range and zoom of all charts, as a chart without lines. */
let shared: ChartState;
const cells = new Map<BoardItem, BoardCell>();
/** How many boards have been shown: what was begun for one of them isn't for the next. */
let opened = 0;
/** A new text that is being written. */
let draft: HTMLElement | null = null;
const steps = new UndoSteps<{ id: string | null; address: string }>();
const together = new Together((shown) => {
  shared = { ...shared, ...shown };
  renderRange();
  writeSoon();
  record(true);
});

/** Says what has been done, or why not. */
const tell = (text: string, isDone = true, canUndo = false) => {
  const status = part(root, "state");
  const undo = canUndo && h("button", { type: "button", class: "quiet", onclick: () => steps.go(-1, show) }, "Undo");
  fill(status, text, undo);
  status.classList.toggle("error-text", !isDone);
};

/** What all charts share, as a query string. */
const common = () => partOf(formatAddress(shared), "shared");

/** A board as it was deployed keeps its short address. */
const address = () =>
  board === shipped && shipped.charts.length > 0 ? `${home}?${common()}` : OWN + formatBoard(board, common());

const writeSoon = addressWriter((written) => history.replaceState(history.state, "", written), address);

/** Notes what the page shows, so that one can come back to it. */
function record(isZoom = false): void {
  const shown = address();
  if (shown !== steps.shown?.address) steps.record({ id: known.id, address: shown }, isZoom);
}

/** Shows what was undone or done again, as a new entry in the browser's history. */
function show({ id, address }: { id: string | null; address: string }): void {
  history.pushState(id, "", address);
  tell("");
  reopen();
}

/** Shows the board of the address bar, which is an earlier or later state of one. */
function reopen(): void {
  keepWriting();
  const before = known;
  open();
  if (known.id === before.id) known = before;
  // What is undone is the board that one has made, again.
  if (known.id !== null && board.charts.length > 0) keep();
  renderBoards();
}

/** Keeps the board in this browser, under a name of its own. */
function keep(): void {
  const kept = keepBoard(known, board);
  ({ board, known } = kept);
  if (kept.problem !== null) tell(kept.problem, false);
}

/** Whether the address bar has another board already. */
let isLeft = false;

/** Keeps the text that someone is writing with its board, which another one replaces. */
function keepWriting(): void {
  isLeft = true;
  // It is taken once the focus leaves it.
  grid.querySelector<HTMLElement>(".text-editor :focus")?.blur();
  isLeft = false;
}

/** Shows the board of the address bar. */
function open(): void {
  opened++;
  const { pathname, search } = location;
  const problem = boardProblem(search);
  part(root, "problem").hidden = problem === null;
  part(root, "problem").textContent = problem;
  board = parseBoard(search) ?? (pathname === home ? shipped : EMPTY_BOARD);
  known = knownAs(board, typeof history.state === "string" ? history.state : null);
  shared = { ...parseAddress(search, catalog, []).chart, panes: [{ ...PLAIN_LOOK, lines: [] }] };
  for (const cell of cells.values()) discard(cell);
  cells.clear();
  draft?.remove();
  render();
}

/** Shows another board, as a new entry in the browser's history, and keeps it in this browser. */
function change(next: Board): void {
  board = next;
  keep();
  // Ctrl Z leads back to it.
  if (isLeft) {
    record();
    return;
  }
  // Without charts, it is no board: the next chart begins another one.
  if (board.charts.length === 0) known = { id: null, search: "" };
  history.pushState(known.id, "", address());
  record();
  render();
}

/** Moves and removes what is at a place. */
const arranged = (own: () => BoardItem) => ({
  onMove: (by: number) => {
    const place = board.charts.indexOf(own());
    const to = Math.max(0, Math.min(board.charts.length - 1, place + by));
    change({ ...board, charts: board.charts.toSpliced(place, 1).toSpliced(to, 0, own()) });
  },
  onRemove: () => {
    const what = isBoardText(own()) ? "Text" : "Chart";
    change({ ...board, charts: board.charts.filter((item) => item !== own()) });
    tell(`${what} removed.`, true, true);
  },
});

function cellOf(item: BoardItem): BoardCell {
  const there = cells.get(item);
  if (there) return there;
  const cell = isBoardText(item) ? textCellOf(item) : chartCellOf(item);
  together.add(cell);
  cells.set(item, cell);
  return cell;
}

function textCellOf(own: BoardText): BoardCell {
  const { onMove, onRemove } = arranged(() => own);
  const replace = (changed: Partial<BoardText>) =>
    change({ ...board, charts: board.charts.map((item) => (item === own ? { ...own, ...changed } : item)) });
  return makeTextCell(own, {
    onMove,
    onRemove,
    onText: (text) => (text === "" ? onRemove() : replace({ text })),
    onWidth: () => replace({ isWide: !own.isWide }),
  });
}

function chartCellOf(chart: BoardChart): BoardCell {
  /** The chart as it is now. */
  let own = chart;
  const cell = makeCell(chart, `?${chart.query}&${common()}`, around, {
    onOpen: () => leaveFor({ board, id: known.id, shared: common(), place: board.charts.indexOf(own) }),
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
    ...arranged(() => own),
  });
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
  picker.show(findAsset(catalog, shared.asset) ?? { symbol: shared.asset, name: shared.asset });
  for (const id of ["copy", "export", "print", "picture"]) {
    part<HTMLButtonElement | HTMLFieldSetElement>(root, id).disabled = board.charts.length === 0;
  }
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
  const own = keptBoards().map((kept) => {
    const link = h("a", { href: OWN + formatBoard(boardOf(kept), common()) }, boardOf(kept).title);
    markCurrent(link, kept.id === known.id);
    return link;
  });
  fill(part(root, "own"), ...own);
  part<HTMLAnchorElement>(root, "new").href = `${OWN}?${common()}`;
  part(root, "delete").hidden = own.every((link) => !link.hasAttribute("aria-current"));
}

function markCurrent(link: HTMLElement, isCurrent: boolean): void {
  if (isCurrent) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

/** Loads all charts, also those that are loaded once they are near. */
const loadAll = () => Promise.all([...cells.values()].map((cell) => cell.load()));

const source = () => boardSource(findAsset(catalog, shared.asset), `${location.origin}${address()}`, Date.now() / 1000);

/** Whether the board is being printed, or drawn as a picture. */
let isBusy = false;

/**
 * Does what needs all charts, one thing at a time.
 *
 * @param work isn't called where the board is another one by then
 */
async function withAll<Script>(script: Promise<Script>, work: (script: Script) => Promise<void>): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  const shown = board;
  try {
    const [loaded] = await Promise.all([script.catch(() => null), loadAll()]);
    if (board !== shown) tell("");
    else if (loaded === null) tell("The script that draws pictures can't be loaded: reload the page.", false);
    else await work(loaded);
  } finally {
    isBusy = false;
  }
}

/** Whether a click is the second one of a double click, which may come only once the first one's picture has been drawn. */
const isSecond = (detail: number) => detail > 1;

const printAll = () => withAll(Promise.resolve({}), printLoaded);

async function printLoaded(): Promise<void> {
  const { text, link } = source();
  fill(part(root, "source"), text, h("br"), h("a", { href: link }, link));
  // They are drawn in the next frame.
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  print();
}

/** Downloads the board as a picture. */
async function savePicture(scale: number): Promise<void> {
  tell("Drawing …");
  await withAll(import("./boards/board-picture.ts"), (script) => saveLoaded(script, scale));
}

async function saveLoaded({ boardPicture }: typeof import("./boards/board-picture.ts"), scale: number): Promise<void> {
  const blob = await boardPicture(
    { board, cells: board.charts.map(cellOf), title: board.title || "Your board", ...source() },
    scale,
  );
  if (blob === null)
    return tell("The browser can't draw a picture of this size: take the smaller one, or print.", false);
  saveFile(blob, `${fileName()}.png`);
  tell("Picture downloaded.");
}

/** The board's name as that of a file. */
const fileName = () =>
  (board.title || "board")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "") || "board";

/** What finds charts by words, once someone wants to add one. */
const finding = () => import("./boards/find-chart.ts");

/** Charts are added in the order in which they were typed, also while what finds them is on its way. */
let adding = Promise.resolve();

function addChart(): void {
  const words = adder.value.trim();
  if (words === "" || isFull()) return;
  adder.value = "";
  const own = opened;
  adding = adding.then(async () => {
    const script = await finding().catch(() => null);
    if (own !== opened) return;
    if (script === null) {
      adder.value ||= words;
      return tell("The script that finds charts can't be loaded: reload the page.", false);
    }
    const query = script.findChart(words, catalog, shared.asset);
    if (query === null) {
      adder.value ||= words;
      return tell(`Nothing is called “${words.slice(0, 40)}”.`, false);
    }
    if (isFull()) return;
    change({ ...board, charts: [...board.charts, { query, height: "medium", title: null }] });
    tell("");
    announce("Chart added.");
  });
}

/** Whether nothing can be added; says so. */
function isFull(): boolean {
  const isSo = board.charts.length >= MOST_CHARTS;
  if (isSo) tell(`A board has at most ${MOST_CHARTS} charts and texts.`, false);
  return isSo;
}

/** A place at the end to write a text. */
function addText(): void {
  if (isFull()) return;
  draft?.remove();
  draft = textDraft((text) => change({ ...board, charts: [...board.charts, { text, isWide: true }] }));
  grid.append(draft);
  draft.querySelector("textarea")?.focus();
}

function connect(): void {
  adder.addEventListener(
    "focus",
    async () => {
      const script = await finding().catch(() => null);
      const titles = script?.chartTitles(catalog, catalog.assets[0]!.symbol) ?? [];
      fill(part(root, "names"), ...titles.map((value) => h("option", { value })));
    },
    { once: true },
  );
  for (const control of root.querySelectorAll<HTMLButtonElement>(".board-bar [disabled]")) control.disabled = false;
  const { assets } = catalog;
  const chooseAsset = (symbol: string) => {
    shared = setAsset(shared, symbol);
    for (const [chart, cell] of cells) {
      cell.session?.change((own) => setAsset(own, symbol));
      if (cell.session !== null) continue;
      // Another asset may have the series that this one lacks.
      discard(cell);
      cells.delete(chart);
    }
    history.pushState(known.id, "", address());
    record();
    render();
  };
  picker = connectAssetPicker(root, () => assets, chooseAsset);
  range.addEventListener("click", ({ target }) => {
    const button = (target as Element).closest("button");
    if (!button) return;
    shared = setRange(shared, { preset: button.value as Preset });
    together.show(shared);
    renderRange();
    writeSoon();
    record();
  });
  columns.addEventListener("click", ({ target }) => {
    const chosen = COLUMNS.find((count) => String(count) === (target as Element).closest("button")?.value);
    if (chosen) change({ ...board, columns: chosen });
  });
  part(root, "add-form").addEventListener("submit", (event) => {
    event.preventDefault();
    addChart();
  });
  part(root, "add-text").addEventListener("click", addText);
  part(root, "picture").addEventListener("click", ({ target, detail }) => {
    const button = (target as Element).closest("button");
    if (button && !isSecond(detail)) void savePicture(Number(button.value));
  });
  part(root, "name").addEventListener("change", ({ target }) => {
    const title = (target as HTMLInputElement).value.trim();
    const isTaken = keptBoards().some((one) => one.id !== known.id && boardOf(one).title === title);
    if (isTaken) return tell(`You have a board “${title}” already.`, false);
    change({ ...board, title });
    tell("");
  });
  part(root, "delete").addEventListener("click", () => {
    const { title } = board;
    change({ ...EMPTY_BOARD });
    tell(`Board “${title}” deleted.`, true, true);
  });
  part(root, "print").addEventListener("click", ({ detail }) => {
    if (!isSecond(detail)) void printAll();
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "p") return;
    event.preventDefault();
    void printAll();
  });
  part(root, "copy").addEventListener("click", async () => {
    if (address().length > LONGEST_LINK) return tell("This board is too long for a link: export it to a file.", false);
    const isCopied = await copyText(location.origin + address());
    tell(isCopied ? "Link copied." : "The browser doesn't allow copying. Copy the address of the page.", isCopied);
  });
  part(root, "export").addEventListener("click", () => {
    saveFile(new Blob([formatFile(board)], { type: "application/json" }), `${fileName()}.json`);
  });
  const read = (text: string) => {
    const imported = parseFile(text);
    // A board of its own, and not another state of the one that is shown.
    known = { id: null, search: "" };
    change(imported);
    tell("Board imported.");
  };
  connectFileChooser(part(root, "import"), part(root, "file"), BOARD_FILE, read, (problem) => tell(problem, false));
  addEventListener("popstate", () => {
    reopen();
    record();
  });
  steps.listen(show);
  keyDialog.onChange = () => {
    loader.clear();
    for (const { session } of cells.values()) void session?.load();
  };
}

grid.setAttribute("aria-busy", "false");
if (catalog.assets.length > 0) {
  connect();
  open();
  if (board.charts.length === 0) adder.focus();
  history.replaceState(known.id, "", address());
  record();
} else {
  showNotice(
    root,
    "message",
    "No data published yet",
    "Publish an asset with npx soprano build, then reload this page.",
  );
}
