/** A token whose every cohort has long series of SOPR, and two keys: what it takes to crowd an isolate. */

import { type MeteredServer, meteredServer } from "../../bench/worker/memory.ts";
import { apiKeyName } from "../../data-schema/access/api-keys.ts";
import { at, DAY, HOUR, publish } from "../worker/token.ts";

export const GREEDY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
const OTHER = "a1b2c3d4-5d4a-4f6b-9a7c-0e1d2c3b4a59";

const FROM = at("2022-01-01");
const DAYS = 1_500;
/** Two months of a block every 36 seconds. */
const BLOCKS = 140_000;
export const FORMATS = ["json", "csv", "ndjson", "arrow", "parquet"];
/** Asks for an answer as it is: Miniflare would compress what the Worker doesn't, in an isolate that isn't measured. */
export const IDENTITY = { "accept-encoding": "identity" };
/** The same of a cold isolate. */
export const UNCOMPRESSED = { "x-cold": "", ...IDENTITY };

export const table = (key: string, query: string) => `/v3/series?api_key=${key}&a=WIDE&m=sopr&${query}`;

/** What anybody asks for. */
export const ORDINARY = [
  `/v1/metrics/sopr?api_key=${OTHER}&a=WIDE`,
  table(OTHER, "c=*"),
  table(OTHER, "r=hour&last=2160"),
  ...FORMATS.map((f) => table(OTHER, `r=block&c=total,users&s=2022-01-05&u=2022-02-04&f=${f}`)),
];

/** The Worker, metered, with the token and the keys in a folder. */
export async function serveWideToken(folder: string): Promise<MeteredServer> {
  const server = await meteredServer(folder);
  // Full precision, which hardly compresses.
  const value = (index: number, seed: number) => 1.5 + Math.sin(index * 7919 + seed);
  const points = (count: number, step: number, seed: number) =>
    Array.from({ length: count }, (_, index) => ({ t: FROM + step * index, v: value(index, seed) }));
  const steps = { day: [DAYS, DAY], hour: [24 * 100, HOUR], block: [BLOCKS, 36] } as const;
  await publish(await server.miniflare.getR2Bucket("BUCKET"), {
    symbol: "WIDE",
    metrics: ["sopr"],
    periods: {
      day: [{ name: "all", from: FROM, to: at("2050-01-01") }],
      hour: [{ name: "2022", from: FROM, to: at("2023-01-01") }],
      block: [{ name: "2022-01", from: FROM, to: at("2022-03-01") }],
    },
    range: { day: [FROM, FROM + (DAYS - 1) * DAY], hour: [FROM, FROM + (24 * 100 - 1) * HOUR] },
    series: (_, resolution, selector) => {
      if (resolution === "week" || resolution === "month") return [];
      const [count, step] = steps[resolution];
      return points(count, step, selector.length + selector.charCodeAt(0));
    },
  });
  const keys = await server.miniflare.getKVNamespace("KEYS");
  for (const [id, key] of [GREEDY, OTHER].entries()) {
    const record = {
      id: `k${id}`,
      name: "Tests",
      status: "active",
      plan: "unlimited",
      created: "2026-01-01T00:00:00Z",
    };
    await keys.put(await apiKeyName(key), JSON.stringify(record));
  }
  return server;
}
