/** GET /v3/series and /v3/assets of assets with own cohorts. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { OwnCohort } from "../../../data-schema/registry/own-cohorts.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const ALL = { name: "all", from: at("2025-03-01"), to: at("2025-04-07") };
const FIRST = at("2025-03-01");

/** Each selector's values tell it from the others; the team is idle on the second day, and `@none` always. */
const token: Token = {
  symbol: "ARIA",
  own: ["@team", "@none", "@a-b_2"],
  metrics: ["sopr", "volume", "price", "supply", "num_transfers", "inflow_cohort"],
  periods: { day: [ALL] },
  range: { day: [FIRST, FIRST + 2 * DAY] },
  series: (metric, _, selector) => {
    const base: Partial<Record<string, number>> = { total: 100, users: 200, "@team": 10, "@a-b_2": 20 };
    const value = base[selector];
    if (value === undefined) return [];
    const days = selector === "@team" && metric !== "supply" ? [0, 2] : [0, 1, 2];
    return days.map((day) => ({ t: FIRST + day * DAY, v: value + day + (metric === "sopr" ? 0.5 : 0) }));
  },
};

const MANY = Array.from({ length: 32 }, (_, i): OwnCohort => `@list${i}`);

let client: Client;

beforeAll(async () => {
  await Promise.all([
    putKey(),
    publish(env.BUCKET, token),
    publish(env.BUCKET, { ...token, symbol: "DUET", own: ["@team"] }),
    publish(env.BUCKET, { symbol: "MANY", own: MANY, periods: { day: [] }, series: () => [] }),
    publish(env.BUCKET, { symbol: "BARE", periods: { day: [] }, series: () => [] }),
  ]);
  client = freshIsolate();
});

const get = (query: string) => client.fetch(`/v3/series?${query}`);
const csv = async (query: string) => {
  const response = await get(`${query}&f=csv`);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text.trimEnd().split("\n");
};
const header = async (query: string) => (await csv(query))[0]!.split(",").slice(1);
const problem = async (query: string) => (await get(query)).json<Record<string, unknown>>();

describe("an own cohort", () => {
  it("is a selector: its sums are 0 where nothing happened, its ratios have no point there", async () => {
    expect(await csv("a=ARIA&m=volume,sopr,supply,price&c=@team")).toEqual([
      "t,ARIA:volume:@team,ARIA:sopr:@team,ARIA:supply:@team,ARIA:price:total",
      "2025-03-01T00:00:00,10,10.5,10,100",
      "2025-03-02T00:00:00,0,,11,101",
      "2025-03-03T00:00:00,12,12.5,12,102",
    ]);
    expect(await csv("a=ARIA&m=inflow_cohort,sopr&c=@none&last=1")).toEqual([
      "t,ARIA:inflow_cohort:@none,ARIA:sopr:@none",
      "2025-03-03T00:00:00,0,",
    ]);
  });

  it("stands beside others, in any order, and @* for all of an asset", async () => {
    expect(await header("a=ARIA&m=volume&c=@a-b_2,users,@team")).toEqual([
      "ARIA:volume:@a-b_2",
      "ARIA:volume:users",
      "ARIA:volume:@team",
    ]);
    expect(await header("a=ARIA,DUET&m=volume,supply&c=@*")).toEqual([
      ...["@a-b_2", "@none", "@team"].map((cohort) => `ARIA:volume:${cohort}`),
      ...["@a-b_2", "@none", "@team"].map((cohort) => `ARIA:supply:${cohort}`),
      "DUET:volume:@team",
      "DUET:supply:@team",
    ]);
    const all = await header("a=ARIA&m=supply&c=*");
    expect(all.some((name) => name.includes("@"))).toBe(false);
    expect(await header("a=ARIA&m=supply&c=*,@*")).toEqual([
      ...all,
      ...["@a-b_2", "@none", "@team"].map((cohort) => `ARIA:supply:${cohort}`),
    ]);
    expect(await header("a=ARIA&m=supply&c=@*,*")).toEqual(await header("a=ARIA&m=supply&c=*,@*"));
  });

  it("that an asset lacks is an error with the nearest", async () => {
    expect(await problem("a=ARIA&m=volume&c=@tem")).toMatchObject({
      type: "/problems/invalid-parameter",
      parameter: "c",
      suggestion: "@team",
      allowed: ["@a-b_2", "@none", "@team"],
    });
    expect(await problem("a=ARIA,DUET&m=volume&c=@none")).toMatchObject({
      detail: 'DUET has no own cohort "@none".',
      allowed: ["@team"],
    });
    expect(await problem("a=BARE&m=volume&c=@*")).toMatchObject({ detail: "BARE has no own cohorts." });
    expect(await problem("a=BARE&m=volume&c=@team")).toMatchObject({ detail: "BARE has no own cohorts." });
  });

  it.each([
    "m=volume&c=@",
    "m=volume&c=@Team",
    "m=volume&c=@team,@team",
    "m=volume&c=@*,@team",
    "m=volume&c=*,users",
    "m=volume&c=@a.b",
    `m=volume&c=@${"a".repeat(33)}`,
    "m=num_transfers&c=@team",
    "m=volume,num_transfers&c=@team",
  ])("is refused in %s", async (query) => {
    expect(await problem(`a=ARIA&${query}`)).toMatchObject({ status: 400, parameter: "c" });
  });

  it("counts towards the limit of series", async () => {
    expect((await get("a=MANY&m=volume,supply,sopr,realised_cap,market_cap,realised_loss,dormancy&c=@*")).status).toBe(
      200,
    );
    expect(
      await problem("a=MANY&m=volume,supply,sopr,realised_cap,market_cap,realised_loss,dormancy,mean_age&c=@*"),
    ).toMatchObject({ type: "/problems/too-many-series" });
  });
});

it("is listed with its sizes, in v3 alone", async () => {
  const { assets } = await (await client.fetch("/v3/assets")).json<{
    assets: { symbol: string; cohorts: unknown }[];
  }>();
  const cohortsOf = (symbol: string) => assets.find((asset) => asset.symbol === symbol)!.cohorts;
  expect(cohortsOf("ARIA")).toEqual([
    { selector: "@a-b_2", addresses: 4, holders: 3 },
    { selector: "@none", addresses: 3, holders: 2 },
    { selector: "@team", addresses: 2, holders: 1 },
  ]);
  expect(cohortsOf("BARE")).toBeUndefined();
  expect(await (await client.fetch("/v1/assets")).text()).not.toContain("@team");
  const refused = await client.fetch("/v1/metrics/volume?a=ARIA&c=@team");
  expect(refused.status).toBe(400);
});
