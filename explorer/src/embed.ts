/**
 * The page `/embed`: the chart of a link alone, in a frame of another page. It knows only the public key, and keeps nothing
 * in the browser.
 */

import { type Catalog, findAsset } from "./api/catalog.ts";
import { askWith, Loader } from "./api/load.ts";
import { loadChart } from "./chart-data.ts";
import { EventLog } from "./data/events.ts";
import { dateText, parseTime, UTC } from "./format/time.ts";
import { connectChart } from "./panels/chrome/chart-panel.ts";
import { connectLoadReport } from "./panels/chrome/load-report.ts";
import { start } from "./panels/chrome/start.ts";
import { connectStudy } from "./panels/chrome/study-panel.ts";
import { fill, h, part } from "./panels/dom.ts";
import { connectLegend, plainLegend } from "./panels/legends/legend.ts";
import { showNotice } from "./panels/notice.ts";
import { letWheelScroll } from "./panels/wheel.ts";
import { NO_HISTORY, type Page, Session } from "./session.ts";
import { formatAddress } from "./state/address.ts";
import { chartTitle } from "./state/chart-title.ts";

const theme = new URLSearchParams(location.search).get("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
letWheelScroll();
const root = document.body;
const { catalog, settings } = await start(root);
if (catalog.assets.length > 0) connect(catalog, settings.publicKey);
else {
  part(root, "frame").setAttribute("aria-busy", "false");
  showNotice(root, "message", "No data published yet", "There is nothing to draw.");
}

function connect(catalog: Catalog, publicKey: string | null): void {
  const loader = new Loader();
  const session = new Session(
    {
      catalog,
      history: NO_HISTORY,
      zone: UTC,
      load: (chart, signal) => loadChart(chart, catalog, loader, publicKey, signal),
    },
    location.search,
  );
  // The points are on their way while the page is built.
  void session.load();
  session.watch(["traces"], renderTitle);
  session.watch(["chart"], renderSource);
  connectLegend(root, session, plainLegend);
  connectChart(root, session, new EventLog(askWith(loader, () => publicKey)));
  connectStudy(root, session);
  connectLoadReport(root, session, null);
}

function renderTitle({ chart, catalog, traces }: Page): void {
  const title = chartTitle(chart, traces);
  const asset = findAsset(catalog, chart.asset);
  const last = asset?.ranges.day?.last;
  document.title = `${chart.asset} ${title} · Soprano`;
  part(root, "title").textContent = title;
  part(root, "as-of").textContent =
    `${asset?.name ?? chart.asset}${last ? `, data up to ${dateText(parseTime(last))}` : ""}`;
}

/** Where the chart is from, and the same chart in the explorer, zoomed as here. */
function renderSource({ chart }: Page): void {
  const open = { target: "_blank", rel: "noopener" };
  fill(
    part(root, "source"),
    "Source: ",
    h("a", { href: "/", ...open }, "Soprano"),
    " · ",
    h("a", { href: `/${formatAddress(chart)}`, ...open }, "Open in the explorer"),
  );
}
