/** A strong entity tag stands for one body (RFC 9110 §8.8.1): of all answers, those with the same tag have the same bytes. */

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const FIRST = at("2025-01-01");
const LAST = at("2025-01-31");
const SYMBOLS = ["ARIA", "DUET", "TRIO"];

const token = (symbol: string, build: string, asOf: string): Token => ({
  symbol,
  build,
  asOf,
  own: ["@team"],
  metrics: ["sopr", "volume", "price", "supply"],
  periods: {
    day: [{ name: "2025", from: FIRST, to: at("2026-01-01") }],
    hour: [{ name: "2025", from: FIRST, to: at("2026-01-01") }],
  },
  range: { day: [FIRST, LAST], hour: [FIRST, FIRST + DAY] },
  holders: {
    rows: [5n, 3n, 0n].map((balance, n) => ({
      ...{ address: `0x${"0".repeat(39)}${n + 1}`, label: n % 2, balance, basis: n % 2, since: FIRST, cohorts: [] },
      ...{ firstEvent: FIRST, lastEvent: LAST, realised: 1, sent: symbol.length, receipts: 1, sends: 2 },
    })),
    price: 1,
    days: [{ day: at("2025-01-03"), supply: 8n, largest: [[`0x${"0".repeat(39)}1`, 5n]] }],
    groupRows: 2,
    hasLists: false,
  },
  transfers: [at("2025-01-03"), LAST].map((time, n) => ({
    ...{ time, block: 10 + n, logIndex: n, from: `0x${"1".repeat(40)}`, to: `0x${"2".repeat(40)}`, fromLabel: 0 },
    ...{ toLabel: n, price: n, raw: BigInt(symbol.length) },
  })),
  events: [{ t: FIRST, title: symbol }],
  distributions: (name, resolution) =>
    resolution === "day" && name === "cost_basis"
      ? [{ selector: "total", t: Float64Array.of(FIRST), v: Float64Array.of(1) }]
      : [],
  series: (metric, resolution, selector) =>
    resolution === "day" && ["total", "users", "@team"].includes(selector)
      ? Array.from({ length: 31 }, (_, n) => ({ t: FIRST + n * DAY, v: metric.length + n + symbol.length }))
      : [],
});

const optional = (name: string, ...values: string[]) =>
  fc.constantFrom(null, ...values).map((value) => (value === null ? [] : [[name, value]]));
const pick = (values: string[], most = values.length) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: most }).map((some) => some.join(","));

/** Requests for tables. In many of them, an asset has no column. */
const tables = fc
  .tuple(
    pick(SYMBOLS).map((a) => [["a", a]]),
    fc.constantFrom(
      [["m", "volume"]],
      [["m", "price,supply"]],
      [["x", "ARIA.price"]],
      [["x", "v=DUET.volume"]],
      [["x", "volume/DUET.volume;TRIO.price"]],
      [
        ["m", "price"],
        ["x", "p=price"],
      ],
    ),
    optional("c", "users", "total,users", "@*"),
    optional("s", "2025-01-05", "-2d"),
    optional("u", "2025-01-20"),
    optional("last", "3"),
    optional("r", "day", "hour"),
    optional("time", "iso", "unix"),
    optional("f", "json", "csv", "ndjson", "arrow", "parquet"),
  )
  .map((parts) => `/v3/series?${new URLSearchParams(parts.flat() as [string, string][])}`);

const series = fc
  .tuple(fc.constantFrom("v1", "v2"), fc.constantFrom(...SYMBOLS), optional("c", "users"), optional("f", "csv"))
  .map(
    ([version, a, ...rest]) =>
      `/${version}/metrics/sopr?${new URLSearchParams([["a", a], ...rest.flat()] as [string, string][])}`,
  );

const pages = fc.constantFrom(
  "/v3/assets",
  "/v3/status",
  "/v3/metrics",
  "/v3/screener?m=price",
  "/v3/screener?m=price&f=csv",
  ...SYMBOLS.map((symbol) => `/v3/assets/${symbol}/files`),
  ...SYMBOLS.map((symbol) => `/v3/distributions/cost_basis?a=${symbol}`),
  ...["", "&f=csv", "&sort=cost", "&order=asc", "&group=sc", "&limit=1", "&offset=1", "&at=2025-01-03"].flatMap(
    (more) => SYMBOLS.map((symbol) => `/v3/holders?a=${symbol}${more}`),
  ),
  ...["", "&f=csv", "&s=-2d", "&s=2025-01-01&u=2025-01-10"].flatMap((more) =>
    SYMBOLS.map((symbol) => `/v3/transfers/largest?a=${symbol}${more}`),
  ),
  ...SYMBOLS.flatMap((symbol) => ["", "?f=csv"].map((more) => `/v3/assets/${symbol}/events${more}`)),
  ...["", "?f=ndjson", "?a=DUET"].map((query) => `/v3/holders/0x${"0".repeat(39)}1${query}`),
);

it("stands for the same bytes", async () => {
  await putKey();
  const [EARLIER, LATER] = ["2025-02-01T00:00:00Z", "2025-02-02T00:00:00Z"];
  await Promise.all(SYMBOLS.map((symbol) => publish(env.BUCKET, token(symbol, "0123456789abcdef", EARLIER))));
  const bodies = new Map<string, { by: string; body: string }>();
  const paths = fc.sample(fc.oneof({ weight: 5, arbitrary: tables }, series, pages), 250);
  let same = 0;
  // For each asset in turn, another build becomes active: with the same series, as of a later time.
  for (const published of [null, ...SYMBOLS]) {
    if (published !== null) await publish(env.BUCKET, token(published, "fedcba9876543210", LATER));
    const client = freshIsolate();
    for (const path of paths) {
      const response = await client.fetch(path);
      const tag = response.headers.get("ETag");
      const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
      if (tag === null) continue;
      const by = `${path} after ${published ?? "nothing"}`;
      const known = bodies.get(tag);
      if (known === undefined) bodies.set(tag, { by, body });
      else {
        same++;
        expect(body === known.body, `${by} has the tag of ${known.by}: ${tag}`).toBe(true);
      }
    }
  }
  expect(same).toBeGreaterThan(50);
});
