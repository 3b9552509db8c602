/** A chart's requests to the API. Loading and code snippets share them, so that the code returns what the chart shows. */

import { RANGE_DAYS } from "../../../data-schema/chart-link.ts";
import type { SeriesRef } from "../../../data-schema/formula.ts";
import {
  DISTRIBUTION_RESOLUTIONS,
  type DistributionName,
  type DistributionResolution,
  isCalendar,
  percentileMetric,
  RESOLUTION_FACTS,
} from "../../../data-schema/registry.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";
import {
  type Asset,
  type Catalog,
  type CatalogMetric,
  catalogMetric,
  findAsset,
  type LoadableSeries,
  namesLots,
  takesSelector,
} from "../api/catalog.ts";
import { columnName, queryValue, type TableRequest } from "../api/request.ts";
import { parseTime, shortTime } from "../format/time.ts";
import { type Bounds, neededBounds } from "../formula/needed-bounds.ts";
import { levelLines } from "../lines/levels.ts";
import { computationsOf, lineInputs } from "../lines/lines.ts";
import { type ChartState, contextOf, type Look, type Preset } from "./chart-state.ts";
import { drawnComputations, drawnLines, lineResolution } from "./traces.ts";

/** Assets, and metrics, of one request. */
const MOST_NAMES = 20;

const PRESET_NAMES = /* @__PURE__ */ Object.keys(RANGE_DAYS) as Preset[];
const OPEN: Bounds = { since: null, until: null };

/** The bounds of a chart's range. A preset ends with the asset's last bucket. */
export function rangeBounds({ range, resolution }: ChartState, asset: Asset | undefined): Bounds {
  if (!("preset" in range)) return range;
  const span = asset?.ranges[resolution];
  const days = RANGE_DAYS[range.preset];
  if (!span || days === Number.POSITIVE_INFINITY) return OPEN;
  const last = parseTime(span.last);
  const since = Math.floor(last / DAY_SECONDS) * DAY_SECONDS - (days - 1) * DAY_SECONDS;
  return { since: since <= parseTime(span.first) ? null : since, until: null };
}

/** The bounds of what a chart shows: the zoom or the range. */
export function visibleBounds(chart: ChartState, asset: Asset | undefined): Bounds {
  const { zoom } = chart;
  return zoom ? { since: Math.ceil(zoom.from), until: Math.floor(zoom.to) } : rangeBounds(chart, asset);
}

/** The preset that a chart shows; a zoom may show one, too. */
export function shownPreset(chart: ChartState, asset: Asset | undefined): Preset | undefined {
  const { zoom, range, resolution } = chart;
  if (!zoom) return "preset" in range ? range.preset : undefined;
  const span = asset?.ranges[resolution];
  if (!span) return undefined;
  const [first, last] = [parseTime(span.first), parseTime(span.last)];
  const isNear = (a: number, b: number) => Math.abs(a - b) < DAY_SECONDS / 2;
  return PRESET_NAMES.find((preset) => {
    const since = rangeBounds({ ...chart, range: { preset } }, asset).since ?? first;
    return isNear(zoom.from, since) && isNear(zoom.to, last);
  });
}

/**
 * The bounds of what a chart loads. All days, weeks and months, so that every zoom and range shows them at once; of hours and
 * blocks, the range, and before it what moving averages and formulas start from.
 */
export function loadBounds(chart: ChartState, catalog: Catalog): Bounds {
  if (isCalendar(chart.resolution)) return OPEN;
  const context = contextOf(chart, catalog);
  const formulas = chart.panes.flatMap((pane) =>
    [...pane.lines, ...levelLines(pane, context)].flatMap((line) => computationsOf(line, context)),
  );
  const smoothing = Math.max(...chart.panes.map((pane) => pane.smoothing ?? 0)) * 24;
  return neededBounds(rangeBounds(chart, context.asset), formulas, chart.resolution, smoothing);
}

/** Columns of a heatmap: a longer range is drawn by week or by month. */
const MOST_COLUMNS = 800;

/** How a pane's distribution is asked for: by days where these are few enough; null without one. */
export function heatRequest(
  { heat }: Pick<Look, "heat">,
  chart: ChartState,
  asset: Asset | undefined,
): { path: string; resolution: DistributionResolution } | null {
  const span = asset?.ranges.day;
  if (heat === null || !asset || !span) return null;
  const { since, until } = rangeBounds(chart, asset);
  const from = since ?? parseTime(span.first);
  const days = ((until ?? parseTime(span.last)) - from) / DAY_SECONDS;
  const resolution = DISTRIBUTION_RESOLUTIONS.find((one) => days <= MOST_COLUMNS * HEAT_DAYS[one]) ?? "month";
  const bounds = [since === null ? "" : `&s=${shortTime(since)}`, until === null ? "" : `&u=${shortTime(until)}`];
  const path = `/v3/distributions/${heat}?a=${queryValue(asset.symbol)}&r=${resolution}${bounds.join("")}&time=unix`;
  return { path, resolution };
}

/** The path of a distribution at the close of one day: that of a time. */
export const dayRequest = (heat: DistributionName, asset: string, time: number): string => {
  const day = shortTime(Math.floor(time / DAY_SECONDS) * DAY_SECONDS);
  return `/v3/distributions/${heat}?a=${queryValue(asset)}&s=${day}&u=${day}&time=unix`;
};

/** How the buckets around the price at the range's last close are asked for, by the first pane that shows them; null: by none. */
export const aroundRequest = (chart: ChartState, asset: Asset | undefined): string | null => {
  const around = chart.panes.find((pane) => pane.around !== null)?.around;
  return around == null ? null : lastOf(chart, asset, "/v3/distributions/cost_basis", `around=${around}`);
};

/** How the median cost basis of that close is asked for. */
export const medianRequest = (chart: ChartState, asset: Asset | undefined): string | null =>
  lastOf(chart, asset, "/v3/series", `m=${percentileMetric("50")}`);

function lastOf(chart: ChartState, asset: Asset | undefined, path: string, query: string): string | null {
  if (!asset) return null;
  const { until } = rangeBounds(chart, asset);
  const end = until === null ? "" : `&u=${shortTime(until)}`;
  return `${path}?a=${queryValue(asset.symbol)}&${query}${end}&last=1&time=unix`;
}

const HEAT_DAYS: Record<DistributionResolution, number> = { day: 1, week: 7, month: 30 };

/** The series that a chart's traces are computed from, each once. */
export function inputSeries(chart: ChartState, catalog: Catalog): LoadableSeries[] {
  const context = contextOf(chart, catalog);
  const all = chart.panes.flatMap((pane) =>
    drawnLines(pane, context).flatMap((line) => {
      const resolution = lineResolution(line, chart, context);
      const inputs = drawnComputations(pane, line, resolution, context).flatMap((one) => one.inputs);
      return vintagesOf(pane).flatMap((isFirst) => inputs.map((series) => ({ ...series, resolution, isFirst })));
    }),
  );
  return once(all);
}

/** What is loaded for a chart: the series of its traces, and those of its levels. */
export function loadedSeries(chart: ChartState, catalog: Catalog): LoadableSeries[] {
  const context = contextOf(chart, catalog);
  const levels = chart.panes.flatMap((pane) => levelLines(pane, context));
  const own = levels.flatMap((line) => {
    const resolution = lineResolution(line, chart, context);
    return lineInputs(line, context).map((series) => ({ ...series, resolution, isFirst: false }));
  });
  return once([...inputSeries(chart, catalog), ...own]);
}

const once = (series: readonly LoadableSeries[]): LoadableSeries[] => [
  ...new Map(series.map((one) => [inputName(one), one])).values(),
];

/** What a series is loaded as. */
export const inputName = (series: LoadableSeries): string => loadedAs(columnName(series), series);

/** What a column of a request is loaded as. */
export const loadedAs = (
  column: string,
  { resolution, isFirst }: Pick<TableRequest, "resolution" | "isFirst">,
): string => `${column} ${resolution}${isFirst ? " first" : ""}`;

/** Which values a pane is computed from: as they are known now, as they were first published, or both. */
export function vintagesOf({ known }: Pick<Look, "known">): boolean[] {
  if (known === null) return [false];
  return known === "first" ? [true] : [false, true];
}

/** The requests for the visible part of a chart. */
export function snippetRequests(chart: ChartState, catalog: Catalog): TableRequest[] {
  const bounds = visibleBounds(chart, findAsset(catalog, chart.asset));
  return tableRequests(inputSeries(chart, catalog), catalog, bounds);
}

/** Assets × metrics × selectors, of which each metric takes those that it has. */
interface Block {
  assets: string[];
  metrics: string[];
  selectors: string[];
}

/** Few requests that together answer exactly these series. */
export function tableRequests(
  series: readonly LoadableSeries[],
  catalog: Catalog,
  { since, until }: Bounds,
): TableRequest[] {
  const together = Map.groupBy(series, (one) => `${one.resolution} ${one.isFirst}`);
  return [...together.values()].flatMap((own) => {
    const { resolution, isFirst } = own[0]!;
    return blocksOf(own, catalog, RESOLUTION_FACTS[resolution].mostSeries).map((block) => {
      const query: TableRequest["query"] = [
        ["a", block.assets.join(",")],
        ["m", block.metrics.join(",")],
      ];
      if (block.selectors.length > 0) query.push(["c", selectorList(block, catalog)]);
      query.push(["r", resolution]);
      if (since !== null) query.push(["s", shortTime(since)]);
      if (until !== null) query.push(["u", shortTime(until)]);
      if (isFirst) query.push(["known", "first"]);
      return { query, resolution, isFirst, columns: seriesOf(block, catalog).map(columnName) };
    });
  });
}

/** The series that a request for a block is answered with, in the answer's order. */
function seriesOf({ assets, metrics, selectors }: Block, catalog: Catalog): SeriesRef[] {
  return assets.flatMap((asset) =>
    metrics.flatMap((metric) => {
      const found = catalogMetric(catalog, metric);
      return takenOf(found, selectors).map((selector) => ({ asset, metric, selector }));
    }),
  );
}

/** What the API answers of a metric: the only series of one is always there, unless lots alone are asked for that it has. */
function takenOf(metric: CatalogMetric | undefined, selectors: readonly string[]): (string | null)[] {
  const taken = metric ? selectors.filter((selector) => takesSelector(metric, selector)) : [];
  if (metric?.selector) return taken;
  return taken.length > 0 && selectors.every(namesLots) ? taken : [null, ...taken];
}

/** Blocks that answer each series once. Two become one where that adds no other series, and leaves none out. */
function blocksOf(series: readonly SeriesRef[], catalog: Catalog, most: number): Block[] {
  const wanted = new Set(series.map(columnName));
  const isExact = (block: Block, parts: readonly Block[]) => {
    const answered = seriesOf(block, catalog).map(columnName);
    const isSmall = Math.max(block.assets.length, block.metrics.length) <= MOST_NAMES && answered.length <= most;
    return (
      isSmall &&
      answered.every((one) => wanted.has(one)) &&
      // Beside lots, a single series is no longer answered.
      parts.every((part) => seriesOf(part, catalog).every((one) => answered.includes(columnName(one))))
    );
  };
  const blocks: Block[] = [];
  for (const { asset, metric, selector } of series) {
    const own = { assets: [asset], metrics: [metric], selectors: selector === null ? [] : [selector] };
    const place = blocks.findIndex((block) => isExact(union(block, own), [block, own]));
    if (place === -1) blocks.push(own);
    else blocks[place] = union(blocks[place]!, own);
  }
  return blocks;
}

const union = (a: Block, b: Block): Block => ({
  assets: [...new Set([...a.assets, ...b.assets])],
  metrics: [...new Set([...a.metrics, ...b.metrics])],
  selectors: [...new Set([...a.selectors, ...b.selectors])],
});

/** The selectors as a parameter; `*` for all that the metrics have. */
function selectorList({ metrics, selectors }: Block, catalog: Catalog): string {
  const all = new Set(metrics.flatMap((metric) => catalogMetric(catalog, metric)?.selector?.values ?? []));
  const isAll = all.size > 1 && all.size === selectors.length && selectors.every((selector) => all.has(selector));
  return isAll ? "*" : selectors.join(",");
}
