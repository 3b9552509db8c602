/** GET /v3/duckdb.sql: which files its views have, and what it never has. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Client, freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const FIRST = at("2025-03-01");
const PERIOD = { name: "all", from: FIRST, to: FIRST + 9 * DAY };
const WEEKS = { name: "all", from: at("2025-02-24"), to: at("2025-03-10") };

let client: Client;

const token: Omit<Token, "symbol"> = {
  metrics: ["sopr", "volume"],
  periods: { day: [PERIOD], week: [WEEKS] },
  range: { day: [FIRST, FIRST + DAY], week: [WEEKS.from, WEEKS.from] },
  series: (_, resolution) => [{ t: resolution === "week" ? WEEKS.from : FIRST, v: 1 }],
};

beforeAll(async () => {
  await Promise.all([
    putKey(),
    publish(env.BUCKET, { ...token, symbol: "ARIA", own: ["@team"] }),
    publish(env.BUCKET, { ...token, symbol: "DUET", build: "fedcba9876543210" }),
    publish(env.BUCKET, { symbol: "BARE", periods: { day: [] }, series: () => [] }),
  ]);
  client = freshIsolate();
});

const get = (query: string, init?: RequestInit) => client.fetch(`/v3/duckdb.sql?${query}`, init);
const script = async (query: string) => {
  const response = await get(query);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
};
/** The views of a script, and in each the files, without their digests. */
const viewsOf = (text: string) =>
  text
    .split("CREATE OR REPLACE VIEW ")
    .slice(1)
    .map((view) => [
      view.split(" ")[0],
      ...Array.from(view.matchAll(/'https:\/\/soprano\.test\/v3\/files\/(.*?)\.[0-9a-f]{32}\.parquet'/g), ([, p]) => p),
    ]);

describe("GET /v3/duckdb.sql", () => {
  it("has the files of all assets, by resolution, in the order of the request", async () => {
    expect(viewsOf(await script("a=duet,aria"))).toEqual([
      [
        "series_day",
        ...["DUET/day/sopr/all", "DUET/day/volume/all", "ARIA/day/sopr/all", "ARIA/day/volume/all"],
        "ARIA/day/@team/all",
      ],
      [
        "series_week",
        ...["DUET/week/sopr/all", "DUET/week/volume/all", "ARIA/week/sopr/all", "ARIA/week/volume/all"],
        "ARIA/week/@team/all",
      ],
      ["series_ranges"],
    ]);
  });

  it("has the resolutions that are wanted, and no view of one that no asset has", async () => {
    expect(viewsOf(await script("a=ARIA&r=week,hour")).map(([view]) => view)).toEqual(["series_week", "series_ranges"]);
    expect(viewsOf(await script("a=BARE"))).toEqual([["series_ranges"]]);
  });

  it("names its builds, and is a file", async () => {
    const response = await get("a=ARIA,DUET", { headers: { "X-Api-Key": KEY } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/sql; charset=utf-8",
      "content-disposition": 'attachment; filename="soprano.sql"',
      "x-soprano-build": "0123456789abcdef, fedcba9876543210",
      "cache-control": "private, no-cache",
      vary: "Accept-Encoding",
    });
    expect((await response.text()).split("\n").slice(0, 2)).toEqual([
      "-- ARIA: build 0123456789abcdef, as of 2026-01-01T00:00:00Z",
      "-- DUET: build fedcba9876543210, as of 2026-01-01T00:00:00Z",
    ]);
    expect((await get("a=aria")).headers.get("Content-Disposition")).toBe('attachment; filename="ARIA_soprano.sql"');
  });

  it.each(["query", "X-Api-Key", "Authorization"])("never has the key, also if it came as %s", async (place) => {
    const header = place === "X-Api-Key" ? KEY : `Bearer ${KEY}`;
    const response =
      place === "query" ? await get(`a=ARIA&api_key=${KEY}`) : await get("a=ARIA", { headers: { [place]: header } });
    expect(response.status).toBe(200);
    expect((await response.text()).toLowerCase()).not.toContain(KEY.toLowerCase());
  });

  it("is not sent again while its builds are the same", async () => {
    const tag = (await get("a=ARIA,DUET")).headers.get("ETag")!;
    expect(tag).toMatch(/^(W\/)?"[0-9a-f]{32}"$/);
    const again = (query: string) => get(query, { headers: { "If-None-Match": tag } }).then(({ status }) => status);
    expect(await again("a=aria,duet&r=day,week,hour,block,month")).toBe(304);
    expect(await again("a=DUET,ARIA")).toBe(200);
    expect(await again("a=ARIA,DUET&r=day")).toBe(200);
  });

  it.each([
    ["", { type: "/problems/missing-parameter", parameter: "a" }],
    ["a=ARIA,aria", { type: "/problems/invalid-parameter", parameter: "a" }],
    ["a=ARIA,", { type: "/problems/invalid-parameter", parameter: "a" }],
    ["a=ARIO", { type: "/problems/unsupported-asset", suggestion: "ARIA" }],
    ["a=ARIA&r=days", { type: "/problems/invalid-parameter", parameter: "r", suggestion: "day" }],
    ["a=ARIA&r=day,", { type: "/problems/invalid-parameter", parameter: "r" }],
    ["a=ARIA&m=sopr", { type: "/problems/unknown-parameter", parameter: "m" }],
    [`a=${Array.from({ length: 21 }, (_, i) => `A${i}`).join()}`, { type: "/problems/too-many-series" }],
    ["a=ARIA&api_key=00000000-0000-4000-8000-000000000009", { type: "/problems/unknown-key" }],
  ])("says what is wrong with %s", async (query, expected) => {
    expect(await (await get(query)).json()).toMatchObject(expected);
  });
});
