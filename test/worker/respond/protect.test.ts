/** What an answer's headers owe to the address that was asked. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { V3_PAGES } from "../../../worker/catalog/public-pages.ts";
import type { Bindings } from "../../../worker/context.ts";
import { createService } from "../../../worker/service.ts";
import { KEY, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";

beforeAll(async () => {
  const from = at("2025-03-01");
  await putKey();
  await publish(env.BUCKET, {
    symbol: "ARIA",
    metrics: ["sopr"],
    periods: { day: [{ name: "all", from, to: from + 100 * DAY }] },
    range: { day: [from, from] },
    series: () => [{ t: from, v: 1 }],
  });
});

/** The explorer's page, which any cache may keep. */
const ASSETS = {
  fetch: async () => new Response("<html>", { headers: { ETag: '"1"', "Cache-Control": "public, max-age=0" } }),
};
const service = createService({ edge: null, now: Date.now });
const ask = (url: string, init?: RequestInit) =>
  service(new Request(url, init), { BUCKET: env.BUCKET, KEYS: env.KEYS, ASSETS } as Bindings, () => {});

const PUBLIC = [
  ...Object.keys(V3_PAGES).map((path) => path.replace(":asset", "ARIA").replace(":metric", "sopr")),
  ...["/v3/assets/ARIA/changes", "/v1/metrics", "/v1/metrics/sopr/meta", "/v1/assets", "/health", "/openapi.json"],
  ...["/llms.txt", "/explorer.json", "/problems/unknown-key", "/", "/boards/valuation"],
];

describe.each(PUBLIC)("%s", (path) => {
  it.each([`api_key=${KEY}`, `%61pi_key=${KEY}`, "api_key=demo"])("with %s is for no shared cache", async (query) => {
    const url = `https://soprano.test${path}?${query}`;
    const first = await ask(url);
    expect(first.headers.get("Cache-Control")).toMatch(/^private|^no-store$/);
    const tag = first.headers.get("ETag");
    if (tag === null) return;
    const again = await ask(url, { headers: { "If-None-Match": tag } });
    expect([again.status, again.headers.get("Cache-Control")]).toEqual([304, first.headers.get("Cache-Control")]);
    const keyless = await ask(`https://soprano.test${path}`);
    expect(keyless.headers.get("Cache-Control")).toMatch(/^public, max-age=/);
    expect(keyless.headers.get("Cache-Control")!.slice("public".length)).toBe(
      first.headers.get("Cache-Control")!.slice("private".length),
    );
  });
});

it("a page whose address holds a key under another name is for no shared cache", async () => {
  const { headers } = await ask(`https://soprano.test/?a=ARIA&key=${KEY}`);
  expect(headers.get("Cache-Control")).toBe("private, max-age=0");
});

it.each([
  ["/v3/metrics", 200],
  ["/", 200],
  ["/none", 404],
  ["/docs/", 307],
  ["/v1/metrics/sopr?a=ARIA", 401],
  [`/v1/metrics/sopr?a=ARIA&api_key=${KEY}`, 200],
  [`/v3/files/ARIA?api_key=${KEY}`, 200],
])("%s asks for HTTPS where it was asked by HTTPS", async (path, status) => {
  const [secure, plain] = [await ask(`https://soprano.test${path}`), await ask(`http://127.0.0.1:8787${path}`)];
  expect([secure.status, plain.status]).toEqual([status, status]);
  expect(secure.headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
  expect(plain.headers.get("Strict-Transport-Security")).toBeNull();
});
