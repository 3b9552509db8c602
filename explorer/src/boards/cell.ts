/** A chart of a board: a session of its own, in a root of its own. */

import type { Catalog } from "../api/catalog.ts";
import type { Ask } from "../api/load.ts";
import type { Chart } from "../chart/chart.ts";
import type { ChartData } from "../chart-data.ts";
import type { RestatementLog } from "../data/restatements.ts";
import type { TimeZone } from "../format/time.ts";
import { connectChart } from "../panels/chrome/chart-panel.ts";
import { connectLoadReport } from "../panels/chrome/load-report.ts";
import type { KeyDialog } from "../panels/dialogs/key-dialog.ts";
import { h, part } from "../panels/dom.ts";
import { connectLegend, plainLegend } from "../panels/legends/legend.ts";
import { connectAround } from "../panels/tables/around-panel.ts";
import { NO_HISTORY, Session } from "../session.ts";
import { formatAddress } from "../state/address.ts";
import type { BoardChart, Height } from "../state/board-in-link.ts";
import type { ChartState } from "../state/chart-state.ts";
import { chartTitle } from "../state/chart-title.ts";

export interface BoardCell {
  root: HTMLElement;
  session: Session;
  plots: Chart;
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

/** @param search of the chart, with what the board's charts share */
export function makeCell(chart: BoardChart, search: string, around: Surroundings, events: CellEvents): BoardCell {
  const { catalog, zone, template, keyDialog, log, load, ask } = around;
  const root = template.content.firstElementChild!.cloneNode(true) as HTMLElement;
  const session = new Session({ catalog, zone, load, history: NO_HISTORY }, search);
  const gone = new AbortController();
  const open = part<HTMLAnchorElement>(root, "open");
  const actions = part(root, "actions");
  const action = (label: string, title: string, onclick: () => void) =>
    actions.append(h("button", { type: "button", class: "quiet", title, "aria-label": title, onclick }, label));
  open.addEventListener("click", events.onOpen);
  session.watch(["traces"], (page) => {
    open.textContent = chart.title ?? chartTitle(page.chart, page.traces);
    actions.setAttribute("aria-label", `Actions of ${open.textContent}`);
  });
  session.watch(["chart"], (page) => {
    open.href = `/${formatAddress(page.chart)}`;
  });
  action("↕", "Change the height", events.onHeight);
  action("←", "Move back", () => events.onMove(-1));
  action("→", "Move on", () => events.onMove(1));
  action("×", "Remove from the board", events.onRemove);
  const resize = (height: Height) => {
    root.dataset.height = height;
  };
  resize(chart.height);
  connectLegend(root, session, plainLegend);
  const plots = connectChart(root, session, { log, until: gone.signal });
  connectLoadReport(root, session, { keyDialog, formulas: null });
  connectAround(root, session, ask);
  // What is far below isn't loaded before it is near.
  const near = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      near.disconnect();
      if (session.page.data.status === "loading") void session.load();
    },
    { rootMargin: AHEAD },
  );
  near.observe(root);
  const remove = () => {
    gone.abort();
    near.disconnect();
    root.remove();
  };
  return { root, session, plots, resize, remove };
}
