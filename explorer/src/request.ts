/** The API's request for a series of the state: every pixel of the chart can be asked for by anybody. */

import { type Asset, type Catalog, findAsset, findMetric } from "./catalog.ts";
import { queryValue } from "./query.ts";
import { type Choice, PRESETS, resolutionOf, type State } from "./state.ts";
import { DAY, parseTime, shortTime } from "./time.ts";

export interface SeriesRequest {
  /** Such as `/v1/metrics/sopr`. */
  path: string;
  /** Parameters in the order in which people read them; neither key nor format. */
  query: [name: string, value: string][];
}

/** Bounds of a request, Unix seconds, inclusive; null is open. */
export interface Bounds {
  since: number | null;
  until: number | null;
}

/** What the state's range asks for. A length of time ends with the asset's last bucket. */
export function rangeBounds(state: State, asset: Asset | undefined): Bounds {
  const { range } = state;
  if (!("preset" in range)) return range;
  const span = asset?.ranges[state.resolution];
  const days = PRESETS[range.preset];
  if (!span || days === Number.POSITIVE_INFINITY) return { since: null, until: null };
  const last = parseTime(span.last);
  const since = Math.floor(last / DAY) * DAY - (days - 1) * DAY;
  return { since: since <= parseTime(span.first) ? null : since, until: null };
}

/** What is looked at: the zoom, or else the range. */
export function visibleBounds(state: State, asset: Asset | undefined): Bounds {
  return state.zoom
    ? { since: Math.ceil(state.zoom.from), until: Math.floor(state.zoom.to) }
    : rangeBounds(state, asset);
}

export function seriesRequest(choice: Choice, state: State, catalog: Catalog, bounds: Bounds): SeriesRequest {
  const metric = findMetric(catalog, choice.metric)!;
  const query: SeriesRequest["query"] = [["a", findAsset(catalog, state.asset)?.symbol ?? state.asset]];
  if (metric.selector && choice.selector !== null) query.push([metric.selector.parameter, choice.selector]);
  if (metric.resolutions.length > 1) query.push(["r", resolutionOf(metric, state.resolution)]);
  if (bounds.since !== null) query.push(["s", shortTime(bounds.since)]);
  if (bounds.until !== null) query.push(["u", shortTime(bounds.until)]);
  return { path: metric.path, query };
}

/** A request as a URL or, without an origin, as a path; extra parameters come first. */
export function requestUrl({ path, query }: SeriesRequest, origin: string, extra: Record<string, string> = {}): string {
  const pairs = [...Object.entries(extra), ...query];
  return `${origin}${path}?${pairs.map(([name, value]) => `${name}=${queryValue(value)}`).join("&")}`;
}
