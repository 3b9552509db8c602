/** The page: one state, changed by the controls, shown by the parts. */

import { align, indicesWithin, lastValue, positive, type Table } from "./align.ts";
import {
  type Asset,
  type Catalog,
  findAsset,
  findMetric,
  type Metric,
  type Resolution,
  signsOf,
  type Unit,
} from "./catalog.ts";
import * as changes from "./changes.ts";
import { Chart } from "./chart.ts";
import { toCsv } from "./csv.ts";
import { byId, fill, h, press } from "./dom.ts";
import { full, moment, selectorName, sentence, seriesName, unitTitle } from "./format.ts";
import { storedKey, takeKeyFromAddress } from "./key.ts";
import { KeyDialog } from "./key-dialog.ts";
import { getJson, type Loaded, Loader, MOST_POINTS } from "./load.ts";
import { MetricList } from "./metric-list.ts";
import { Notice } from "./notice.ts";
import { PointTable } from "./point-table.ts";
import { Problem } from "./problem.ts";
import { rangeBounds, seriesRequest, visibleBounds } from "./request.ts";
import { RequestPanel } from "./request-panel.ts";
import { SeriesList, type Standing } from "./series-list.ts";
import {
  formatState,
  type Interval,
  type Preset,
  parseState,
  resolutionOf,
  resolutionsFor,
  type State,
  unitsOf,
} from "./state.ts";
import { connectThemeSwitch } from "./theme-switch.ts";
import { DAY, parseTime } from "./time.ts";
import { openingSeries, viewsOf } from "./views.ts";

const keyOfAddress = takeKeyFromAddress();

let catalog: Catalog;
let state: State;
let publicKey: string | null = null;
/** The points of the state's series; none while they are loading: the chart in sight is then still the one before. */
let table: Table = { t: [], columns: [] };
let loading = new AbortController();
/** What the address named that there is not. */
let left = "";

const key = () => storedKey() ?? publicKey;
const say = (text: string) => {
  byId("status").textContent = text;
};
const asset = () => findAsset(catalog, state.asset);
const metrics = () => state.series.map(({ metric }) => findMetric(catalog, metric)!);
const names = () => state.series.map(({ selector }, i) => seriesName(metrics()[i], selector, asset()));

const loader = new Loader();
const notice = new Notice();
const points = new PointTable();
const requests = new RequestPanel(storedKey, say);
const keyDialog = new KeyDialog(() => {
  loader.forget();
  requests.render(namedRequests());
  void load();
});
const chart = new Chart(byId("chart"), {
  onRow: showRow,
  onZoom: (zoom) => {
    if (table.t.length > 0) setZoom(zoom);
  },
  onReset: () => setZoom(null),
});
const metricList = new MetricList({
  onShow: (choice) => change(changes.showSeries(state, choice, catalog)),
  onAdd: (choice) => change(changes.addSeries(state, choice, catalog)),
});
const seriesList = new SeriesList({
  onSelector: (index, selector) => change(changes.setSelector(state, index, selector, catalog)),
  onRemove: (index) => change(changes.removeSeries(state, index, catalog)),
  onAdd: (choice) => change(changes.addSeries(state, choice, catalog)),
});

connectControls();
await start();

async function start(): Promise<void> {
  notice.loading();
  try {
    const [{ metrics, groups, signs }, { assets }, settings] = await Promise.all([
      getJson<Omit<Catalog, "assets">>("/v1/metrics"),
      getJson<Pick<Catalog, "assets">>("/v1/assets"),
      getJson<{ publicKey: string | null; version: string }>("/explorer.json"),
    ]);
    catalog = { metrics, groups, signs, assets };
    publicKey = settings.publicKey;
    byId("version").textContent = `Soprano ${settings.version}`;
  } catch (error) {
    notice.problem(error as Problem, { title: "Try again", act: start });
    return;
  }
  if (catalog.assets.length === 0) {
    notice.message("Nothing published yet", "Build an asset with npx soprano build, then load this page again.");
    return;
  }
  enableControls();
  readAddress();
}

/** There is nothing to choose until the catalog is here. */
function enableControls(): void {
  for (const id of ["asset", "open-metrics", "search", "resolution", "range", "open-dates", "dates", "scale", "copy"]) {
    byId<HTMLButtonElement>(id).disabled = false;
  }
}

/** Takes the state from the address bar. */
function readAddress(): void {
  const parsed = parseState(location.search, catalog, openingSeries(catalog));
  state = parsed.state;
  history.replaceState(null, "", formatState(state));
  left = parsed.notes.join(" ");
  showState();
  void load();
}

/** Goes to another state, as a new entry of the history. */
function change(next: State): void {
  state = next;
  left = "";
  history.pushState(null, "", formatState(state));
  showState();
  void load();
}

/** A zoom changes what is looked at, not what is loaded. */
function setZoom(zoom: Interval | null): void {
  state = { ...state, zoom };
  history.replaceState(null, "", formatState(state));
  chart.setZoom(zoom);
  showPoints();
  const { from, to } = visible();
  say(
    to > from
      ? `${zoom ? "Zoomed to" : "Showing"} ${moment(table.t[from], state.resolution)} to ${moment(table.t[to - 1], state.resolution)}, ${to - from} points.`
      : "No points in sight.",
  );
}

/** Loads the series of the state and draws them; a later call ends an earlier one. */
async function load(): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  table = { t: [], columns: [] };
  byId<HTMLButtonElement>("download").disabled = true;
  showRow(null);
  if (key() === null) {
    chart.clear();
    points.clear();
    const why =
      keyOfAddress === "malformed"
        ? "What stands in the link as a key is none: a key is a UUID. Enter it here."
        : "This Soprano has no public key: enter one of your own.";
    const open = () => keyDialog.open(why);
    notice.message("A key is needed", "Requests for series carry an API key.", { title: "Enter a key", act: open });
    open();
    return;
  }
  const bounds = rangeBounds(state, asset());
  const standings: Standing[] = state.series.map(() => "loading");
  const loaded: (Loaded | undefined)[] = state.series.map(() => undefined);
  notice.loading();
  seriesList.setStandings(standings);
  await Promise.all(
    state.series.map(async (choice, i) => {
      try {
        loaded[i] = await loader.load(seriesRequest(choice, state, catalog, bounds), key(), signal);
        standings[i] = "ready";
      } catch (error) {
        if (signal.aborted) return;
        standings[i] = error instanceof Problem ? error : new Problem("unreadable", "Something broke", String(error));
      }
    }),
  );
  if (signal.aborted) return;
  table = align(loaded.map((one) => one?.points ?? NO_POINTS));
  draw();
  seriesList.setStandings(standings);
  report(standings, loaded);
}

const NO_POINTS = { t: new Float64Array(), v: new Float64Array() };

/** Says in words how loading went. */
function report(standings: Standing[], loaded: (Loaded | undefined)[]): void {
  const failed = standings.findIndex((standing) => standing instanceof Problem);
  const problem = standings[failed] as Problem | undefined;
  const again = { title: "Try again", act: load };
  if (problem) {
    const act = problem.isOfKey ? { title: "Enter a key", act: () => keyDialog.open(problem.message) } : again;
    if (table.t.length === 0) notice.problem(problem, act);
    else {
      notice.hide();
      footnote(
        `${names()[failed]}: ${problem.title}. ${problem.message}${problem.suggestion ? ` Perhaps ${problem.suggestion}?` : ""}`,
        true,
      );
    }
    say(`${problem.title}. ${problem.message}`);
    return;
  }
  if (table.t.length === 0) {
    const span = asset()?.ranges[state.resolution];
    const reach = span
      ? ` ${state.asset} has points from ${span.first.slice(0, 10)} to ${span.last.slice(0, 10)}.`
      : "";
    notice.message("No points in this range", `Nothing was defined or happened here.${reach}`, {
      title: "Show everything",
      act: () => change(changes.setRange(state, { preset: "all" })),
    });
    say("No points in this range.");
    return;
  }
  notice.hide();
  if (loaded.some((one) => one?.isCut)) {
    footnote(
      `Only the first ${full(MOST_POINTS, "count")} points are shown: choose a shorter range to see the rest.`,
      true,
    );
  }
  const { t } = table;
  say(
    `${names().join("; ")}. ${state.asset}, per ${state.resolution}, ${t.length} points, ` +
      `${moment(t[0], state.resolution)} to ${moment(t[t.length - 1], state.resolution)}.`,
  );
}

function draw(): void {
  const isLog = state.scale === "log";
  const { table: shown, dropped } = isLog ? positive(table) : { table, dropped: 0 };
  const lost = dropped > 0 ? "Points that are not above zero have no place on a log scale and are left out." : "";
  footnote([left, lost].filter(Boolean).join(" "), left !== "");
  const titles = new Map(unitsOf(state.series, catalog).map((unit) => [unit, axisTitle(unit)]));
  const lines = metrics().map(({ unit }, i) => ({ name: names()[i], unit, color: `--series-${i + 1}` }));
  chart.draw({ table: shown, lines, isLog, titles }, state.zoom);
  showPoints();
}

const LONGEST_AXIS_TITLE = 50;

/** Of two axes, each says what is on it, if that is short enough. */
function axisTitle(unit: Unit): string {
  const own = metrics().filter((metric) => metric.unit === unit);
  const short = unitTitle(unit, asset());
  if (own.length === metrics().length) return short;
  const long = `${sentence([...new Set(own.map(({ title }) => title))])}, ${short}`;
  return long.length > LONGEST_AXIS_TITLE ? short : long;
}

/** All that depends on the state alone. */
function showState(): void {
  const shown = metrics();
  byId<HTMLSelectElement>("asset").value = state.asset;
  showAssets(asset());
  showHead(shown);
  metricList.render(catalog, state);
  seriesList.render(catalog, state);
  byId("chart").setAttribute("aria-label", `Chart of ${names().join(", ")} of ${state.asset}`);
  press(byId("resolution"), state.resolution);
  const there = resolutionsFor(state.series, catalog, asset());
  for (const button of byId("resolution").querySelectorAll("button")) {
    button.disabled = !there.includes(button.value as Resolution);
    button.title = button.disabled ? "What is shown is not made at this resolution" : "";
  }
  press(byId("range"), "preset" in state.range ? state.range.preset : "");
  press(byId("scale"), state.scale);
  showDates();
  footnote(left, left !== "");
  requests.render(namedRequests());
}

function showAssets(current: Asset | undefined): void {
  const select = byId<HTMLSelectElement>("asset");
  fill(
    select,
    ...catalog.assets.map(({ symbol, name }) =>
      h("option", { value: symbol }, symbol === name ? name : `${symbol} · ${name}`),
    ),
  );
  select.value = state.asset;
  const last = current?.ranges.day?.last;
  byId("as-of").textContent = last ? `data up to ${last.slice(0, 10)}` : "";
  byId("made-from").textContent = current?.name ?? "the token";
}

function showHead(shown: Metric[]): void {
  const different = [...new Map(shown.map((metric) => [metric.name, metric])).values()];
  const title = sentence(different.map((metric) => metric.title));
  byId("title").textContent = title;
  document.title = `${state.asset} ${title} · Soprano`;
  fill(
    byId("about"),
    ...different.map((metric) =>
      h(
        "p",
        {},
        different.length > 1 && h("strong", {}, `${metric.title}. `),
        metric.description,
        " ",
        h("code", { class: "formula" }, metric.formula),
      ),
    ),
    signs(different.map(({ formula }) => formula)),
  );
  fill(
    byId("views"),
    ...viewsOf(catalog, state.asset).map((view) => {
      const address = formatState(view.state);
      return h(
        "a",
        {
          href: address,
          "aria-current": address === formatState({ ...state, zoom: null }) ? "true" : undefined,
          onclick: (event: MouseEvent) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            change(view.state);
          },
        },
        view.title,
      );
    }),
  );
}

/** What the signs in the formulas stand for. */
function signs(formulas: string[]): HTMLElement | null {
  const shown = signsOf(formulas, catalog);
  if (shown.length === 0) return null;
  return h(
    "dl",
    { class: "signs" },
    ...shown.map(({ sign, meaning }) =>
      h("div", {}, h("dt", {}, h("code", { class: "formula" }, sign)), h("dd", {}, meaning)),
    ),
  );
}

function showDates(): void {
  const span = asset()?.ranges[state.resolution];
  const { since, until } = rangeBounds(state, asset());
  const dates = [
    ["since", since, span?.first],
    ["until", until, span?.last],
  ] as const;
  for (const [id, bound, edge] of dates) {
    const input = byId<HTMLInputElement>(id);
    input.value = bound === null ? (edge?.slice(0, 10) ?? "") : new Date(bound * 1000).toISOString().slice(0, 10);
    input.min = span?.first.slice(0, 10) ?? "";
    input.max = span?.last.slice(0, 10) ?? "";
  }
}

/** Rows of the table that are in sight. */
function visible(): { from: number; to: number } {
  const { from, to } = state.zoom ?? { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const [first, end] = indicesWithin(table.t, from, to);
  return { from: first, to: end };
}

function showPoints(): void {
  byId("reset").hidden = state.zoom === null;
  byId<HTMLButtonElement>("download").disabled = table.t.length === 0;
  requests.render(namedRequests());
  showRow(null);
  const { from, to } = visible();
  if (to === from) points.clear();
  else {
    const titles = new Set(metrics().map(({ title }) => title));
    // What all columns are of is in no head of theirs.
    const columns = state.series.map(({ selector }, i) => ({
      name: titles.size === 1 && selector !== null ? selectorName(selector, asset()) : names()[i],
      unit: metrics()[i].unit,
    }));
    points.render(table, sentence([...titles]), columns, state.resolution, from, to);
  }
}

/** Values under the crosshair; without one, the last ones in sight. */
function showRow(row: number | null, isToBeTold = false): void {
  const { from, to } = visible();
  const shown = row ?? to - 1;
  if (to <= from || shown < 0) {
    byId("moment").textContent = "\u00a0";
    return;
  }
  byId("moment").textContent = moment(table.t[shown], state.resolution);
  const isCoarse = metrics().map((metric) => resolutionOf(metric, state.resolution) !== state.resolution);
  // A day's value holds for its hours and blocks.
  const values = table.columns.map((column, i) =>
    row === null || isCoarse[i] ? lastValue(column, from, shown) : column[shown],
  );
  seriesList.setValues(values);
  if (isToBeTold) {
    const told = values.map(
      (value, i) => `${names()[i]}: ${typeof value === "number" ? full(value, metrics()[i].unit) : "no point"}`,
    );
    say(`${byId("moment").textContent}. ${told.join("; ")}.`);
  }
}

function namedRequests() {
  const bounds = visibleBounds(state, asset());
  return state.series.map((choice) => ({
    name: choice.selector === null ? choice.metric : `${choice.metric} ${choice.selector}`,
    request: seriesRequest(choice, state, catalog, bounds),
  }));
}

function footnote(text: string, isWarning = false): void {
  const element = byId("footnote");
  element.hidden = text === "";
  element.textContent = text;
  element.classList.toggle("warning", isWarning);
}

function connectControls(): void {
  const onPress = <T extends string>(id: string, act: (value: T) => void) =>
    byId(id).addEventListener("click", (event) => {
      const button = (event.target as Element).closest("button");
      if (button && state) act(button.value as T);
    });
  onPress<Resolution>("resolution", (resolution) => change(changes.setResolution(state, resolution, catalog)));
  onPress<Preset>("range", (preset) => change(changes.setRange(state, { preset })));
  onPress<State["scale"]>("scale", (scale) => {
    state = { ...state, scale };
    history.replaceState(null, "", formatState(state));
    press(byId("scale"), scale);
    if (table.t.length > 0) draw();
  });
  byId("reset").addEventListener("click", () => {
    setZoom(null);
    byId("chart").focus({ preventScroll: true });
  });
  byId<HTMLSelectElement>("asset").addEventListener("change", ({ target }) =>
    change(changes.setAsset(state, (target as HTMLSelectElement).value, catalog)),
  );
  byId("open-dates").addEventListener("click", ({ currentTarget }) => {
    const button = currentTarget as HTMLElement;
    button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") === "false"));
  });
  for (const id of ["since", "until"]) byId(id).addEventListener("change", setDates);
  byId("download").addEventListener("click", download);
  connectThemeSwitch(byId<HTMLButtonElement>("theme"), () => chart.redraw());
  addEventListener("popstate", () => {
    // A link with a key may be put into the address bar of a page that is open.
    if (takeKeyFromAddress() === "key") keyDialog.close();
    if (catalog) readAddress();
  });
}

function setDates(): void {
  const read = (id: string) => {
    const seconds = parseTime(byId<HTMLInputElement>(id).value);
    return Number.isNaN(seconds) ? null : seconds;
  };
  const since = read("since");
  // A date means all of that day.
  const until = read("until");
  if (since !== null && until !== null && since > until) {
    footnote("The first date is later than the last one.", true);
    return;
  }
  change(changes.setRange(state, { since, until: until === null ? null : until + DAY - 1 }));
}

function download(): void {
  const { from, to } = visible();
  const header = state.series.map(({ metric, selector }) => (selector === null ? metric : `${metric} ${selector}`));
  const blob = new Blob([toCsv(table, header, from, to)], { type: "text/csv" });
  const link = h("a", {
    href: URL.createObjectURL(blob),
    download: `${state.asset}_${[...new Set(state.series.map(({ metric }) => metric))].join("_")}_${state.resolution}.csv`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  say(`${to - from} points downloaded.`);
}
