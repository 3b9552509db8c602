/** The curves that a chart draws: those of its lines, and the price of each pane that shows it. */

import { type Computation, type SeriesRef, smoothed } from "../../../data-schema/formula.ts";
import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import {
  type Asset,
  type Catalog,
  type Context,
  catalogMetric,
  findAsset,
  type Resolution,
  restsOnPrices,
} from "../api/catalog.ts";
import { drawnColor, hue } from "../lines/family-line.ts";
import { namesOf } from "../lines/formula-line.ts";
import type { Curve } from "../lines/line-kind.ts";
import { type LineStyle, PLAIN_STYLE } from "../lines/line-style.ts";
import { computationsOf, curvesOf, type Line, lineInputs } from "../lines/lines.ts";
import { type ChartState, contextOf, isStackedLine, type Pane, resolutionOf } from "./chart-state.ts";

/** A curve in its pane. The table of a chart's data has a column for each trace, in the same order. */
export interface Trace extends Curve {
  pane: number;
  /** Its line's place in the pane; null for the pane's price. */
  line: number | null;
  /** A custom property of the style sheet, such as `--series-1`. */
  color: string;
  /** Whether its values are those that were published first. */
  isFirst: boolean;
  style: LineStyle;
  /** Symbols of the assets that it is of. */
  assets: readonly string[];
  /** Day for metrics that lack the chart's resolution. */
  resolution: Resolution;
  /** Unix seconds of the first price, for values that need one; null for those that don't, and without prices. */
  pricedFrom: number | null;
}

const PRICE_LINE: Line = { kind: "series", asset: null, metric: "price", selector: null };

/** Rows of a day, at the resolutions that moving averages are offered for. */
const ROWS_OF_DAY: Partial<Record<Resolution, number>> = Object.fromEntries(
  Object.entries(BUCKET_SECONDS).map(([resolution, seconds]) => [resolution, BUCKET_SECONDS.day / seconds]),
);

export const hasAverages = (resolution: Resolution): boolean => ROWS_OF_DAY[resolution] !== undefined;

/** What a pane draws: its lines, then its price. */
export function drawnLines({ lines, price }: Pane, { catalog }: Context): Line[] {
  return price !== null && catalogMetric(catalog, "price") ? [...lines, PRICE_LINE] : lines;
}

export function tracesOf(chart: ChartState, catalog: Catalog): Trace[] {
  const context = contextOf(chart, catalog);
  return chart.panes.flatMap((pane, index) => {
    let colors = 0;
    // Over areas of all colours, it has to be the one that is none of theirs.
    const priceColor = pane.lines.some(isStackedLine) ? "--ink" : "--price";
    return drawnLines(pane, context).flatMap((line, place) => {
      const isPrice = place === pane.lines.length;
      const inputs = lineInputs(line, context);
      const resolution = lineResolution(line, chart, context);
      const drawn = curvesOf(line, context).map((curve) => ({
        ...curve,
        isFirst: pane.known === "first",
        pane: index,
        line: isPrice ? null : place,
        resolution,
        assets: [...new Set(inputs.map(({ asset }) => asset))],
        pricedFrom: firstPrice(inputs, catalog),
        style: line.style ?? PLAIN_STYLE,
        color: isPrice
          ? priceColor
          : line.kind === "family"
            ? drawnColor(curve.part?.color ?? hue(0), line)
            : lineColor(++colors, pane, line),
      }));
      if (pane.known !== "both") return drawn;
      // What was published first is a second curve, in the colour of the first.
      return [...drawn, ...drawn.map((curve) => firstPublished(curve))];
    });
  });
}

const firstPublished = (trace: Trace): Trace => ({
  ...trace,
  name: `${trace.name}, first published`,
  code: `${trace.code} (first published)`,
  isFirst: true,
});

/** Over all colours of a heatmap, or among those of a family's lines, the first line has to stand out. */
function lineColor(number: number, { heat, lines }: Pane, { style }: Line): string {
  const isAmongMany = heat !== null || lines.some((line) => line.kind === "family" && !isStackedLine(line));
  return isAmongMany && number === 1 && !style?.color ? "--ink" : `--series-${style?.color ?? number}`;
}

/** The asset that all of some traces are of; undefined if there are several. */
export function commonAsset(traces: readonly Trace[], catalog: Catalog): Asset | undefined {
  const [symbol, ...others] = new Set(traces.flatMap(({ assets }) => assets));
  return symbol === undefined || others.length > 0 ? undefined : findAsset(catalog, symbol);
}

/** When all prices that some series need exist. */
function firstPrice(series: readonly SeriesRef[], catalog: Catalog): number | null {
  const firsts = series.flatMap(({ asset, metric }) => {
    const definition = catalogMetric(catalog, metric);
    return definition && restsOnPrices(definition) ? (findAsset(catalog, asset)?.price?.first ?? []) : [];
  });
  return firsts.length > 0 ? Math.max(...firsts) : null;
}

/**
 * How a pane draws a line's curves: with its moving average, in which ratios are those of sums. The price beside the lines
 * stays as it is, and so do blocks.
 */
export function drawnComputations(pane: Pane, line: Line, resolution: Resolution, context: Context): Computation[] {
  const computations = computationsOf(line, context);
  const rows = rowsOfAverage(pane, resolution);
  if (rows === null || line === PRICE_LINE) return computations;
  return computations.map((computation) => smoothed(computation, rows, namesOf(context)));
}

/** The rows of a pane's moving average; null without one. Weeks and months smooth enough, and blocks are no equal times. */
function rowsOfAverage({ smoothing }: Pane, resolution: Resolution): number | null {
  const perDay = ROWS_OF_DAY[resolution];
  return smoothing === null || perDay === undefined ? null : smoothing * perDay;
}

/** The resolution at which a chart shows a line: that of the chart, if all series that it is computed from have it. */
export function lineResolution(line: Line, chart: Pick<ChartState, "resolution">, context: Context): Resolution {
  const { catalog } = context;
  const isAvailable = lineInputs(line, context).every(({ asset, metric }) => {
    const definition = catalogMetric(catalog, metric);
    return definition && resolutionOf(definition, findAsset(catalog, asset), chart.resolution) === chart.resolution;
  });
  return isAvailable ? chart.resolution : "day";
}
