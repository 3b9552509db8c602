/** An isolate's memory while formulas are computed over the whole history of many hours. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { burst, type MeteredServer, meteredServer } from "../../bench/worker/memory.ts";
import { apiKeyName } from "../../data-schema/access/api-keys.ts";
import { nextYearStart } from "../../data-schema/registry/resolutions.ts";
import { newFolder } from "../folders.ts";
import { at, HOUR, publish } from "../worker/token.ts";
import { UNCOMPRESSED } from "./wide-token.ts";

const KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
/** An isolate on Cloudflare has 128 MB. */
const MOST_HEAP = 110e6;
const MOST_ACCOUNT = 64e6;

const FROM = at("2017-01-01");
const HOURS = 70_080;
const METRICS = ["sopr", "realised_profit", "realised_loss", "volume", "volume_dollar", "price"] as const;

let server: MeteredServer;

beforeAll(async () => {
  server = await meteredServer(newFolder());
  const value = (index: number) => 1.5 + Math.sin(index * 7919);
  const hours = Array.from({ length: HOURS }, (_, index) => ({ t: FROM + index * HOUR, v: value(index) }));
  const years: { name: string; from: number; to: number }[] = [];
  for (let from = FROM; from < FROM + HOURS * HOUR; from = nextYearStart(from)) {
    years.push({ name: String(new Date(from * 1000).getUTCFullYear()), from, to: nextYearStart(from) });
  }
  await publish(await server.miniflare.getR2Bucket("BUCKET"), {
    symbol: "LONG",
    metrics: METRICS,
    periods: { hour: years },
    range: { hour: [FROM, FROM + (HOURS - 1) * HOUR] },
    series: (metric, _, selector) =>
      ["total", "users", "sth", "lth"].includes(selector) ? hours.map(({ t, v }) => ({ t, v: v + metric.length })) : [],
  });
  const record = { id: "k", name: "Tests", status: "active", plan: "unlimited", created: "2026-01-01T00:00:00Z" };
  const keys = await server.miniflare.getKVNamespace("KEYS");
  await keys.put(await apiKeyName(KEY), JSON.stringify(record));
});

afterAll(() => server?.close());

const FORMULAS = [
  ["max(price)", "price / max(price) - 1", "smooth(volume_dollar:lth / volume:lth, 168)"],
  ["zscore(sopr:users, 720)", "percentile(sopr:sth, 8760)", "median(volume, 168)", "ema(volume_dollar, 24)"],
  ["corr(price, volume, 168)", "quantile(sopr, 0.9)", "if(sopr:lth < 1, change(volume:lth, 24), 0)"],
  ["(realised_profit - realised_loss) / (realised_profit + realised_loss)", "sum(realised_profit:users, 720)"],
].flat();

it.each([
  ["json", FORMULAS],
  ["parquet", FORMULAS],
  ["csv", ["std(log(volume / lag(volume, 24)), 720) * sqrt(8760)"]],
])("computes formulas of all hours as %s, for as many clients as there is room for", async (f, formulas) => {
  const path = `/v3/series?${new URLSearchParams({ api_key: KEY, a: "LONG", r: "hour", f, x: formulas.join(";") })}`;
  let statuses: number[] = [];
  const peak = await server.during(async () => {
    statuses = await burst(server.url, [path], 6, f === "csv" ? { "x-cold": "" } : UNCOMPRESSED);
  });
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(peak.heap).toBeLessThan(MOST_HEAP);
  expect(peak.account).toBeLessThan(MOST_ACCOUNT);
});

it("refuses formulas that would take too long", async () => {
  const x = Array.from({ length: 15 }, (_, i) => `f${i}=corr(price, volume, ${24 + i})`).join(";");
  const ask = (range: Record<string, string>) =>
    fetch(`${server.url}/v3/series?${new URLSearchParams({ api_key: KEY, a: "LONG", r: "hour", x, ...range })}`);
  const response = await ask({ last: "1" });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    {
      type: "/problems/too-many-rows",
      parameter: "x",
      detail: expect.stringMatching(/ take 210\d+ steps over 70\d{3} rows: an answer takes up to 20000000/),
    },
  ]);
  // Nothing after the range is read.
  expect((await ask({ u: "2018-01-01" })).status).toBe(200);
});
