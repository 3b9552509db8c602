/** What an isolate needs for distributions of as many cells as an answer may have, in every format. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { burst, meteredServer } from "../../bench/worker/memory.ts";
import { apiKeyName } from "../../data-schema/access/api-keys.ts";
import { bucketSeries, DISTRIBUTION_FIELDS } from "../../data-schema/registry/distributions.ts";
import { newFolder } from "../folders.ts";
import { at, DAY, publish } from "../worker/token.ts";
import { FORMATS, UNCOMPRESSED } from "./wide-token.ts";

const KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
/** An isolate on Cloudflare has 128 MB. */
const MOST_HEAP = 110e6;
const MOST_ACCOUNT = 64e6;

const FROM = at("2022-01-01");
const DAYS = 1_500;
const BUCKETS = 1_333;

const folder = newFolder();

beforeAll(async () => {
  const server = await meteredServer(folder);
  const t = Float64Array.from({ length: DAYS }, (_, day) => FROM + day * DAY);
  // Full precision, which hardly compresses.
  const value = (index: number) => 1.5 + Math.sin(index * 7919);
  await publish(await server.miniflare.getR2Bucket("BUCKET"), {
    symbol: "WIDE",
    metrics: ["price"],
    periods: { day: [{ name: "all", from: FROM, to: at("2050-01-01") }] },
    range: { day: [FROM, FROM + (DAYS - 1) * DAY] },
    series: () => [],
    distributions: (name, resolution) => {
      if (name !== "cost_basis" || resolution !== "day") return [];
      return DISTRIBUTION_FIELDS.flatMap((field, i) =>
        Array.from({ length: BUCKETS }, (_, k) => ({
          selector: bucketSeries(field, "total", `k${k - 700}`),
          t,
          v: Float64Array.from(t, (_, day) => value(BUCKETS * day + 3 * k + i)),
        })),
      );
    },
  });
  const record = { id: "k", name: "Tests", status: "active", plan: "unlimited", created: "2026-01-01T00:00:00Z" };
  const keys = await server.miniflare.getKVNamespace("KEYS");
  await keys.put(await apiKeyName(KEY), JSON.stringify(record));
  await server.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

it.each(FORMATS)(
  "answers 2,000,000 cells as %s, to as many clients as there is room for",
  async (format) => {
    // A server of its own: what earlier answers leave behind is collected when V8 likes.
    const server = await meteredServer(folder);
    onTestFinished(() => server.close());
    let statuses: number[] = [];
    const peak = await server.during(async () => {
      const path = `/v3/distributions/cost_basis?api_key=${KEY}&a=WIDE&f=${format}`;
      statuses = await burst(server.url, [path], 3, UNCOMPRESSED);
    });
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(peak.heap).toBeLessThan(MOST_HEAP);
    expect(peak.account).toBeLessThan(MOST_ACCOUNT);
  },
  120_000,
);
