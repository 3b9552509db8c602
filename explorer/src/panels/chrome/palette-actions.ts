/** The table of actions that the command palette offers, beside the controls of the active pane. */

import { OFFERED_RESOLUTIONS } from "../../api/catalog.ts";
import { queryValue } from "../../api/request.ts";
import type { Command } from "../../commands/command.ts";
import { WRITE_FORMULA } from "../../commands/find.ts";
import { UTC } from "../../format/time.ts";
import { holdingsPath, shortAddress } from "../../search/find-address.ts";
import type { Page, Session } from "../../session.ts";
import { setRange, setResolution, showInterval } from "../../state/changes.ts";
import { availableResolutions, contextOf, isLongEnough, type Preset } from "../../state/chart-state.ts";
import { addToBoard } from "../dialogs/back-to-board.ts";
import { savedCommands } from "../dialogs/saved-dialog.ts";
import { canShare, shareNow } from "../dialogs/share-dialog.ts";
import { SHARE_WAYS } from "../dialogs/share-ways.ts";
import { part } from "../dom.ts";
import { lookCommands } from "../legends/pane-look.ts";
import { chooseZone, localZone } from "./zone-menu.ts";

interface Action {
  title: string;
  /** Other words for it. */
  words?: string;
  /** Whether it would change anything. */
  isOffered?(page: Page, root: HTMLElement): boolean;
  /** @param root of the whole page, whose buttons some actions press */
  run(session: Session, root: HTMLElement): void;
}

const PRESET_TITLES: Record<Preset, string> = {
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  "1y": "Last year",
  "2y": "Last two years",
  all: "Whole history",
};

/** Presses a button of the page, where it is enabled. */
const press = (name: string) => ({
  // What is below the chart is built last.
  isOffered: (_: Page, root: HTMLElement) =>
    root.querySelector<HTMLButtonElement>(`[data-part="${name}"]`)?.disabled === false,
  run: (_: Session, root: HTMLElement) => part(root, name).click(),
});

/** The formula button of the active pane; null if the pane is full. */
const formulaButton = ({ activePane }: Page, root: HTMLElement) =>
  root.querySelector<HTMLButtonElement>(`[data-focus=add-formula-${activePane}]`);

const levelButton = ({ activePane }: Page, root: HTMLElement) =>
  root.querySelector<HTMLButtonElement>(`[data-focus=add-level-${activePane}]`);

/** What functions of formulas are for, in words that their names don't have. */
const FUNCTION_WORDS =
  "correlation volatility standard deviation variance z-score exponential moving average ema median quantile percentile rank cumulative sum lag growth rate of change logarithm bollinger bands";

const ACTIONS: Action[] = [
  ...OFFERED_RESOLUTIONS.map((resolution) => ({
    title: `By ${resolution}`,
    words: "resolution",
    isOffered: ({ chart, catalog }: Page) =>
      chart.resolution !== resolution &&
      availableResolutions(chart.panes, contextOf(chart, catalog)).includes(resolution),
    run: (session: Session) => session.change((chart) => setResolution(chart, resolution)),
  })),
  ...Object.entries(PRESET_TITLES).map(([preset, title]) => ({
    title,
    words: `range ${preset}`,
    isOffered: ({ chart }: Page) => isLongEnough(preset as Preset, chart.resolution),
    run: (session: Session) => session.change((chart) => setRange(chart, { preset: preset as Preset })),
  })),
  {
    title: "Reset zoom",
    words: "back to the range",
    isOffered: ({ chart }) => chart.zoom !== null,
    run: (session) => session.adjust((chart) => showInterval(chart, null)),
  },
  {
    title: "Levels and zones",
    words: "horizontal line band threshold zone level support resistance overbought oversold",
    isOffered: (page, root) => levelButton(page, root) !== null,
    run: ({ page }, root) => levelButton(page, root)?.click(),
  },
  {
    title: WRITE_FORMULA,
    words: `compute derive calculate add expression custom metric indicator ${FUNCTION_WORDS}`,
    isOffered: (page, root) => formulaButton(page, root) !== null,
    run: ({ page }, root) => formulaButton(page, root)?.click(),
  },
  { title: "Download CSV", words: "export save table data", ...press("download") },
  { title: "Copy the code", words: "snippet curl python request", ...press("copy") },
  ...SHARE_WAYS.map((way) => ({
    title: way.title,
    words: way.words,
    isOffered: (page: Page, root: HTMLElement) => canShare(way, page, root),
    run: (session: Session, root: HTMLElement) => void shareNow(way, session, root),
  })),
  {
    title: "Write a note",
    words: "annotation annotate remark comment event pin date",
    run: (_, root) => writeNote(root),
  },
  {
    title: "What happened at the pin",
    words: "events day largest transfers changes whales why pinned",
    isOffered: ({ chart }) => chart.pins.length > 0,
    run: (session) => session.adjust((chart) => ({ ...chart, isDayOpen: true })),
  },
  { title: "Make an alert", words: "rule notify slack telegram", ...press("alert") },
  { title: "Save this chart", words: "saved charts keep bookmark import export", ...press("saved") },
  { title: "Add this chart to my board", words: "boards dashboard grid", run: addToBoard },
  {
    title: "All assets",
    words: "screener table tokens coins list compare",
    run: () => location.assign("/assets"),
  },
  { title: "Status", words: "fresh late up to date outage", run: () => location.assign("/status") },
  { title: "Boards", words: "dashboards grid of charts", run: () => location.assign("/boards") },
  {
    title: "Holders",
    words: "addresses whales largest owners under water",
    run: ({ page }) => location.assign(`/holders?a=${queryValue(page.chart.asset)}`),
  },
  { title: "Print", words: "paper pdf", run: () => print() },
  { title: "Switch between light and dark", words: "theme mode colours night", ...press("theme") },
  {
    title: "Times in UTC",
    words: "time zone",
    isOffered: ({ zone }) => zone !== UTC,
    run: (session) => chooseZone(session, UTC),
  },
  {
    title: "Times in my time zone",
    words: `local ${localZone().replaceAll(/[_/]/g, " ")}`,
    isOffered: ({ zone }) => zone !== localZone(),
    run: (session) => chooseZone(session, localZone()),
  },
  { title: "Enter an API key", words: "change forget key", ...press("key") },
  { title: "Keyboard and gestures", words: "help shortcuts keys mouse touch", ...press("help") },
  { title: "API reference", words: "docs documentation endpoints", run: () => location.assign("/docs") },
  { title: "Methodology", words: "docs definitions how it is computed", run: () => location.assign("/methodology") },
];

/** Pins the last visible point and begins a note on it, as the keyboard would. */
function writeNote(root: HTMLElement): void {
  const plot = root.querySelector<HTMLElement>(".chart");
  plot?.focus();
  for (const key of ["End", "Enter"]) plot?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  root.querySelector<HTMLElement>("[data-focus=pin-note]")?.click();
}

/** What an address holds, on a page of its own: all that an address finds. */
export const addressCommand = (address: string): Command => ({
  group: "Actions",
  title: `Address ${shortAddress(address)}`,
  detail: "what it holds",
  words: [],
  run: () => location.assign(holdingsPath(address)),
});

export function actionCommands(page: Page, root: HTMLElement): Command[] {
  const others = ACTIONS.filter(({ isOffered }) => isOffered?.(page, root) ?? true).map(
    ({ title, words = "", run }): Command => ({
      group: "Actions",
      title,
      detail: "",
      words: [words],
      run: (session) => run(session, root),
    }),
  );
  return [...others, ...savedCommands(), ...lookCommands(page)];
}
