/**
 * Makes dashboard.json of the boards that are deployed: a row a board, a panel a chart. A panel asks GET /v3/series, and a
 * jq expression makes rows of the answer. Run it after a change of boards/: node examples/grafana/make.ts
 */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { FAMILY_FORM, SERIES_FORM } from "../../data-schema/chart-link.ts";
import { FORMULA_NAMES, type FormulaUnit, findMeasure, readFormula } from "../../data-schema/formula.ts";
import {
  divisionOf,
  KIND_FAMILY,
  kindDivision,
  METRICS,
  type Metric,
  percentileDivision,
  selectorIn,
} from "../../data-schema/registry.ts";

// Variables of Grafana's, such as "$" + "{asset}": in one piece they would look like a template whose backquotes are missing.
const DATASOURCE = { type: "yesoreyeram-infinity-datasource", uid: "$" + "{datasource}" };

const boardSchema = v.looseObject({
  title: v.string(),
  text: v.string(),
  charts: v.array(v.looseObject({ title: v.string(), chart: v.string() })),
});

/** What Grafana calls the units. */
const UNITS: Record<FormulaUnit, string> = {
  token: "short",
  usd: "currencyUSD",
  usd_per_token: "currencyUSD",
  ratio: "none",
  count: "short",
  token_days: "short",
  days: "none",
  share: "percentunit",
};

/** A line of a chart: its column, as GET /v3/series is asked for it. */
interface Line {
  title: string;
  unit: string;
  /** A metric with its selector, or a formula. */
  text: string;
}

/** What one request brings: lines with names of their own, or the parts of a family. */
interface Shown {
  lines: readonly Line[];
  /** Null for lines. */
  mode: "stack" | "share" | "lines" | null;
  /** The metric whose selectors the lines are; null where they are asked for as formulas. */
  metric: string | null;
}

const metricNamed = (name: string): Metric => {
  const metric = METRICS.find((one) => one.name === name);
  if (metric === undefined) throw new Error(`There is no metric ${name}.`);
  return metric;
};

/** A series, smoothed as the explorer smooths it: of a ratio the sums, of all else the values. */
const smoothed = (text: string, isRatio: boolean, days: string | null): string =>
  days === null ? text : `${isRatio ? "smooth" : "sma"}(${text}, ${days})`;

/** Lines with names of their own. */
const NAMED = { mode: null, metric: null };

/** The lines that a `y` of a chart's link stands for. */
function shownBy(y: string, days: string | null): Shown {
  if (y.startsWith("=")) {
    const text = y.slice(1);
    const named = findMeasure(text);
    const { unit } = readFormula(named?.formula?.text ?? text, FORMULA_NAMES);
    const line = { title: named?.title ?? text, unit: UNITS[named?.formula?.isShare ? "share" : (unit ?? "ratio")] };
    return { ...NAMED, lines: [{ ...line, text: smoothed(text, false, days) }] };
  }
  const [, , name = "", selector] = SERIES_FORM.exec(y) ?? [];
  const metric = metricNamed(name);
  const of = (one: string | undefined, title: string): Line => ({
    title,
    unit: UNITS[metric.unit],
    text: smoothed(one === undefined ? name : `${name}:${one}`, metric.shape === "ratio", days),
  });
  const family = FAMILY_FORM.exec(selector ?? "");
  if (family === null) return { ...NAMED, lines: [of(selector, metric.title)] };
  const [, by, mode = "stack"] = family;
  const percentiles = percentileDivision(name);
  if (percentiles !== null && percentiles.by === by) {
    return { ...NAMED, lines: percentiles.parts.flatMap((part) => shownBy(part, days).lines) };
  }
  const chosen = selectorIn(metric)!;
  if (by === KIND_FAMILY) {
    // Which kinds an asset has cohorts of, a dashboard for all assets can't know: it shows what is beside them.
    const { whole, beside } = kindDivision(chosen.values, [])!;
    return { ...NAMED, lines: [...(whole ? [whole] : []), ...beside].map((part) => of(part, part)) };
  }
  const division = chosen.families.map((one) => divisionOf(metric, chosen, one)).find((one) => one?.by === by);
  if (!division) throw new Error(`${name} has no family ${by}.`);
  const lines = division.parts.map((part) => of(part, part));
  return { lines, mode: mode as Shown["mode"], metric: days === null ? name : null };
}

const parametersOf = (query: Readonly<Record<string, string>>) =>
  Object.entries({
    a: "$" + "{asset}",
    ...query,
    s: "$" + "{__from:date:seconds}",
    u: "$" + "{__to:date:seconds}",
    time: "unix",
  }).map(([key, value]) => ({ key, value }));

/** The formulas of one request. */
const MOST_FORMULAS = 20;

/** One request of a panel; formulas and selectors come back in the order in which they are asked for. */
function target(refId: string, { lines, mode, metric }: Shown) {
  const texts = lines.map(({ text }) => text);
  if (metric === null && texts.length > MOST_FORMULAS) throw new Error(`${texts[0]} and others are too many formulas.`);
  const query =
    metric !== null
      ? { m: metric, c: lines.map(({ title }) => title).join() }
      : { x: texts.map((text, index) => `v${index} = ${text}`).join("; ") };
  const time = { selector: "t", text: "Time", type: "timestamp_epoch_s" };
  const columns = lines.map(({ title }, index) => ({ selector: `v${index}`, text: title, type: "number" }));
  const values = lines.map((_, index) => `v${index}: .[${index + 1}]`).join(", ");
  // A formula has no selector, but its place.
  const part = metric !== null ? ".value.selector" : `${JSON.stringify(lines.map(({ title }) => title))}[.key]`;
  // Parts that are 0 throughout, such as exchanges without the token, would only fill the legend.
  const long = `.t as $t | [.series | to_entries[] | select(any(.value.v[]; . != null and . != 0)) | ${part} as $part | [$t, .value.v] | transpose[] | {t: .[0], part: $part, value: .[1]}] | sort_by(.t)`;
  return {
    datasource: DATASOURCE,
    refId,
    type: "json",
    source: "url",
    parser: "jq-backend",
    format: "timeseries",
    url: "/v3/series",
    url_options: { method: "GET", params: parametersOf(query) },
    root_selector: mode === null ? `[.t, .series[].v] | transpose | map({t: .[0], ${values}})` : long,
    columns:
      mode === null
        ? [time, ...columns]
        : [
            time,
            { selector: "part", text: "Part", type: "string" },
            { selector: "value", text: "Value", type: "number" },
          ],
    filters: [],
  };
}

const LOG = { scaleDistribution: { type: "log", log: 10 } };

/** The looks of one series, by its name. */
const override = (name: string, properties: Record<string, unknown>) => ({
  matcher: { id: "byName", options: name },
  properties: Object.entries(properties).map(([id, value]) => ({ id, value })),
});

/** What Grafana calls the ways to show a family. */
const STACKING = { stack: "normal", share: "percent", lines: "none" };

/** A chart as a panel. */
function panel({ title, chart }: { title: string; chart: string }, gridPos: object, id: number) {
  const link = new URLSearchParams(chart);
  const days = link.get("smooth");
  const all = link.getAll("y").map((y) => shownBy(y, days));
  const families = all.filter(({ mode }) => mode !== null);
  const single = all.filter(({ mode }) => mode === null).flatMap(({ lines }) => lines);
  const price: Line = { title: "Price", unit: UNITS.usd_per_token, text: "price" };
  const lines = link.has("price") ? [...single, price] : single;
  const shown = [...families, ...(lines.length > 0 ? [{ lines, mode: null, metric: null }] : [])];
  const unit = shown[0]!.lines[0]!.unit;
  const kind = STACKING[families[0]?.mode ?? "lines"];
  // Another unit has the axis on the right.
  const others = lines.filter((line) => line.unit !== unit || line === price);
  return {
    id,
    type: "timeseries",
    title,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        custom: {
          lineWidth: 1,
          spanNulls: false,
          ...(kind !== "none" && { fillOpacity: 60, stacking: { mode: kind, group: "A" } }),
          ...(link.get("scale") === "log" && LOG),
        },
      },
      overrides: others.map((line) =>
        override(line.title, {
          unit: line.unit,
          "custom.axisPlacement": "right",
          "custom.stacking": { mode: "none", group: "A" },
          "custom.fillOpacity": 0,
          ...(line === price && link.get("price") === "log" && { "custom.scaleDistribution": LOG.scaleDistribution }),
        }),
      ),
    },
    options: {
      legend: { displayMode: "list", placement: "bottom", showLegend: true, calcs: [] },
      tooltip: { mode: "multi", sort: "desc" },
    },
    targets: shown.map((one, index) => target("ABC"[index]!, one)),
  };
}

const [WIDTH, HEIGHT] = [12, 9];

/** The panels of all boards, each board below a row with its title. */
function panelsOf(boards: readonly v.InferOutput<typeof boardSchema>[]) {
  let y = 0;
  let id = 0;
  return boards.flatMap(({ title, charts: all }) => {
    // A panel can't show a heatmap.
    const charts = all.filter(({ chart }) => !new URLSearchParams(chart).has("heat"));
    const row = {
      id: ++id,
      type: "row",
      title,
      collapsed: false,
      gridPos: { h: 1, w: 2 * WIDTH, x: 0, y },
      panels: [],
    };
    const top = y + 1;
    const panels = charts.map((chart, index) => {
      const place = { h: HEIGHT, w: WIDTH, x: (index % 2) * WIDTH, y: top + Math.floor(index / 2) * HEIGHT };
      return panel(chart, place, ++id);
    });
    y = top + Math.ceil(charts.length / 2) * HEIGHT;
    return [row, ...panels];
  });
}

/** A variable whose values the server lists. */
const assetVariable = {
  name: "asset",
  label: "Asset",
  type: "query",
  datasource: DATASOURCE,
  refresh: 1,
  multi: false,
  includeAll: false,
  current: { text: "ARIA", value: "ARIA" },
  query: {
    refId: "variable",
    queryType: "infinity",
    infinityQuery: {
      refId: "variable",
      type: "json",
      source: "url",
      parser: "jq-backend",
      format: "table",
      url: "/v3/assets",
      url_options: { method: "GET", params: [] },
      root_selector: ".assets | map({value: .symbol})",
      columns: [{ selector: "value", text: "value", type: "string" }],
      filters: [],
    },
  },
};

/** A series or a family of lots. */
const OF_LOTS = /[:_](?:fifo|lifo|hifo)\b/;

/** The dashboard as JSON. */
export function dashboardOf(folder: string): string {
  const boards = globSync("*.json", { cwd: folder })
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8"))
    // Few assets have lots.
    .filter((text) => !OF_LOTS.test(text))
    .map((text) => v.parse(boardSchema, JSON.parse(text)));
  const dashboard = {
    title: "Soprano",
    uid: "soprano",
    schemaVersion: 41,
    tags: ["soprano"],
    timezone: "utc",
    editable: true,
    time: { from: "now-1y", to: "now" },
    refresh: "",
    graphTooltip: 1,
    annotations: { list: [] },
    templating: {
      list: [
        { name: "datasource", label: "Data source", type: "datasource", query: DATASOURCE.type, refresh: 1 },
        assetVariable,
      ],
    },
    panels: panelsOf(boards),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

const here = fileURLToPath(new URL(".", import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(here, "dashboard.json"), dashboardOf(join(here, "..", "..", "boards")));
}
