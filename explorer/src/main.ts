/** The page `/`: loads the catalog, then connects the session with the views. */

import type { Catalog } from "./api/catalog.ts";
import { storedKey } from "./api/key.ts";
import { Loader } from "./api/load.ts";
import { asProblem } from "./api/problem.ts";
import { loadChart } from "./chart-data.ts";
import type { ServedDistribution } from "./data/heat.ts";
import { connectAlertDialog } from "./panels/alert-dialog.ts";
import { connectBoardLink } from "./panels/board-link.ts";
import { connectBrush } from "./panels/brush-panel.ts";
import { connectChart } from "./panels/chart-panel.ts";
import { connectCommandPalette } from "./panels/command-palette.ts";
import { part } from "./panels/dom.ts";
import { editableLegend } from "./panels/editable-legend.ts";
import { FormulaDialog } from "./panels/formula-dialog.ts";
import { connectHead } from "./panels/head.ts";
import { connectHelpSheet } from "./panels/help-sheet.ts";
import { KeyDialog } from "./panels/key-dialog.ts";
import { connectLegend } from "./panels/legend.ts";
import { connectLoadReport } from "./panels/load-report.ts";
import { connectMetricList } from "./panels/metric-list.ts";
import { showNotice } from "./panels/notice.ts";
import { untilReachable } from "./panels/offline.ts";
import { connectPaneLook } from "./panels/pane-look.ts";
import { connectPins } from "./panels/pins.ts";
import { connectPointTable } from "./panels/point-table.ts";
import { connectRemarks } from "./panels/remarks.ts";
import { RequestPanel } from "./panels/request-panel.ts";
import { connectSavedDialog } from "./panels/saved-dialog.ts";
import { connectShareDialog } from "./panels/share-dialog.ts";
import { type Settings, start } from "./panels/start.ts";
import { connectThemeSwitch } from "./panels/theme-switch.ts";
import { connectToolbar } from "./panels/toolbar.ts";
import { connectUndo } from "./panels/undo.ts";
import { connectZoneMenu, storedZone } from "./panels/zone-menu.ts";
import { Session } from "./session.ts";
import { yieldToBrowser } from "./yield-to-browser.ts";

const root = document.body;
const charts = part(root, "charts");
const keyDialog = new KeyDialog(part<HTMLDialogElement>(root, "key-dialog"), part(root, "key"));
const requestPanel = new RequestPanel(part(root, "request"));
connectHelpSheet(part<HTMLDialogElement>(root, "help-sheet"), part(root, "help"));
connectThemeSwitch(part<HTMLButtonElement>(root, "theme"));
const { catalog, settings } = await start(charts);
part(root, "version").textContent = `Soprano ${settings.version}`;
if (catalog.assets.length > 0) await connect(catalog, settings);
else {
  part(charts, "frame").setAttribute("aria-busy", "false");
  showNotice(
    charts,
    "message",
    "No data published yet",
    "Publish an asset with npx soprano build, then reload this page.",
  );
}

async function connect(catalog: Catalog, { publicKey }: Settings): Promise<void> {
  const loader = new Loader();
  const load = untilReachable(
    (chart, signal) => loadChart(chart, catalog, loader, storedKey() ?? publicKey, signal),
    part(charts, "offline"),
  );
  const session = new Session({ catalog, history, load, zone: storedZone() }, location.search);
  // The points are on their way while the page is built.
  void session.load();
  connectHead(root, session);
  connectToolbar(charts, session);
  connectPaneLook(charts, session);
  const formulas = new FormulaDialog(part<HTMLDialogElement>(root, "formula-dialog"), session);
  connectLegend(charts, session, editableLegend(session, formulas));
  connectChart(charts, session);
  connectBrush(charts, session);
  connectLoadReport(charts, session, { keyDialog, formulas });
  addEventListener("popstate", () => session.open(location.search));
  keyDialog.onChange = () => {
    loader.clear();
    requestPanel.render();
    void session.load();
  };
  // A chart that has arrived by now is drawn before the rest.
  await yieldToBrowser();
  connectMetricList(part(root, "metrics"), session);
  const ask = (path: string) =>
    loader.json(path, (day: ServedDistribution) => day, storedKey() ?? publicKey ?? "").catch(asProblem);
  connectPins(charts, session, connectPointTable(part(root, "points"), session), ask);
  connectRemarks(charts, session);
  connectUndo(session);
  connectZoneMenu(root, session);
  connectBoardLink(root, session);
  connectCommandPalette(root, session);
  connectSavedDialog(part<HTMLDialogElement>(root, "saved-dialog"), part<HTMLButtonElement>(root, "saved"), session);
  connectShareDialog(root, session, publicKey !== null);
  connectAlertDialog(root, session);
  requestPanel.connect(session);
}
