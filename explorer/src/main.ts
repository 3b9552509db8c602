/** The page `/`: loads the catalog, then connects the session with the views. */

import type { Catalog } from "./api/catalog.ts";
import { storedKey } from "./api/key.ts";
import { askWith, Loader } from "./api/load.ts";
import { loadChart } from "./chart-data.ts";
import { EventLog } from "./data/events.ts";
import { connectBrush } from "./panels/chrome/brush-panel.ts";
import { connectChart } from "./panels/chrome/chart-panel.ts";
import { connectCommandPalette } from "./panels/chrome/command-palette.ts";
import { connectHead } from "./panels/chrome/head.ts";
import { connectLoadReport } from "./panels/chrome/load-report.ts";
import { connectMetricList } from "./panels/chrome/metric-list.ts";
import { untilReachable } from "./panels/chrome/offline.ts";
import { type Settings, start } from "./panels/chrome/start.ts";
import { connectStudy } from "./panels/chrome/study-panel.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { connectToolbar } from "./panels/chrome/toolbar.ts";
import { connectUndo } from "./panels/chrome/undo.ts";
import { connectZoneMenu, storedZone } from "./panels/chrome/zone-menu.ts";
import { connectAlertDialog } from "./panels/dialogs/alert-dialog.ts";
import { connectBoardLink } from "./panels/dialogs/back-to-board.ts";
import { FormulaDialog } from "./panels/dialogs/formula-dialog.ts";
import { connectHelpSheet } from "./panels/dialogs/help-sheet.ts";
import { KeyDialog } from "./panels/dialogs/key-dialog.ts";
import { connectLevelDialog } from "./panels/dialogs/level-dialog.ts";
import { connectSavedDialog } from "./panels/dialogs/saved-dialog.ts";
import { connectShareDialog } from "./panels/dialogs/share-dialog.ts";
import { part } from "./panels/dom.ts";
import { editableLegend, lineAdders } from "./panels/legends/editable-legend.ts";
import { connectLegend } from "./panels/legends/legend.ts";
import { connectPaneLook } from "./panels/legends/pane-look.ts";
import { showNotice } from "./panels/notice.ts";
import { connectAround } from "./panels/tables/around-panel.ts";
import { connectDay } from "./panels/tables/day-panel.ts";
import { connectPins } from "./panels/tables/pins.ts";
import { connectPointTable } from "./panels/tables/point-table.ts";
import { connectRemarks } from "./panels/tables/remark-list.ts";
import { RequestPanel } from "./panels/tables/request-panel.ts";
import { studyControls } from "./panels/tables/study-controls.ts";
import { connectTabs } from "./panels/tables/tabs.ts";
import { Session } from "./session.ts";
import { yieldToBrowser } from "./yield-to-browser.ts";

const root = document.body;
const charts = part(root, "charts");
const keyDialog = new KeyDialog(part<HTMLDialogElement>(root, "key-dialog"), part(root, "key"));
const requestPanel = new RequestPanel(part(root, "request"));
connectHelpSheet(part<HTMLDialogElement>(root, "help-sheet"), part(root, "help"));
connectTabs(part(root, "below"), () => requestPanel.render());
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
  const formulas = new FormulaDialog(part<HTMLDialogElement>(root, "formula-dialog"), session);
  const openLevels = connectLevelDialog(part<HTMLDialogElement>(root, "level-dialog"), session);
  connectPaneLook(charts, session, lineAdders(session, formulas, openLevels));
  connectLegend(charts, session, editableLegend(session, formulas));
  const ask = askWith(loader, () => storedKey() ?? publicKey);
  connectChart(charts, session, new EventLog(ask));
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
  connectPointTable(part(root, "points"), session);
  connectPins(charts, session, ask);
  connectDay(charts, session, ask);
  connectAround(charts, session, ask);
  connectStudy(charts, session, { controls: studyControls });
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
