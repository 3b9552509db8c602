/** GET /v3/screener, from metadata as the builder writes it. */

import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { currentKey, screenerKey } from "../../../data-schema/stored/objects.ts";
import { SCREENER_COLUMNS, type Screener } from "../../../data-schema/stored/screener.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, publish } from "../token.ts";

const T = at("2025-03-05");
const screener: Screener = {
  t: T,
  columns: {
    ...Object.fromEntries(SCREENER_COLUMNS.map(({ name }) => [name, [null, null, null, null, null]])),
    price: [1.5, 0.1, -0.25, null, 0.75],
    mvrv: [0.98765432, -0.01, null, null, 1],
  } as Screener["columns"],
  closes: [null, 1.25, 1.5],
};

let client: Client;

/** Publishes an asset with this metadata beside its catalog entry. */
async function put(symbol: string, metadata: Record<string, string>): Promise<void> {
  await publish(env.BUCKET, { symbol, periods: { day: [] }, series: () => [] });
  const current = (await env.BUCKET.get(currentKey(symbol)))!;
  const customMetadata = { ...current.customMetadata, ...metadata };
  await env.BUCKET.put(currentKey(symbol), await current.arrayBuffer(), { customMetadata });
}

async function putObject(symbol: string, text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, 32);
  await env.BUCKET.put(screenerKey(symbol, hash), text);
  return hash;
}

beforeAll(async () => {
  await putKey();
  await put("ARIA", { screener: JSON.stringify(screener) });
  const hash = await putObject("LONG", JSON.stringify(screener));
  await put("LONG", { screener: JSON.stringify({ object: hash }) });
  await put("NONE", {});
});
beforeEach(() => {
  client = freshIsolate();
});

const get = (query = "") => client.fetch(`/v3/screener${query}`);
const empty = { v: null, "1d": null, "7d": null, "30d": null, pct: null };

describe("JSON", () => {
  it("has one row per asset, by symbol, and null where a value is missing", async () => {
    const response = await get();
    expect(response.status).toBe(200);
    const { assets } = await response.json<{ assets: Record<string, unknown>[] }>();
    expect(assets.map(({ asset }) => asset)).toEqual(["ARIA", "LONG", "NONE"]);
    expect(assets[0]).toEqual({
      asset: "ARIA",
      name: "Test token",
      t: "2025-03-05T00:00:00",
      ...Object.fromEntries(SCREENER_COLUMNS.map(({ name }) => [name, empty])),
      price: { v: 1.5, "1d": 0.1, "7d": -0.25, "30d": null, pct: 0.75 },
      mvrv: { v: 0.98765432, "1d": -0.01, "7d": null, "30d": null, pct: 1 },
      closes: [null, 1.25, 1.5],
    });
    // What did not fit into the metadata is as what did.
    expect(assets[1]).toEqual({ ...assets[0], asset: "LONG" });
    expect(assets[2]).toMatchObject({ asset: "NONE", t: null, price: empty, closes: [] });
  });

  it("leaves out nobody because of one that is damaged, of another version or gone", async () => {
    const hash = await putObject("GONE", "other bytes");
    await env.BUCKET.put(screenerKey("GONE", hash), "not the bytes that were written");
    await put("GONE", { screener: JSON.stringify({ object: hash }) });
    await put("LOST", { screener: JSON.stringify({ object: "0".repeat(32) }) });
    await put("NEXT", { screener: JSON.stringify({ ...screener, version: 2 }) });
    try {
      const { assets } = await (await get()).json<{ assets: { asset: string; t: string | null }[] }>();
      expect(assets.map(({ asset, t }) => [asset, t])).toEqual([
        ["ARIA", "2025-03-05T00:00:00"],
        ["GONE", null],
        ["LONG", "2025-03-05T00:00:00"],
        ["LOST", null],
        ["NEXT", null],
        ["NONE", null],
      ]);
    } finally {
      await env.BUCKET.delete(["GONE", "LOST", "NEXT"].map(currentKey));
    }
  });
});

it("CSV has an empty cell where a value is missing, and a name for each field", async () => {
  const response = await get("?f=csv");
  expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
  const [head = "", aria, , none] = (await response.text()).trimEnd().split("\n");
  const names = head.split(",");
  expect(names.slice(0, 7)).toEqual(["asset", "price", "price_1d", "price_7d", "price_30d", "price_pct", "market_cap"]);
  expect(names).toHaveLength(1 + 5 * SCREENER_COLUMNS.length);
  expect(aria).toMatch(/^ARIA,1\.5,0\.1,-0\.25,,0\.75,,,,,,0\.98765432,-0\.01,,,1,/);
  expect(none).toBe(`NONE${",".repeat(names.length - 1)}`);
});

it("is not sent again if it has not changed, and needs a key", async () => {
  const first = await get();
  const again = await client.fetch("/v3/screener", { headers: { "If-None-Match": first.headers.get("ETag")! } });
  expect(again.status).toBe(304);
  expect((await client.fetch("/v3/screener", { headers: { "X-Api-Key": "none" } })).status).toBe(401);
  expect(await (await get("?f=xml")).json()).toMatchObject({ status: 400, parameter: "f", allowed: ["json", "csv"] });
  expect(await (await get("?a=ARIA")).json()).toMatchObject({ status: 400, type: "/problems/unknown-parameter" });
});
