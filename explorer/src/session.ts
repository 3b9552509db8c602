/** The one owner of what the page shows. Each transition replaces the page; views watch the parts that they render. */

import { isCalendar } from "../../data-schema/registry.ts";
import { addressWriter } from "./address-writer.ts";
import { type Asset, type Catalog, findAsset } from "./api/catalog.ts";
import { Arrangement, type Curves } from "./arrangement.ts";
import { type ChartData, LOADING } from "./chart-data.ts";
import type { AssetEvent } from "./data/events.ts";
import type { Restatement } from "./data/restatements.ts";
import { rowsWithin } from "./data/table.ts";
import { bucketLength, type TimeZone } from "./format/time.ts";
import { formatAddress, parseAddress } from "./state/address.ts";
import { type ChartState, normalise, overviewOf } from "./state/chart-state.ts";
import { defaultLines } from "./state/default-lines.ts";
import { visibleBounds } from "./state/requests.ts";
import { type Trace, tracesOf } from "./state/traces.ts";

export interface Page {
  readonly catalog: Catalog;
  readonly chart: ChartState;
  /** The chart's asset; undefined only in an empty catalog. */
  readonly asset: Asset | undefined;
  /** What the chart draws, a column of the table each. */
  readonly traces: readonly Trace[];
  readonly data: ChartData;
  /** The curves that were loaded; of a family, all of them. */
  readonly loaded: Curves;
  /** The whole history of the first trace, for the brush; of days, weeks and months, that is the chart's own data. */
  readonly overview: ChartData;
  /** What is known of published points that were replaced, of any asset. */
  readonly restatements: readonly Restatement[];
  /** What is known of the calendars of assets, in the order of time. */
  readonly events: readonly AssetEvent[];
  /** Sentences about input that was ignored. */
  readonly notes: readonly string[];
  /** The row under the crosshair, and whether the keyboard put it there; null without a crosshair. */
  readonly cursor: { row: number; isByKeyboard: boolean } | null;
  /** The pane that the list of metrics changes. */
  readonly activePane: number;
  /** The zone in which times are shown. */
  readonly zone: TimeZone;
}

/** A part of the page that a view can watch. */
type Part = keyof Page | keyof ChartState;

interface Dependencies {
  catalog: Catalog;
  /** The browser's, or as much of it as a session uses. */
  history: Record<"pushState" | "replaceState", (data: unknown, unused: string, url: string) => void>;
  load(chart: ChartState, signal: AbortSignal): Promise<ChartData>;
  zone: TimeZone;
}

/** For a chart whose address is not that of the page: in a frame the history is that of the page around it. */
export const NO_HISTORY = { pushState: () => {}, replaceState: () => {} };

export class Session {
  readonly #dependencies: Dependencies;
  readonly #arrangement = new Arrangement();
  readonly #watchers: (() => void)[] = [];
  #page: Page;
  #loading = new AbortController();
  readonly #writeSoon: () => void;

  /** @param search the address bar's query string */
  constructor(dependencies: Dependencies, search: string) {
    this.#dependencies = dependencies;
    this.#writeSoon = addressWriter(
      (address) => dependencies.history.replaceState(null, "", address),
      () => formatAddress(this.#page.chart),
    );
    this.#page = this.#parse(search);
  }

  get page(): Page {
    return this.#page;
  }

  /** Renders now, and again after each transition that replaces one of the parts. */
  watch(parts: readonly Part[], render: (page: Page) => void): void {
    let rendered: unknown[] | undefined;
    const update = () => {
      const current = { ...this.#page.chart, ...this.#page };
      const values = parts.map((part) => current[part]);
      if (rendered && values.every((value, i) => value === rendered?.[i])) return;
      rendered = values;
      render(this.#page);
    };
    this.#watchers.push(update);
    update();
  }

  /** Shows the chart of the address bar. */
  open(search: string): void {
    this.#set(this.#parse(search));
    void this.load();
  }

  /** Shows the chart of a query string, as a new entry in the browser's history. */
  visit(search: string): void {
    const { catalog } = this.#dependencies;
    const { chart, notes } = parseAddress(search, catalog, defaultLines(catalog));
    this.show(chart);
    if (notes.length > 0) this.#set({ ...this.#page, notes });
  }

  /** Shows another chart, as a new entry in the browser's history. */
  show(chart: ChartState): void {
    this.#dependencies.history.pushState(null, "", formatAddress(chart));
    this.#set(this.#pageOf(chart, []));
    void this.load();
  }

  /** Changes the current chart, and removes what the changed one can't show. */
  change(next: (chart: ChartState) => ChartState): void {
    this.show(normalise(next(this.#page.chart), this.#page.catalog));
  }

  /** Shows the same data in another zoom or look, in the same entry of the history. */
  adjust(next: (chart: ChartState) => ChartState): void {
    const { chart: old, catalog } = this.#page;
    const changed = next(old);
    const chart = changed.panes === old.panes ? changed : normalise(changed, catalog);
    // The crosshair stays where nothing below it moves.
    const isStill = chart.panes === old.panes && chart.zoom === old.zoom && chart.range === old.range;
    this.#set({ ...this.#page, chart, cursor: isStill ? this.#page.cursor : null });
    this.#writeSoon();
  }

  /** Chooses the pane that the list of metrics changes. */
  activate(pane: number): void {
    if (pane !== this.#page.activePane) this.#set({ ...this.#page, activePane: pane });
  }

  /** Loads the chart's data. A later call cancels an earlier one. */
  async load(): Promise<void> {
    this.#loading.abort();
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    const { chart, loaded } = this.#page;
    this.#set({ ...this.#page, loaded: { ...loaded, data: LOADING }, cursor: null });
    const data = await this.#dependencies.load(chart, signal);
    if (signal.aborted) return;
    const isWhole = isCalendar(chart.resolution) || data.status !== "loaded";
    this.#set({ ...this.#page, loaded: { ...loaded, data }, ...(isWhole && { overview: data }) });
    if (isWhole) return;
    const overview = await this.#dependencies.load(overviewOf(chart), signal);
    if (!signal.aborted) this.#set({ ...this.#page, overview });
  }

  /** Ends what is loading: nobody shows the chart any more. */
  close(): void {
    this.#loading.abort();
  }

  setCursor(cursor: Page["cursor"]): void {
    this.#set({ ...this.#page, cursor });
  }

  setRestatements(restatements: readonly Restatement[]): void {
    this.#set({ ...this.#page, restatements });
  }

  setEvents(events: readonly AssetEvent[]): void {
    this.#set({ ...this.#page, events });
  }

  /** Shows times in another time zone. */
  setZone(zone: TimeZone): void {
    this.#set({ ...this.#page, zone });
  }

  /** Reports input that was ignored. */
  note(text: string): void {
    this.#set({ ...this.#page, notes: [text] });
  }

  #parse(search: string): Page {
    const { catalog } = this.#dependencies;
    const { chart, notes } = parseAddress(search, catalog, defaultLines(catalog));
    this.#dependencies.history.replaceState(null, "", formatAddress(chart));
    return this.#pageOf(chart, notes);
  }

  #pageOf(chart: ChartState, notes: readonly string[]): Page {
    const { catalog } = this.#dependencies;
    const asset = findAsset(catalog, chart.asset);
    const activePane = Math.min(this.#page?.activePane ?? 0, chart.panes.length - 1);
    const zone = this.#page?.zone ?? this.#dependencies.zone;
    const restatements = this.#page?.restatements ?? [];
    const events = this.#page?.events ?? [];
    const loaded = { traces: tracesOf(chart, catalog), data: LOADING };
    const unloaded = { ...loaded, loaded, overview: LOADING, cursor: null };
    return { catalog, chart, asset, restatements, events, notes, activePane, zone, ...unloaded };
  }

  #set(page: Page): void {
    this.#page = { ...page, ...this.#arrangement.of(page.loaded, page.chart, page.asset) };
    for (const update of this.#watchers) update();
  }
}

/** The rows of the table that the chart's pins are in; those outside what is loaded have none. */
export function pinnedRows({ data, chart }: Pick<Page, "data" | "chart">): number[] {
  const { t } = data.table;
  const rows = chart.pins.flatMap((time) => {
    const row = t.findLastIndex((start) => start <= time);
    const start = t[row];
    const isIn = start !== undefined && (start === time || time < start + bucketLength(start, chart.resolution));
    return isIn ? row : [];
  });
  return [...new Set(rows)];
}

/** The times of the buckets that are pinned, ascending. */
export const pinnedTimes = (page: Pick<Page, "data" | "chart">): number[] =>
  pinnedRows(page).map((row) => page.data.table.t[row]!);

/** The rows [from, to) of the table that the chart shows. */
export function visibleRows({ data, chart, asset }: Pick<Page, "data" | "chart" | "asset">): {
  from: number;
  to: number;
} {
  return rowsWithin(data.table, visibleBounds(chart, asset));
}
