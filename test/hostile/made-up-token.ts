/** A token with made-up series, whose objects are of every kind that the Worker reads in its own way. */

import { createHash } from "node:crypto";
import { at, DAY, HOUR, type Point, publish } from "../worker/token.ts";

/** R2, as the Worker or Miniflare gives it. */
export type Bucket = Parameters<typeof publish>[0];

const START = at("2024-01-01");
const DAYS = 1_400;
const HOURS = 9_000;
const BLOCKS = 18_000;
const YEARS = [2024, 2025].map((year) => ({
  name: String(year),
  from: at(`${year}-01-01`),
  to: at(`${year + 1}-01-01`),
}));
const MONTHS = [{ name: "2024-01", from: START, to: at("2024-07-01") }];

/** The one resolution at which each metric has points, in seconds from one to the next, and their number. */
const SERIES = { sopr: ["day", DAY, DAYS], volume: ["hour", HOUR, HOURS], sopr_profit: ["block", 13, BLOCKS] } as const;
/** So many that the objects of hours and blocks are too large to be read as a whole. */
const SELECTORS = {
  sopr: ["total", "users", "<1d", "$1M-10M"],
  volume: ["total", "users", "$0-100", "$1M-10M", "$10M+"],
  sopr_profit: ["total", "users"],
};
/** Mostly all of a series. */
const RANGES = ["", "&f=csv", "&s=2024-01-02&u=2024-03-09T05:00", "&s=2024-12-30&u=2025-01-03&f=csv"];

/** Publishes the token: objects that are read whole and others that are read by ranges; of days, hours and blocks. */
export async function publishMadeUp(bucket: Bucket, symbol: string): Promise<void> {
  await publish(withDigests(bucket), {
    symbol,
    metrics: ["sopr", "volume", "sopr_profit"],
    periods: { day: [{ name: "all", from: START, to: START + DAYS * DAY }], hour: YEARS, block: MONTHS },
    range: { day: [START, START + (DAYS - 1) * DAY], hour: [START, START + (HOURS - 1) * HOUR] },
    series(metric, resolution, selector) {
      const [of, step, count] = SERIES[metric as keyof typeof SERIES];
      const isThere = of === resolution && (SELECTORS[metric as keyof typeof SERIES] as string[]).includes(selector);
      return isThere ? points(symbol + metric + selector, count, step) : [];
    },
  });
}

/** Requests that read an object, by its key; for a manifest, requests of every kind. */
export function pathsOf(symbol: string, key: string): string[] {
  const [kind, , resolution, metric] = key.split("/");
  const series = kind === "series" ? [[metric, resolution] as const] : ALL;
  return series.flatMap(([metric, resolution]) =>
    SELECTORS[metric as keyof typeof SELECTORS].flatMap((selector) =>
      RANGES.map(
        (range) => `/v1/metrics/${metric}?a=${symbol}&r=${resolution}&c=${encodeURIComponent(selector)}${range}`,
      ),
    ),
  );
}

const ALL = ["sopr", "volume", "sopr_profit"].flatMap((metric) =>
  ["day", "hour", "block"].map((resolution) => [metric, resolution] as const),
);
/** Values of full precision, other ones for each series. */
function points(name: string, count: number, step: number): Point[] {
  const seed = [...name].reduce((sum, letter, index) => sum + (index + 1) * letter.charCodeAt(0), 0);
  return Array.from({ length: count }, (_, i) => ({ t: START + i * step, v: 1.5 + Math.sin(seed * 7919 + i) }));
}

/** The bucket, given the SHA-256 of manifests, too, as the builder gives it. */
function withDigests(bucket: Bucket): Bucket {
  return {
    put(key, value, options) {
      return bucket.put(key, value, { sha256: createHash("sha256").update(value).digest("hex"), ...options });
    },
  };
}
