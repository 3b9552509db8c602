/** GET /v3/series, /v3/assets and /v3/metrics of assets with lots. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { bucketSeries } from "../../../data-schema/registry/distributions.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const ALL = { name: "all", from: at("2025-03-01"), to: at("2025-04-07") };
const FIRST = at("2025-03-01");

/** Each selector's values tell it from the others; nothing of `fifo.sth` moves on the second day. */
const VALUES: Partial<Record<string, number>> = {
  total: 100,
  users: 200,
  fifo: 10,
  "fifo.users": 20,
  "fifo.sth": 30,
  "fifo.1y-2y": 40,
  "fifo.<1d": 50,
  hifo: 60,
};

const token: Token = {
  symbol: "ARIA",
  lots: ["fifo", "hifo"],
  metrics: ["sopr", "volume", "supply", "num_transfers", "liveliness", "market_cap", "realised_cap"],
  periods: { day: [ALL] },
  range: { day: [FIRST, FIRST + 2 * DAY] },
  series: (metric, _, selector) => {
    const value = VALUES[selector];
    if (value === undefined) return [];
    const days = selector === "fifo.sth" && metric !== "supply" ? [0, 2] : [0, 1, 2];
    return days.map((day) => ({ t: FIRST + day * DAY, v: value + day + (metric === "market_cap" ? 1_000 : 0) }));
  },
  distributions: () => [],
  // On each day ten tokens in one bucket, half of them users', that have cost twice as much in dollars; on the last also some for nothing.
  lotDistributions: (name, resolution) => {
    if (name !== "fifo.cost_basis" || resolution !== "day") return [];
    const points = (
      field: "supply" | "realised_cap",
      selector: string,
      bucket: string,
      of: [day: number, v: number][],
    ) => ({
      selector: bucketSeries(field, selector, bucket),
      t: Float64Array.from(of, ([day]) => FIRST + day * DAY),
      v: Float64Array.from(of, ([, v]) => v),
    });
    return [
      points("supply", "fifo", "0", [[2, 7]]),
      points("supply", "fifo", "k12", [
        [0, 10],
        [1, 10],
        [2, 10],
      ]),
      points("supply", "fifo.users", "k12", [
        [0, 5],
        [1, 5],
        [2, 5],
      ]),
      points("realised_cap", "fifo", "0", [[2, 0]]),
      points("realised_cap", "fifo", "k12", [
        [0, 20],
        [1, 20],
        [2, 20],
      ]),
      points("realised_cap", "fifo.users", "k12", [
        [0, 10],
        [1, 10],
        [2, 10],
      ]),
    ];
  },
};

let client: Client;

beforeAll(async () => {
  await Promise.all([
    putKey(),
    publish(env.BUCKET, token),
    publish(env.BUCKET, { symbol: "BARE", periods: { day: [] }, series: () => [] }),
  ]);
  client = freshIsolate();
});

const get = (query: string) => client.fetch(`/v3/series?${query.replaceAll("<", "%3C")}`);
const csv = async (query: string) => {
  const response = await get(`${query}&f=csv`);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text.trimEnd().split("\n");
};
const header = async (query: string) => (await csv(query))[0]!.split(",").slice(1);
const problem = async (query: string) => (await get(query)).json<Record<string, unknown>>();

describe("lots", () => {
  it("are selectors: sums are 0 where nothing happened, ratios have no point there", async () => {
    expect(await csv("a=ARIA&m=volume,sopr&c=fifo,fifo.sth,total")).toEqual([
      "t,ARIA:volume:fifo,ARIA:volume:fifo.sth,ARIA:volume:total,ARIA:sopr:fifo,ARIA:sopr:fifo.sth,ARIA:sopr:total",
      "2025-03-01T00:00:00,10,30,100,10,30,100",
      "2025-03-02T00:00:00,11,0,101,11,,101",
      "2025-03-03T00:00:00,12,32,102,12,32,102",
    ]);
    expect(await csv("a=ARIA&m=supply&c=fifo.<1d,fifo.1y-2y,hifo.lth&last=1")).toEqual([
      "t,ARIA:supply:fifo.<1d,ARIA:supply:fifo.1y-2y,ARIA:supply:hifo.lth",
      "2025-03-03T00:00:00,52,42,0",
    ]);
  });

  it("have all selectors of a method with fifo.*, which * has not", async () => {
    const names = ["", ".users", ".<1d", ".1d-1w", ".1w-1m", ".1m-3m", ".3m-6m", ".6m-1y", ".1y-2y", ".2y-3y"];
    const all = [...names, ".3y-5y", ".5y-7y", ".7y-10y", ".sth", ".lth"].map((part) => `ARIA:supply:fifo${part}`);
    expect(await header("a=ARIA&m=supply&c=fifo.*")).toEqual(all);
    const others = await header("a=ARIA&m=supply&c=*");
    expect(others.some((name) => name.includes("fifo"))).toBe(false);
    expect(await header("a=ARIA&m=supply&c=*,fifo.*")).toEqual([...others, ...all]);
    expect(await header("a=ARIA&m=liveliness&c=fifo.*")).toEqual(["ARIA:liveliness:fifo"]);
    expect(await header("a=ARIA&m=liveliness,supply&c=hifo,users")).toEqual([
      "ARIA:liveliness:total",
      "ARIA:liveliness:hifo",
      "ARIA:supply:hifo",
      "ARIA:supply:users",
    ]);
  });

  it("are in formulas, those with names too", async () => {
    const [names, first] = await csv(
      "a=ARIA&m=mvrv&c=fifo&x=supply:fifo.1y-2y/supply;sopr:fifo.%3C1d-sopr:hifo&last=3",
    );
    expect(names).toBe("t,ARIA:mvrv:fifo,ARIA:supply:fifo.1y-2y/supply,ARIA:sopr:fifo.<1d-sopr:hifo");
    expect(first).toBe("2025-03-01T00:00:00,101,0.4,-10");
  });

  it("that an asset lacks are an error that says how it gets them", async () => {
    expect(await problem("a=ARIA&m=volume&c=lifo")).toMatchObject({
      type: "/problems/invalid-parameter",
      parameter: "c",
      allowed: ["fifo", "hifo"],
      detail: 'ARIA has no lots by lifo, only by fifo and hifo: its operator adds "lots": ["lifo"] to its ASSET.json.',
    });
    expect(await problem("a=BARE&m=volume&c=fifo.*")).toMatchObject({
      detail: 'BARE has no lots by fifo: its operator adds "lots": ["fifo"] to its ASSET.json.',
    });
    expect(await problem("a=ARIA&x=sopr:lifo.sth")).toMatchObject({ parameter: "x" });
  });

  it.each([
    ["m=volume&c=fifo.1y2y", "fifo.1y-2y"],
    ["m=volume&c=fifo.user", "fifo.users"],
    ["m=volume&c=fifo.", undefined],
    ["m=volume&c=fifo,fifo", undefined],
    ["m=volume&c=fifo.*,fifo", undefined],
    ["m=volume&c=fifo.*,fifo.*", undefined],
    ["m=num_transfers&c=fifo", undefined],
    ["m=volume,num_transfers&c=fifo", undefined],
  ])("are refused in %s", async (query, suggestion) => {
    const found = await problem(`a=ARIA&${query}`);
    expect(found).toMatchObject({ status: 400, parameter: "c", ...(suggestion !== undefined && { suggestion }) });
  });
});

describe("distributions of lots", () => {
  const distribution = (path: string) => client.fetch(`/v3/distributions/${path}`);

  it("have tokens and dollars, and no addresses, as matrices and as rows", async () => {
    const found = await (await distribution("cost_basis?a=ARIA&c=fifo&last=2")).json<Record<string, unknown>>();
    expect(found).toMatchObject({
      selector: "fifo",
      buckets: [{ name: "0" }, { name: "k12" }],
      supply: [
        [0, 10],
        [7, 10],
      ],
      realised_cap: [
        [0, 20],
        [0, 20],
      ],
    });
    expect(found).not.toHaveProperty("num_addresses");
    expect(await (await distribution("cost_basis?a=ARIA&c=fifo&last=1&f=csv")).text()).toBe(
      "t,bucket,from,to,supply,realised_cap\n2025-03-03T00:00:00,0,0,0,7,0\n2025-03-03T00:00:00,k12,1.9952623149688795,2.113489039836647,10,20\n",
    );
    expect(await (await distribution("cost_basis?a=ARIA&c=fifo.users&last=1&f=ndjson")).text()).toBe(
      '{"t":"2025-03-03T00:00:00","bucket":"k12","from":1.9952623149688795,"to":2.113489039836647,"supply":5,"realised_cap":10}\n',
    );
    for (const f of ["arrow", "parquet"]) {
      expect((await distribution(`cost_basis?a=ARIA&c=fifo&f=${f}`)).status).toBe(200);
    }
  });

  it("are refused where there are none", async () => {
    const refused = async (path: string) => (await distribution(path)).json<Record<string, unknown>>();
    expect(await refused("cost_basis?a=ARIA&c=lifo")).toMatchObject({
      status: 400,
      parameter: "c",
      allowed: ["fifo", "hifo"],
    });
    expect(await refused("first_seen?a=ARIA&c=fifo")).toMatchObject({ status: 400, allowed: ["total", "users"] });
    expect(await refused("acquired?a=ARIA&c=fifo.sth")).toMatchObject({ status: 400, parameter: "c" });
    expect((await distribution("acquired?a=ARIA&c=fifo")).status).toBe(200);
  });
});

it("are listed by asset and by metric, in v3 alone", async () => {
  const { assets } = await (await client.fetch("/v3/assets")).json<{ assets: { symbol: string; lots?: string[] }[] }>();
  expect(assets.map(({ symbol, lots }) => [symbol, lots])).toEqual([
    ["ARIA", ["fifo", "hifo"]],
    ["BARE", undefined],
  ]);
  const { lots } = await (await client.fetch("/v3/metrics/sopr")).json<{ lots: { cohorts: string[] } }>();
  expect(lots.cohorts).toContain("1y-2y");
  expect(await (await client.fetch("/v3/metrics/num_transfers")).json()).not.toHaveProperty("lots");
  expect((await client.fetch("/v1/metrics/volume?a=ARIA&c=fifo")).status).toBe(400);
});
