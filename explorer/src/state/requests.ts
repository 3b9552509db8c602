/** A chart's requests to the API. Loading and code snippets share them, so that the code returns what the chart shows. */

import { type Asset, type Catalog, findAsset } from "../api/catalog.ts";
import type { SeriesRequest } from "../api/request.ts";
import type { NamedRequest } from "../api/snippets.ts";
import { DAY, parseTime, shortTime } from "../format/time.ts";
import { type Bounds, type ChartState, PRESETS, resolutionOf, type Series, seriesOf } from "./chart-state.ts";

/** The bounds of a chart's range. A preset ends with the asset's last bucket. */
export function rangeBounds({ range, resolution }: ChartState, asset: Asset | undefined): Bounds {
  if (!("preset" in range)) return range;
  const span = asset?.ranges[resolution];
  const days = PRESETS[range.preset];
  if (!span || days === Number.POSITIVE_INFINITY) return { since: null, until: null };
  const last = parseTime(span.last);
  const since = Math.floor(last / DAY) * DAY - (days - 1) * DAY;
  return { since: since <= parseTime(span.first) ? null : since, until: null };
}

/** The requests that load a chart's series, in the series' order. */
export function loadRequests(chart: ChartState, catalog: Catalog): SeriesRequest[] {
  const bounds = rangeBounds(chart, findAsset(catalog, chart.asset));
  return seriesOf(chart, catalog).map((series) => seriesRequest(chart, series, bounds));
}

/** The requests for the visible part of a chart, the zoom or the range, named for code. */
export function snippetRequests(chart: ChartState, catalog: Catalog): NamedRequest[] {
  const { zoom } = chart;
  const bounds = zoom
    ? { since: Math.ceil(zoom.from), until: Math.floor(zoom.to) }
    : rangeBounds(chart, findAsset(catalog, chart.asset));
  return seriesOf(chart, catalog).map((series) => ({
    name: codeName(series),
    request: seriesRequest(chart, series, bounds),
  }));
}

/** A series' name in code and CSV files: `sopr users`. */
export function codeName({ metric, selector }: Pick<Series, "metric" | "selector">): string {
  return selector === null ? metric : `${metric} ${selector}`;
}

function seriesRequest(chart: ChartState, { definition, selector }: Series, { since, until }: Bounds): SeriesRequest {
  const query: SeriesRequest["query"] = [["a", chart.asset]];
  if (definition.selector && selector !== null) query.push([definition.selector.parameter, selector]);
  if (definition.resolutions.length > 1) query.push(["r", resolutionOf(definition, chart.resolution)]);
  if (since !== null) query.push(["s", shortTime(since)]);
  if (until !== null) query.push(["u", shortTime(until)]);
  return { path: definition.path, query };
}
