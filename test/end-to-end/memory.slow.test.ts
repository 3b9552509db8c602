/** An isolate's memory, by V8's inspector and by its own account, while many clients read at once. */

import { createHash } from "node:crypto";
import { get } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { burst, type MeteredServer, meteredServer, slowReaders } from "../../bench/worker/memory.ts";
import { SlowReader } from "../../bench/worker/processes/slow-reader.ts";
import { apiKeyName } from "../../data-schema/access/api-keys.ts";
import { mostSeries } from "../../worker/request/parameters/table-parameters.ts";
import { newFolder } from "../folders.ts";
import { at, DAY, publish } from "../worker/token.ts";
import { FORMATS, IDENTITY, UNCOMPRESSED } from "./wide-token.ts";

const KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";
/** An isolate on Cloudflare has 128 MB. */
const MOST_HEAP = 110e6;
const MOST_ACCOUNT = 64e6;

const FROM = at("2022-01-01");
const DAYS = 1_500;
const BLOCKS = 400_000;
const MONTHS = { name: "2022-01", from: FROM, to: at("2022-03-01") };

/** All cohorts of these are as many series as one answer may have by day. */
const METRICS = [
  "sopr",
  "realised_profit",
  "realised_loss",
  "volume",
  "volume_dollar",
  "moved_coins_cost_basis",
  "asopr",
  "dormancy",
] as const;

const path = (query: string) => `/v1/metrics/sopr?api_key=${KEY}&a=LONG&${query}`;
const BLOCK_SERIES = path("r=block");
const DAY_SERIES = ["total", "users", "<1d", "1y-2y"].map((selector) => path(`c=${encodeURIComponent(selector)}`));

let server: MeteredServer;

beforeAll(async () => {
  server = await meteredServer(newFolder());
  // Full precision, which hardly compresses.
  const value = (index: number) => 1.5 + Math.sin(index * 7919);
  const blocks = Array.from({ length: BLOCKS }, (_, index) => ({ t: FROM + 12 * index, v: value(index) }));
  const days = Array.from({ length: DAYS }, (_, index) => ({ t: FROM + index * DAY, v: value(index) }));
  await publish(await server.miniflare.getR2Bucket("BUCKET"), {
    symbol: "LONG",
    metrics: METRICS,
    periods: { day: [{ name: "all", from: FROM, to: at("2050-01-01") }], block: [MONTHS] },
    range: { day: [FROM, FROM + (DAYS - 1) * DAY] },
    series: (metric, resolution, selector) =>
      resolution === "day" ? days : metric === "sopr" && selector === "total" ? blocks : [],
  });
  const record = { id: "k", name: "Tests", status: "active", plan: "unlimited", created: "2026-01-01T00:00:00Z" };
  const keys = await server.miniflare.getKVNamespace("KEYS");
  await keys.put(await apiKeyName(KEY), JSON.stringify(record));
});

afterAll(() => server?.close());

const digestOf = async (url: string) =>
  createHash("sha256")
    .update(new Uint8Array(await (await fetch(url, { headers: IDENTITY })).arrayBuffer()))
    .digest("hex");

it("stays within its limit while many clients read long series slowly, and every answer is whole", async () => {
  const url = server.url + BLOCK_SERIES;
  const whole = await digestOf(url);
  const digests: string[] = [];
  const peak = await server.during(async () => {
    const { served, readers } = await slowReaders(url, 64);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(served).toHaveLength(64);
    for (const reader of served.slice(0, 4)) digests.push(await reader.finish());
    expect(served.filter(({ isCut }) => isCut)).toEqual([]);
    for (const reader of readers) reader.leave();
  });
  expect(digests).toEqual(Array(4).fill(whole));
  expect(peak.heap).toBeLessThan(MOST_HEAP);
  expect(peak.account).toBeLessThan(MOST_ACCOUNT);
});

it("answers hundreds of cold requests at once, one after the other", async () => {
  let statuses: number[] = [];
  const peak = await server.during(async () => {
    statuses = await burst(server.url, DAY_SERIES, 250, { "x-cold": "" });
  });
  expect(statuses).toEqual(Array(250).fill(200));
  expect(peak.heap).toBeLessThan(MOST_HEAP);
  expect(peak.account).toBeLessThan(MOST_ACCOUNT);
});

it("answers tables of many series to many clients at once", async () => {
  const table = (m: string, f: string) => `/v3/series?api_key=${KEY}&a=LONG&m=${m}&c=*&f=${f}`;
  const tables = FORMATS.map((f) => table("sopr", f));
  let statuses: number[] = [];
  const peak = await server.during(async () => {
    statuses = await burst(server.url, tables, 50, { "x-cold": "" });
  });
  expect(statuses).toEqual(Array(50).fill(200));
  expect(peak.heap).toBeLessThan(MOST_HEAP);
  expect(peak.account).toBeLessThan(MOST_ACCOUNT);
});

it("holds long tables as columnar JSON for as many clients as there is room for", async () => {
  const path = `/v3/series?api_key=${KEY}&a=LONG&m=sopr&r=block`;
  let statuses: number[] = [];
  const peak = await server.during(async () => {
    statuses = await burst(server.url, [path], 16, UNCOMPRESSED);
  });
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(peak.heap).toBeLessThan(MOST_HEAP);
  expect(peak.account).toBeLessThan(MOST_ACCOUNT);
});

it("sends long tables slowly to as many clients as there is room for, and refuses the others", async () => {
  const url = `${server.url}/v3/series?api_key=${KEY}&a=LONG&m=sopr&r=block&f=csv`;
  const whole = await digestOf(url);
  const digests: string[] = [];
  const peak = await server.during(async () => {
    const { served, readers } = await slowReaders(url, 32);
    expect(served.length).toBeGreaterThanOrEqual(8);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (const reader of served.slice(0, 4)) digests.push(await reader.finish());
    for (const reader of readers) reader.leave();
  });
  expect(digests).toEqual(Array(4).fill(whole));
  expect(peak.heap).toBeLessThan(MOST_HEAP);
  expect(peak.account).toBeLessThan(MOST_ACCOUNT);
});

it("holds nothing any more for clients that went away, whenever they did", async () => {
  let left = 0;
  const next = async () => {
    for (let number = left++; number < 1_000; number = left++) {
      const url = server.url + (number % 3 === 0 ? BLOCK_SERIES : DAY_SERIES[number % 4]);
      const request = get(url, { agent: false, headers: number % 2 ? { "x-cold": "" } : {} }, (response) =>
        response.on("error", () => {}),
      );
      request.on("error", () => {});
      // From before the connection to the middle of the answer.
      await new Promise((resolve) => setTimeout(resolve, (number * 7919) % 60));
      request.destroy();
    }
  };
  await Promise.all(Array.from({ length: 32 }, next));
  // The requests that had been sent are still answered, to nobody.
  await expect.poll(async () => (await server.now()).requests, { timeout: 60_000 }).toBe(0);
});

it("lets a client go on that had to wait for its place", async () => {
  const { readers } = await slowReaders(server.url + BLOCK_SERIES, 60);
  const late = new SlowReader(server.url + BLOCK_SERIES);
  for (const reader of readers) reader.leave();
  expect(await late.started).toMatchObject({ status: 200 });
  late.leave();
});

it("answers as many series as one answer may have, in every format", async () => {
  const tables = FORMATS.map((f) => `/v3/series?api_key=${KEY}&a=LONG&m=${METRICS.join()}&c=*&f=${f}`);
  const [first] = (await (await fetch(server.url + tables[1])).text()).split("\n");
  expect(first!.split(",")).toHaveLength(1 + mostSeries("day"));
  let statuses: number[] = [];
  const peak = await server.during(async () => {
    statuses = await burst(server.url, tables, FORMATS.length, UNCOMPRESSED);
  });
  expect(statuses).toEqual(FORMATS.map(() => 200));
  expect(peak.heap).toBeLessThan(MOST_HEAP);
  expect(peak.account).toBeLessThan(MOST_ACCOUNT);
});
