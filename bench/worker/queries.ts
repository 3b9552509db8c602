/** The queries of the benchmark, and the token that they are about. */

import { BUCKET_SECONDS, type MetricName, type Resolution } from "../../data-schema/registry.ts";

export const SYMBOL = "BENCH";

/** The API key of every request. */
export const KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";

export const { day: DAY, hour: HOUR } = BUCKET_SECONDS;

/** The token's history: 3,000 days from midnight to midnight, with 3,000,000 blocks. */
export const HISTORY = {
  from: Date.UTC(2017, 0, 1) / 1000,
  to: Date.UTC(2017, 0, 1) / 1000 + 3_000 * DAY,
  blocks: 3_000_000,
};

export interface BenchQuery {
  name: string;
  metric: MetricName;
  selector: string;
  resolution: Resolution;
  /** Unix seconds, since inclusive, until exclusive; everything if left out. */
  range?: { since: number; until: number };
}

const month = { since: Date.UTC(2021, 4, 1) / 1000, until: Date.UTC(2021, 5, 1) / 1000 };
const day = { since: Date.UTC(2021, 4, 10) / 1000, until: Date.UTC(2021, 4, 11) / 1000 };

/** A metric of which most cohorts have few hours, as those of most tokens have: so a year's object is small. */
export const SPARSE: MetricName = "volume_dollar";

export const QUERIES: readonly BenchQuery[] = [
  { name: "day series", metric: "volume", selector: "users", resolution: "day" },
  { name: "month of hours", metric: "volume", selector: "users", resolution: "hour", range: month },
  { name: "all hours", metric: "volume", selector: "users", resolution: "hour" },
  { name: "all hours, sparse", metric: SPARSE, selector: "users", resolution: "hour" },
  { name: "day of blocks", metric: "sopr", selector: "total", resolution: "block", range: day },
  { name: "all blocks", metric: "sopr", selector: "total", resolution: "block" },
];

/** Path and query string of the request. */
export function pathOf({ metric, selector, resolution, range }: BenchQuery): string {
  const parameters = new URLSearchParams({ api_key: KEY, a: SYMBOL, c: selector, r: resolution });
  if (range !== undefined) {
    parameters.set("s", String(range.since));
    parameters.set("u", String(range.until - 1));
  }
  return `/v1/metrics/${metric}?${parameters}`;
}

/** Path and query string of a table of the token. */
export function tablePath(parameters: Record<string, string>): string {
  return `/v3/series?${new URLSearchParams({ api_key: KEY, a: SYMBOL, ...parameters })}`;
}

/** The key in the bucket of the query's answer, rendered in advance. */
export function renderedKey(query: BenchQuery): string {
  return `rendered/${query.name.replaceAll(" ", "-")}.json`;
}

/** The key in the bucket of a series object of its own, for those who do not read packs. */
export function peerKey(key: string): string {
  return `objects/${key}`;
}

/** Points that one request for formatting alone formats. */
export const FORMATTED_POINTS = 100 * 4_096;
