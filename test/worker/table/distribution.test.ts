/** GET /v3/distributions. */

import { env } from "cloudflare:workers";
import { tableFromIPC } from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import type { Series } from "../../../builder/engine/series.ts";
import {
  bucketSeries,
  DISTRIBUTION_FIELDS,
  type DistributionName,
} from "../../../data-schema/registry/distributions.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { tableOfParquet } from "../parquet-wasm.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const FIRST = at("2024-12-30");
const days = (...numbers: number[]) => Float64Array.from(numbers, (day) => FIRST + day * DAY);

/** Days on which each bucket of total holds something: 10.5 tokens, 20 dollars and one address; one more a day. */
const BUCKETS: Record<DistributionName, Record<string, number[]>> = {
  cost_basis: { "0": [0, 1, 2], "k-1200": [1], "k-12": [0, 3], k1200: [3] },
  acquired: { "2024-12": [0, 1, 2, 3] },
  first_seen: {},
};

const token: Token = {
  symbol: "ARIA",
  metrics: ["price"],
  periods: { day: [{ name: "all", from: FIRST, to: FIRST + 100 * DAY }] },
  range: { day: [FIRST, FIRST + 3 * DAY] },
  series: () => [],
  distributions: (name, resolution): Series[] => {
    if (resolution !== "day") return [];
    return DISTRIBUTION_FIELDS.flatMap((field, i) =>
      Object.entries(BUCKETS[name]).map(([bucket, on]) => ({
        selector: bucketSeries(field, "total", bucket),
        t: days(...on),
        v: Float64Array.from(on, (day) => [10.5, 20, 1][i]! + day),
      })),
    );
  },
};

let client: Client;

beforeAll(async () => {
  await Promise.all([
    putKey(),
    publish(env.BUCKET, token),
    publish(env.BUCKET, { symbol: "OLD", periods: { day: [] }, series: () => [] }),
  ]);
  client = freshIsolate();
});

const get = (path: string) => client.fetch(`/v3/distributions/${path}`);
const text = async (path: string) => {
  const response = await get(path);
  const body = await response.text();
  expect(response.status, body).toBe(200);
  return body;
};
const problem = async (path: string) => (await get(path)).json<Record<string, unknown>>();

describe("a distribution", () => {
  it("has a matrix for each field, with the buckets that have an address, ascending, and 0 where one has none", async () => {
    expect(JSON.parse(await text("cost_basis?a=aria"))).toEqual({
      asset: "ARIA",
      build: "0123456789abcdef",
      asOf: "2026-01-01T00:00:00Z",
      distribution: "cost_basis",
      selector: "total",
      resolution: "day",
      buckets: [
        { name: "0", from: 0, to: 0 },
        { name: "k-1200", from: null, to: 1.0592537251772889e-30 },
        { name: "k-12", from: 0.5011872336272722, to: 0.5308844442309884 },
        { name: "k1200", from: 1e30, to: null },
      ],
      t: ["2024-12-30T00:00:00", "2024-12-31T00:00:00", "2025-01-01T00:00:00", "2025-01-02T00:00:00"],
      supply: [
        [10.5, 0, 10.5, 0],
        [11.5, 11.5, 0, 0],
        [12.5, 0, 0, 0],
        [0, 0, 13.5, 13.5],
      ],
      realised_cap: [
        [20, 0, 20, 0],
        [21, 21, 0, 0],
        [22, 0, 0, 0],
        [0, 0, 23, 23],
      ],
      num_addresses: [
        [1, 0, 1, 0],
        [2, 2, 0, 0],
        [3, 0, 0, 0],
        [0, 0, 4, 4],
      ],
    });
  });

  it("leaves out the buckets that are empty in the range", async () => {
    const { buckets, t, supply } = JSON.parse(await text("cost_basis?a=ARIA&s=2025-01-01T12:00&u=2025-01-02"));
    expect(buckets.map(({ name }: { name: string }) => name)).toEqual(["k-12", "k1200"]);
    expect([t, supply]).toEqual([["2025-01-02T00:00:00"], [[13.5, 13.5]]]);
    const last = JSON.parse(await text("cost_basis?a=ARIA&last=2&time=unix"));
    expect(last.t).toEqual([...days(2, 3)]);
    expect(last.buckets.map(({ name }: { name: string }) => name)).toEqual(["0", "k-12", "k1200"]);
  });

  it("is a row for each bucket that is not empty, as CSV and as lines of JSON", async () => {
    expect((await text("cost_basis?a=ARIA&f=csv&s=2024-12-31&u=2025-01-01")).split("\n")).toEqual([
      "t,bucket,from,to,supply,realised_cap,num_addresses",
      "2024-12-31T00:00:00,0,0,0,11.5,21,2",
      "2024-12-31T00:00:00,k-1200,,1.0592537251772889e-30,11.5,21,2",
      "2025-01-01T00:00:00,0,0,0,12.5,22,3",
      "",
    ]);
    const lines = (await text("acquired?a=ARIA&f=ndjson&last=1&time=unix")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        t: FIRST + 3 * DAY,
        bucket: "2024-12",
        from: at("2024-12-01"),
        to: at("2025-01-01"),
        supply: 13.5,
        realised_cap: 23,
        num_addresses: 4,
      },
    ]);
  });

  it("has the same rows as Arrow and as Parquet", async () => {
    const row = (day: number, bucket: string, from: unknown, to: unknown) => {
      return {
        t: FIRST + day * DAY,
        bucket,
        from,
        to,
        supply: 10.5 + day,
        realised_cap: 20 + day,
        num_addresses: 1 + day,
      };
    };
    const [low, high] = [0.5011872336272722, 0.5308844442309884];
    const costs = [
      ...[row(0, "0", 0, 0), row(0, "k-12", low, high)],
      ...[row(1, "0", 0, 0), row(1, "k-1200", null, 1.0592537251772889e-30), row(2, "0", 0, 0)],
      ...[row(3, "k-12", low, high), row(3, "k1200", 1e30, null)],
    ];
    const months = [0, 1, 2, 3].map((day) => row(day, "2024-12", at("2024-12-01"), at("2025-01-01")));
    for (const [name, expected] of [
      ["cost_basis", costs],
      ["acquired", months],
      ["first_seen", []],
    ] as const) {
      for (const time of ["unix", "iso"]) {
        const bytes = async (f: string) => (await get(`${name}?a=ARIA&time=${time}&f=${f}`)).bytes();
        for (const table of [tableFromIPC(await bytes("arrow")), tableOfParquet(await bytes("parquet"))]) {
          const factor = time === "iso" ? 1_000 : 1;
          const seconds = (value: unknown) => (value === null ? null : Number(value) / factor);
          const rows = table.toArray().map((found) => {
            const { t, from, to, ...rest } = found.toJSON() as (typeof costs)[number];
            const ends = name === "cost_basis" ? [from, to] : [seconds(from), seconds(to)];
            return { ...rest, t: seconds(t), from: ends[0], to: ends[1] };
          });
          expect(rows).toEqual(expected);
          expect(JSON.parse(table.schema.metadata.get("soprano") ?? "{}")).toMatchObject(
            table.schema.metadata.has("soprano") ? { asset: "ARIA", distribution: name, selector: "total" } : {},
          );
        }
      }
    }
  });

  it("is empty where nobody holds the token", async () => {
    for (const path of ["first_seen?a=ARIA", "cost_basis?a=ARIA&c=users"]) {
      const { buckets, t, supply } = JSON.parse(await text(path));
      expect([buckets, t.length, supply]).toEqual([[], 4, [[], [], [], []]]);
    }
    const { t, supply } = JSON.parse(await text("cost_basis?a=ARIA&s=2026-01-01"));
    expect([t, supply]).toEqual([[], []]);
    expect(await text("cost_basis?a=ARIA&s=2026-01-01&f=csv")).toBe(
      "t,bucket,from,to,supply,realised_cap,num_addresses\n",
    );
  });

  it("has an entity tag of its build, its range and its form", async () => {
    const response = await get("cost_basis?a=ARIA");
    const tag = response.headers.get("ETag")!;
    await response.body?.cancel();
    expect(
      (await client.fetch("/v3/distributions/cost_basis?a=ARIA", { headers: { "If-None-Match": tag } })).status,
    ).toBe(304);
    const others = [
      "cost_basis?a=ARIA&c=users",
      "cost_basis?a=ARIA&last=1",
      "cost_basis?a=ARIA&time=unix",
      "acquired?a=ARIA",
    ];
    for (const path of others) {
      const other = await get(path);
      await other.body?.cancel();
      expect(other.headers.get("ETag")).not.toBe(tag);
    }
  });

  it("says what is wrong with a request", async () => {
    expect(await problem("cost_bass?a=ARIA")).toMatchObject({
      type: "/problems/unknown-distribution",
      suggestion: "cost_basis",
    });
    expect(await problem("cost_basis")).toMatchObject({ type: "/problems/missing-parameter", parameter: "a" });
    expect(await problem("cost_basis?a=ARIA&c=sth")).toMatchObject({
      parameter: "c",
      allowed: ["total", "users", "fifo", "fifo.users", "lifo", "lifo.users", "hifo", "hifo.users"],
    });
    expect(await problem("cost_basis?a=ARIA&r=hour")).toMatchObject({
      parameter: "r",
      allowed: ["day", "week", "month"],
    });
    expect(await problem("cost_basis?a=ARIA&f=xml")).toMatchObject({ parameter: "f" });
    expect(await problem("cost_basis?a=ARIA&last=0")).toMatchObject({ parameter: "last" });
    expect(await problem("cost_basis?a=ARIA&last=1&s=2025-01-01")).toMatchObject({
      type: "/problems/conflicting-parameters",
    });
    expect(await problem("cost_basis?a=ARIA&s=2025-01-02&u=2025-01-01")).toMatchObject({
      type: "/problems/reversed-range",
    });
    expect(await problem("cost_basis?a=OLD")).toMatchObject({ type: "/problems/unavailable-metric", parameter: "a" });
    expect(await problem("cost_basis?a=NONE")).toMatchObject({ type: "/problems/unsupported-asset" });
    expect((await freshIsolate().fetch("/v3/distributions/cost_basis?a=ARIA&api_key=")).status).toBe(401);
  });

  it("is listed without a key", async () => {
    const response = await client.fetch("/v3/distributions?api_key=");
    expect(response.status).not.toBe(401);
    const { distributions } = await (await client.fetch("/v3/distributions")).json<{
      distributions: { name: string; path: string }[];
    }>();
    expect(distributions.map(({ name, path }) => [name, path])).toEqual([
      ["cost_basis", "/v3/distributions/cost_basis"],
      ["acquired", "/v3/distributions/acquired"],
      ["first_seen", "/v3/distributions/first_seen"],
    ]);
  });
});
