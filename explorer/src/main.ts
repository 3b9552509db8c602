/** The page `/`: loads the catalog, then connects the session with the views. */

import type { Catalog, PriceRange } from "./api/catalog.ts";
import { storedKey } from "./api/key.ts";
import { getJson, Loader } from "./api/load.ts";
import { asProblem } from "./api/problem.ts";
import { loadChart } from "./chart-data.ts";
import { connectBrush } from "./panels/brush-panel.ts";
import { connectChart } from "./panels/chart-panel.ts";
import { connectCommandPalette } from "./panels/command-palette.ts";
import { byId } from "./panels/dom.ts";
import { FormulaDialog } from "./panels/formula-dialog.ts";
import { connectHead } from "./panels/head.ts";
import { connectHelpSheet } from "./panels/help-sheet.ts";
import { KeyDialog } from "./panels/key-dialog.ts";
import { connectLegend } from "./panels/legend.ts";
import { connectLoadReport } from "./panels/load-report.ts";
import { connectMetricList } from "./panels/metric-list.ts";
import { hideNotice, showNotice } from "./panels/notice.ts";
import { connectPaneLook } from "./panels/pane-look.ts";
import { connectPointTable } from "./panels/point-table.ts";
import { RequestPanel } from "./panels/request-panel.ts";
import { connectShareDialog } from "./panels/share-dialog.ts";
import { connectThemeSwitch } from "./panels/theme-switch.ts";
import { connectToolbar } from "./panels/toolbar.ts";
import { connectZoneMenu, storedZone } from "./panels/zone-menu.ts";
import { Session } from "./session.ts";
import type { ChartState } from "./state/chart-state.ts";

interface Settings {
  /** For visitors without a key of their own. */
  publicKey: string | null;
  version: string;
  prices?: Record<string, PriceRange>;
  terms: Catalog["terms"];
}

const keyDialog = new KeyDialog();
const requestPanel = new RequestPanel();
connectHelpSheet();
connectThemeSwitch(byId<HTMLButtonElement>("theme"));
const { catalog, settings } = await start();
byId("version").textContent = `Soprano ${settings.version}`;
if (catalog.assets.length > 0) connect(catalog, settings);
else {
  byId("frame").setAttribute("aria-busy", "false");
  showNotice("message", "No data published yet", "Publish an asset with npx soprano build, then reload this page.");
}

/** Loads what the page needs first. After a failure the user can try again. */
async function start(): Promise<{ catalog: Catalog; settings: Settings }> {
  for (;;) {
    byId("frame").setAttribute("aria-busy", "true");
    hideNotice();
    try {
      const [{ metrics, groups, signs }, { assets }, settings] = await Promise.all([
        getJson<Pick<Catalog, "metrics" | "groups" | "signs">>("/v3/metrics"),
        getJson<Pick<Catalog, "assets">>("/v3/assets"),
        getJson<Settings>("/explorer.json"),
      ]);
      const priced = assets.map((asset) => ({ ...asset, price: settings.prices?.[asset.symbol] }));
      return { catalog: { metrics, groups, signs, assets: priced, terms: settings.terms }, settings };
    } catch (error) {
      byId("frame").setAttribute("aria-busy", "false");
      const { title, advice } = asProblem(error);
      await new Promise<void>((run) => showNotice("problem", title, advice, { title: "Try again", run }));
    }
  }
}

function connect(catalog: Catalog, { publicKey }: Settings): void {
  const loader = new Loader();
  const load = (chart: ChartState, signal: AbortSignal) =>
    loadChart(chart, catalog, loader, storedKey() ?? publicKey, signal);
  const session = new Session({ catalog, history, load, zone: storedZone() }, location.search);
  connectHead(session);
  connectToolbar(session);
  connectMetricList(session);
  connectPaneLook(session);
  connectLegend(session, new FormulaDialog(session));
  connectChart(session);
  connectBrush(session);
  connectPointTable(session);
  connectZoneMenu(session);
  connectCommandPalette(session);
  connectShareDialog(session, publicKey !== null);
  requestPanel.connect(session);
  connectLoadReport(session, keyDialog);
  keyDialog.onChange = () => {
    loader.clear();
    requestPanel.render();
    void session.load();
  };
  addEventListener("popstate", () => session.open(location.search));
  void session.load();
}
