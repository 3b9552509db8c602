/** Symbols under which nothing is published any more: of assets that were removed, or have another one. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { currentKey } from "../../../data-schema/stored/objects.ts";
import { removedKey } from "../../../data-schema/stored/removals.ts";
import { freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, mark, publish, type Token } from "../token.ts";

const START = at("2025-03-01");
const token: Omit<Token, "symbol"> = {
  metrics: ["price", "supply"],
  periods: { day: [{ name: "all", from: START, to: START + 100 * DAY }] },
  range: { day: [START, START] },
  series: () => [{ t: START, v: 1 }],
  predecessors: [{ contract: `0x${"71".repeat(20)}`, ratio: "100:1", by: "snapshot", until: 7 }],
  corrections: [1, 2, 3, 4].map((n) => ({ t: START + n, usd: n, reason: n === 4 ? "x".repeat(100) : "a thin pool" })),
};

beforeAll(async () => {
  await putKey();
  for (const symbol of ["DOGE", "CAT"]) await publish(env.BUCKET, { ...token, symbol });
  await mark(env.BUCKET, "GONE", null);
  await mark(env.BUCKET, "DOG", "DOGE");
  await mark(env.BUCKET, "PUP", "DOG");
});

const NAMES = ["GONE", "DOG", "PUP", "NOBODY"] as const;
const answer = async (path: string, init?: RequestInit) => {
  const response = await freshIsolate().fetch(path, init);
  return { response, text: await response.text() };
};

describe("a removed asset", () => {
  it.each([
    "/v3/series?m=price&a=GONE",
    "/v3/series?m=price&a=CAT,GONE",
    "/v3/series?a=CAT&x=GONE.price",
    "/v3/distributions/cost_basis?a=gone",
    "/v3/files/GONE",
    `/v3/files/GONE/day/price/all.${"0".repeat(32)}.parquet`,
    "/v3/duckdb.sql?a=GONE",
    "/v3/assets/gone",
    "/v3/assets/GONE/builds",
    "/v3/assets/GONE/changes",
    "/udf/symbols?symbol=GONE:price",
    "/udf/history?symbol=GONE:price",
  ])("is a 410 with a sentence: %s", async (path) => {
    const { response, text } = await answer(path);
    expect([response.status, JSON.parse(text)]).toMatchObject([
      410,
      {
        type: "/problems/removed-asset",
        detail: "GONE has been removed: its metrics are no longer served.",
        allowed: ["CAT", "DOGE"],
      },
    ]);
  });

  it("has no files, though they are still there", async () => {
    const client = freshIsolate();
    await publish(env.BUCKET, { ...token, symbol: "LAST" });
    const { files } = await (await client.fetch("/v3/files/LAST")).json<{ files: { path: string }[] }>();
    const path = `/v3/files/LAST/${files[0]!.path}`;
    expect((await freshIsolate().fetch(path)).status).toBe(200);
    await mark(env.BUCKET, "LAST", null);
    // The mark counts when the active manifest is gone.
    expect((await freshIsolate().fetch(path)).status).toBe(200);
    await env.BUCKET.delete(currentKey("LAST"));
    expect((await freshIsolate().fetch(path)).status).toBe(410);
    await env.BUCKET.delete(removedKey("LAST"));
  });

  it("is known everywhere within a minute", async () => {
    await publish(env.BUCKET, { ...token, symbol: "SOON" });
    let time = Date.now();
    const client = freshIsolate({ now: () => time });
    const path = "/v3/series?m=price&a=SOON";
    await client.fetch("/v3/assets");
    expect((await client.fetch(path)).status).toBe(200);
    await mark(env.BUCKET, "SOON", null);
    await env.BUCKET.delete(currentKey("SOON"));
    time += 60_000;
    expect((await client.fetch(path)).status).toBe(410);
    expect(await (await client.fetch("/v3/assets")).text()).not.toContain("SOON");
    await env.BUCKET.delete(removedKey("SOON"));
  });
});

describe("a symbol that an asset had before", () => {
  const renamed = (response: Response) => response.headers.get("X-Soprano-Renamed");

  it.each([
    "/v3/series?m=price&c=total&f=csv&a=",
    "/v3/series?m=price,supply&a=CAT,",
    "/v3/series?a=CAT&f=csv&x=p=NAME.price",
    "/v3/series?a=CAT&f=csv&x=p=price/NAME.price",
    "/v3/series?m=price&build=0123456789abcdef&a=",
    "/v3/duckdb.sql?a=",
    "/v3/files/",
    "/udf/history?symbol=NAME:price",
    "/udf/symbols?symbol=NAME:price",
  ])("is answered as the present one, with a word in a header: %s", async (path) => {
    const of = (name: string) => (path.includes("NAME") ? path.replace("NAME", name) : `${path}${name}`);
    const present = await answer(of("DOGE"));
    expect([present.response.status, renamed(present.response)]).toEqual([200, null]);
    for (const name of ["dog", "PUP"]) {
      const former = await answer(of(name).replace("symbol=dog", "symbol=DOG").replace("dog.price", "DOG.price"));
      expect([former.response.status, former.text]).toEqual([200, present.text]);
      expect(renamed(former.response)).toBe(`${name.toUpperCase()}=DOGE`);
      expect(former.response.headers.get("Access-Control-Expose-Headers")).toContain("X-Soprano-Renamed");
    }
  });

  it("is one asset with the present one", async () => {
    for (const path of ["/v3/series?m=price&a=DOG,DOGE", "/v3/series?m=price&a=DOGE&x=DOG.price"]) {
      const { response, text } = await answer(path);
      expect([response.status, text]).toEqual([400, expect.stringContaining("are one asset, DOGE: name it once.")]);
    }
  });

  it.each([
    ["/v3/assets/dog", "/v3/assets/DOGE"],
    ["/v3/assets/PUP/builds", "/v3/assets/DOGE/builds"],
    ["/v3/assets/DOG/changes", "/v3/assets/DOGE/changes"],
    ["/v3/assets/DOG/changes?before=7", "/v3/assets/DOGE/changes?before=7"],
  ])("leads on in the catalog: %s", async (path, location) => {
    const { response, text } = await answer(path, { redirect: "manual", headers: { "X-Api-Key": KEY } });
    expect([response.status, response.headers.get("Location"), JSON.parse(text)]).toEqual([
      308,
      location,
      { asset: "DOGE", location },
    ]);
  });

  it("is listed with the present one", async () => {
    const { assets } = JSON.parse((await answer("/v3/assets")).text);
    expect(assets.map(({ symbol, was }: { symbol: string; was?: string[] }) => [symbol, was])).toEqual([
      ["CAT", undefined],
      ["DOGE", ["DOG"]],
    ]);
    expect(JSON.parse((await answer("/v3/assets/doge")).text)).toEqual(assets[1]);
  });

  it("that leads round in circles is no asset", async () => {
    await mark(env.BUCKET, "A", "B");
    await mark(env.BUCKET, "B", "A");
    expect((await answer("/v3/series?m=price&a=A")).response.status).toBe(404);
    for (const symbol of ["A", "B"]) await env.BUCKET.delete(removedKey(symbol));
  });
});

describe("versions 1 and 2", () => {
  it.each(NAMES)("know nothing of %s", async (symbol) => {
    const client = freshIsolate();
    // Whatever the isolate has learnt for others.
    await client.fetch(`/v3/series?m=price&a=${symbol}`);
    for (const version of ["v1", "v2"]) {
      const response = await client.fetch(`/${version}/metrics/supply?a=${symbol}`);
      expect([response.status, await response.json(), response.headers.get("X-Soprano-Renamed")]).toMatchObject([
        404,
        { type: "/problems/unsupported-asset", detail: "There are no metrics of this asset." },
        null,
      ]);
    }
    const { assets } = await (await client.fetch("/v1/assets")).json<{ assets: { symbol: string }[] }>();
    expect(assets.map((asset) => asset.symbol)).toEqual(["CAT", "DOGE"]);
    expect(assets[1]).not.toHaveProperty("was");
  });
});

it("the health of the service is that of what is published", async () => {
  const { response, text } = await answer("/health");
  expect([response.status, JSON.parse(text).assets.length]).toEqual([200, 2]);
});

it("the catalog has the contracts that a token had before, which v1 does not know", async () => {
  const { predecessors } = JSON.parse((await answer("/v3/assets/DOGE")).text);
  expect(predecessors).toEqual(token.predecessors);
  expect((await answer("/v1/assets")).text).not.toContain("predecessors");
});

it("the catalog has the last corrected prices, and how many there are", async () => {
  const { corrections } = JSON.parse((await answer("/v3/assets/DOGE")).text);
  expect(corrections).toEqual({
    count: 4,
    last: [
      { t: "2025-03-01T00:00:02", usd: 2, reason: "a thin pool" },
      { t: "2025-03-01T00:00:03", usd: 3, reason: "a thin pool" },
      { t: "2025-03-01T00:00:04", usd: 4, reason: `${"x".repeat(79)}…` },
    ],
  });
});
