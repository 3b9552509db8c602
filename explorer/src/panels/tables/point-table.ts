/** The last visible points as a table: for exact values, and for people who can't see the chart. */

import { toCsv } from "../../data/csv.ts";
import { joinTitles } from "../../format/names.ts";
import { columnFormat } from "../../format/numbers.ts";
import { bucketTime } from "../../format/time.ts";
import { type Page, pinnedRows, type Session, visibleRows } from "../../session.ts";
import { afterPaint } from "../after-paint.ts";
import { announce, fill, h, part, swatch } from "../dom.ts";
import { chartFileName, saveFile } from "../save-file.ts";

const FIRST_ROWS = 12;
const MORE_ROWS = 100;
/** Rows up to a marked one are shown, unless there would be more than these. */
const MOST_ROWS = 2000;
/** Columns that a page of paper holds when it is higher than wide. */
const WIDE = 8;

export function connectPointTable(root: HTMLElement, session: Session): void {
  let rows = FIRST_ROWS;
  const download = part<HTMLButtonElement>(root, "download");
  download.addEventListener("click", () => saveCsv(session.page));
  part(root, "more").addEventListener("click", () => {
    rows += MORE_ROWS;
    show(session.page);
  });
  const show = (page: Page) => {
    const needed = visibleRows(page).to - Math.min(...pinnedRows(page));
    if (needed > rows && needed <= MOST_ROWS) rows = needed;
    render(root, page, rows);
    markRows(root, page);
  };
  const renderNew = afterPaint((page) => {
    rows = FIRST_ROWS;
    show(page);
  });
  session.watch(["data", "zoom", "range", "zone"], (page) => {
    download.disabled = page.data.table.t.length === 0;
    // The old rows stay until there are new ones.
    if (page.data.status !== "loading") renderNew(page);
  });
  session.watch(["pins"], (page) => {
    if (page.data.status === "loaded") show(page);
  });
}

/** Marks the pinned rows, and scrolls to the latest of them. */
function markRows(root: HTMLElement, page: Page): void {
  const marked = pinnedRows(page);
  const host = part(root, "table");
  const { to } = visibleRows(page);
  const rows = host.querySelectorAll<HTMLElement>("tbody tr");
  for (const [i, row] of rows.entries()) row.classList.toggle("pinned", marked.includes(to - 1 - i));
  const latest = rows[to - 1 - Math.max(...marked)];
  if (latest) host.scrollTop = latest.offsetTop - host.clientHeight / 2;
}

function render(root: HTMLElement, page: Page, maxRows: number): void {
  const { chart, traces, data, zone } = page;
  const host = part(root, "table");
  const { from, to } = visibleRows(page);
  const start = Math.max(from, to - maxRows);
  part(root, "more").hidden = start === from;
  if (to === from) {
    fill(host, h("p", { class: "nothing" }, "No points to show."));
    return;
  }
  const titles = new Set(traces.flatMap(({ metrics }) => metrics.map(({ title }) => title)));
  const [shared] = titles.size === 1 ? titles : [];
  const head = traces.map(({ name, color }) => {
    // The caption names a metric that all columns share.
    const title = shared && name.startsWith(`${shared}, `) ? name.slice(shared.length + 2) : name;
    return h("th", { scope: "col" }, swatch(color), title);
  });
  const columns = traces.map(({ unit }, i) => {
    const values = Array.from({ length: to - start }, (_, row) => data.table.columns[i]?.[start + row] ?? Number.NaN);
    return values.map(columnFormat(values, unit));
  });
  const body = Array.from({ length: to - start }, (_, i) => {
    const row = to - 1 - i;
    const time = bucketTime(data.table.t[row]!, chart.resolution, zone);
    return h("tr", {}, h("th", { scope: "row" }, time), ...columns.map((texts) => h("td", {}, texts[row - start])));
  });
  const caption = `${joinTitles([...titles])}: the latest ${body.length} points, newest first`;
  const table = [
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Time"), ...head)),
    h("tbody", {}, ...body),
  ];
  host.classList.toggle("wide", traces.length > WIDE);
  fill(host, h("table", {}, ...table));
}

function saveCsv(page: Page): void {
  const { traces, data } = page;
  const { from, to } = visibleRows(page);
  const blob = new Blob(
    [
      toCsv(
        data.table,
        traces.map(({ code }) => code),
        from,
        to,
      ),
    ],
    { type: "text/csv" },
  );
  saveFile(blob, chartFileName(page, "csv"));
  announce(`Downloaded ${to - from} points.`);
}
