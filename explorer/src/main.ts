/** The page `/`: loads the catalog, then connects the session with the views. */

import type { Catalog } from "./api/catalog.ts";
import { storedKey } from "./api/key.ts";
import { Loader } from "./api/load.ts";
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
import { showNotice } from "./panels/notice.ts";
import { connectPaneLook } from "./panels/pane-look.ts";
import { connectPointTable } from "./panels/point-table.ts";
import { RequestPanel } from "./panels/request-panel.ts";
import { connectSavedDialog } from "./panels/saved-dialog.ts";
import { connectShareDialog } from "./panels/share-dialog.ts";
import { type Settings, start } from "./panels/start.ts";
import { connectThemeSwitch } from "./panels/theme-switch.ts";
import { connectToolbar } from "./panels/toolbar.ts";
import { connectZoneMenu, storedZone } from "./panels/zone-menu.ts";
import { Session } from "./session.ts";
import type { ChartState } from "./state/chart-state.ts";
import { yieldToBrowser } from "./yield-to-browser.ts";

const keyDialog = new KeyDialog();
const requestPanel = new RequestPanel();
connectHelpSheet();
connectThemeSwitch(byId<HTMLButtonElement>("theme"));
const { catalog, settings } = await start();
byId("version").textContent = `Soprano ${settings.version}`;
if (catalog.assets.length > 0) await connect(catalog, settings);
else {
  byId("frame").setAttribute("aria-busy", "false");
  showNotice("message", "No data published yet", "Publish an asset with npx soprano build, then reload this page.");
}

async function connect(catalog: Catalog, { publicKey }: Settings): Promise<void> {
  const loader = new Loader();
  const load = (chart: ChartState, signal: AbortSignal) =>
    loadChart(chart, catalog, loader, storedKey() ?? publicKey, signal);
  const session = new Session({ catalog, history, load, zone: storedZone() }, location.search);
  // The points are on their way while the page is built.
  void session.load();
  connectHead(session);
  connectToolbar(session);
  connectPaneLook(session);
  const formulas = new FormulaDialog(session);
  connectLegend(session, formulas);
  connectChart(session);
  connectBrush(session);
  connectLoadReport(session, { keyDialog, formulas });
  addEventListener("popstate", () => session.open(location.search));
  keyDialog.onChange = () => {
    loader.clear();
    requestPanel.render();
    void session.load();
  };
  // A chart that has arrived by now is drawn before the rest.
  await yieldToBrowser();
  connectMetricList(session);
  connectPointTable(session);
  connectZoneMenu(session);
  connectCommandPalette(session);
  connectSavedDialog(session);
  connectShareDialog(session, publicKey !== null);
  requestPanel.connect(session);
}
