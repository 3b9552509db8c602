/** A request for several series on one time line, and its URL. */

import type { SeriesRef } from "../../../data-schema/formula.ts";
import type { Resolution } from "./catalog.ts";

/** The path of all such requests. */
export const TABLE_PATH = "/v3/series";

export interface TableRequest {
  /** Parameters in reading order, without key and format. */
  query: [name: string, value: string][];
  resolution: Resolution;
  /** Whether values are asked for as they were first published. */
  isFirst: boolean;
  /** The names of the answer's columns, one for each series: `ARIA:sopr:total`. */
  columns: string[];
}

/** A request as a URL or, without an origin, as a path; extra parameters come first. */
export function requestUrl({ query }: TableRequest, origin: string, extra: Record<string, string> = {}): string {
  const pairs = [...Object.entries(extra), ...query];
  return `${origin}${TABLE_PATH}?${pairs.map(([name, value]) => `${name}=${queryValue(value)}`).join("&")}`;
}

/** The name of a series as a column of GET /v3/series. */
export function columnName({ asset, metric, selector }: SeriesRef): string {
  return `${asset}:${metric}:${selector ?? "total"}`;
}

/** Encodes a value for a query string. `$`, `:`, `,` and `*` are valid there; they stay as they are to keep links readable. */
export function queryValue(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|24|2C)/g, decodeURIComponent);
}
