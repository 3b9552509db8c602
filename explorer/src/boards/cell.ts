/** A chart of a board: a session of its own, in a root of its own. */

import type { Catalog } from "../api/catalog.ts";
import type { Ask } from "../api/load.ts";
import type { Chart } from "../chart/chart.ts";
import type { ChartData } from "../chart-data.ts";
import type { EventLog } from "../data/events.ts";
import type { RestatementLog } from "../data/restatements.ts";
import type { TimeZone } from "../format/time.ts";
import { connectChart } from "../panels/chrome/chart-panel.ts";
import { connectLoadReport } from "../panels/chrome/load-report.ts";
import { connectStudy } from "../panels/chrome/study-panel.ts";
import type { KeyDialog } from "../panels/dialogs/key-dialog.ts";
import { h, part } from "../panels/dom.ts";
import { connectLegend, plainLegend } from "../panels/legends/legend.ts";
import { showNotice } from "../panels/notice.ts";
import { connectAround } from "../panels/tables/around-panel.ts";
import { NO_HISTORY, Session } from "../session.ts";
import { formatAddress, parseAddress } from "../state/address.ts";
import type { BoardChart, Height } from "../state/board-in-link.ts";
import type { ChartState } from "../state/chart-state.ts";
import { chartTitle } from "../state/chart-title.ts";

export interface BoardCell {
  root: HTMLElement;
  /** Null for a chart that can't be read, like the next. */
  session: Session | null;
  plots: Chart | null;
  /** Loads it, if that hasn't begun; fulfilled once it is loaded. */
  load(): Promise<void>;
  /** Shows the same lines in another height. */
  resize(height: Height): void;
  /** Takes it off the page. */
  remove(): void;
}

/** What all cells of a page have in common. */
export interface Surroundings {
  catalog: Catalog;
  zone: TimeZone;
  template: HTMLTemplateElement;
  keyDialog: KeyDialog;
  log: RestatementLog;
  calendar: EventLog;
  ask: Ask;
  load(chart: ChartState, signal: AbortSignal): Promise<ChartData>;
}

/** What a person does with a chart of a board. */
export interface CellEvents {
  /** Opens it alone; the page leaves for the explorer. */
  onOpen(): void;
  onHeight(): void;
  /** Moves it by so many places. */
  onMove(by: number): void;
  onRemove(): void;
}

/** Pixels below the window in which a chart is loaded already. */
const AHEAD = "400px";

/** What happens once a chart is near, by its root: what is far below isn't loaded before. */
const whenNear = new WeakMap<Element, () => void>();

/** One for all charts: Chromium keeps each observer, with all that it refers to, as long as the page. */
const nearness = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      nearness.unobserve(target);
      whenNear.get(target)?.();
    }
  },
  { rootMargin: AHEAD },
);

/** @param search of the chart, with what the board's charts share */
export function makeCell(chart: BoardChart, search: string, around: Surroundings, events: CellEvents): BoardCell {
  const { catalog, zone, template, keyDialog, log, calendar, ask } = around;
  const root = template.content.firstElementChild!.cloneNode(true) as HTMLElement;
  const open = part<HTMLAnchorElement>(root, "open");
  const actions = part(root, "actions");
  const action = (label: string, title: string, onclick: () => void) =>
    actions.append(h("button", { type: "button", class: "quiet", title, "aria-label": title, onclick }, label));
  open.addEventListener("click", events.onOpen);
  const entitle = (title: string) => {
    open.textContent = title;
    actions.setAttribute("aria-label", `Actions of ${title}`);
  };
  action("↕", "Change the height", events.onHeight);
  action("←", "Move back", () => events.onMove(-1));
  action("→", "Move on", () => events.onMove(1));
  action("×", "Remove from the board", events.onRemove);
  const resize = (height: Height) => {
    root.dataset.height = height;
  };
  resize(chart.height);
  const { chart: read, notes } = parseAddress(search, catalog, []);
  if (read.panes.every(({ lines }) => lines.length === 0)) {
    entitle(chart.title ?? "Not a chart");
    part(root, "frame").setAttribute("aria-busy", "false");
    showNotice(root, "problem", "This chart can’t be read", notes.join(" ") || "Its link names no series.");
    return { root, session: null, plots: null, load: async () => {}, resize, remove: () => root.remove() };
  }
  const session = new Session({ catalog, zone, load: around.load, history: NO_HISTORY }, search);
  const gone = new AbortController();
  session.watch(["traces"], (page) => entitle(chart.title ?? chartTitle(page.chart, page.traces)));
  session.watch(["chart"], (page) => {
    open.href = `/${formatAddress(page.chart)}`;
  });
  connectLegend(root, session, plainLegend);
  const plots = connectChart(root, session, calendar, { log, until: gone.signal });
  connectLoadReport(root, session, { keyDialog, formulas: null });
  connectAround(root, session, ask);
  connectStudy(root, session, { until: gone.signal });
  let loading: Promise<void> | null = null;
  const load = () => {
    loading ??= session.load();
    return loading;
  };
  whenNear.set(root, () => {
    if (session.page.data.status === "loading") void load();
  });
  nearness.observe(root);
  const remove = () => {
    gone.abort();
    nearness.unobserve(root);
    session.close();
    plots.remove();
    root.remove();
  };
  return { root, session, plots, load, resize, remove };
}
