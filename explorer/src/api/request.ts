/** A request for a series, and its URL. */

export interface SeriesRequest {
  /** Such as `/v1/metrics/sopr`. */
  path: string;
  /** Parameters in reading order, without key and format. */
  query: [name: string, value: string][];
}

/** A request as a URL or, without an origin, as a path; extra parameters come first. */
export function requestUrl({ path, query }: SeriesRequest, origin: string, extra: Record<string, string> = {}): string {
  const pairs = [...Object.entries(extra), ...query];
  return `${origin}${path}?${pairs.map(([name, value]) => `${name}=${queryValue(value)}`).join("&")}`;
}

/** Encodes a value for a query string. `$` and `:` are valid there; they stay as they are to keep links readable. */
export function queryValue(text: string): string {
  return encodeURIComponent(text).replaceAll("%3A", ":").replaceAll("%24", "$");
}
