/** Methods, headers, formats and conditional requests, on the Worker as it is deployed. */

import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { countingBucket } from "../bindings.ts";
import { freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";

const START = at("2020-02-28");

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "HUM",
    metrics: ["sopr", "volume"],
    periods: { day: [{ name: "all", from: START, to: START + 400 * DAY }] },
    range: { day: [START, START + 2 * DAY] },
    series: () => [
      { t: START, v: 0.1 + 0.2 },
      { t: START + DAY, v: 12_345_678.9 },
      { t: START + 2 * DAY, v: 1 },
    ],
  });
});

const ask = (query = "", init?: RequestInit) =>
  exports.default.fetch(`https://soprano.test/v1/metrics/sopr?api_key=${KEY}&a=HUM${query}`, init);

const JSON_BODY =
  '[{"t":"2020-02-28T00:00:00","v":0.30000000000000004},{"t":"2020-02-29T00:00:00","v":12345678.9},' +
  '{"t":"2020-03-01T00:00:00","v":1}]';

describe("GET", () => {
  it("answers JSON", async () => {
    const response = await ask();
    expect(await response.text()).toBe(JSON_BODY);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json",
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "access-control-expose-headers":
        "ETag, Retry-After, Link, RateLimit-Policy, Content-Disposition, X-Soprano-As-Of, X-Soprano-Build, X-Soprano-Renamed, X-Request-Id, Server-Timing",
      etag: '"1:HUM:0123456789abcdef:sopr:total:day:::json"',
    });
  });

  it("answers CSV", async () => {
    const response = await ask("&f=csv");
    expect(await response.text()).toBe(
      "t,v\n2020-02-28T00:00:00,0.30000000000000004\n2020-02-29T00:00:00,12345678.9\n2020-03-01T00:00:00,1\n",
    );
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="HUM_sopr_total_day.csv"');
  });

  it("names a CSV file without the special characters of its cohort", async () => {
    const response = await ask("&f=csv&c=%3C1d");
    expect(response.headers.get("Content-Disposition")).toBe('attachment; filename="HUM_sopr_under-1d_day.csv"');
  });
});

it("asks for a key if none is given", async () => {
  const response = await exports.default.fetch("https://soprano.test/v1/metrics/sopr?a=HUM");
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ type: "/problems/missing-key", parameter: "api_key" });
});

describe("other methods", () => {
  it("HEAD answers like GET, without the body", async () => {
    const [get, head] = [await ask(), await ask("", { method: "HEAD" })];
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    for (const name of ["ETag", "Content-Type", "Cache-Control"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect((await ask("&c=none", { method: "HEAD" })).status).toBe(400);
  });

  it.each(["/v1/metrics/sopr", "/", "/nowhere"])("OPTIONS %s answers a preflight", async (path) => {
    const response = await exports.default.fetch(`https://soprano.test${path}`, {
      method: "OPTIONS",
      headers: { Origin: "https://example.com", "Access-Control-Request-Headers": "x-api-key" },
    });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "Authorization, X-Api-Key, If-None-Match",
    });
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])("%s is refused with what is allowed", async (method) => {
    const response = await ask("", { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
    expect(await response.json()).toMatchObject({ type: "/problems/method-not-allowed" });
  });
});

describe("entity tags", () => {
  const tagOf = async (path: string) => {
    const response = await exports.default.fetch(`https://soprano.test${path}&api_key=${KEY}`);
    await response.text();
    return response.headers.get("ETag");
  };

  it("are the same for the same answer, however it is asked for", async () => {
    const tag = await tagOf("/v1/metrics/sopr?a=HUM");
    expect(await tagOf("/v2/metrics/sopr?a=hum")).toBe(tag);
    expect(await tagOf("/v1/metrics/sopr?r=day&c=total&f=json&a=HUM")).toBe(tag);
    expect(await tagOf("/v1/metrics/sopr?a=HUM&s=2020-02-29")).toBe(
      await tagOf(`/v1/metrics/sopr?a=HUM&s=${START + DAY}`),
    );
  });

  it("differ if the answer may differ", async () => {
    const paths = ["", "&c=users", "&f=csv", "&s=2020-02-29", "&u=2020-02-29"].map((q) => `/v1/metrics/sopr?a=HUM${q}`);
    const tags = await Promise.all([...paths, "/v1/metrics/volume?a=HUM"].map(tagOf));
    expect(new Set(tags).size).toBe(tags.length);
  });

  it("change with the build", async () => {
    const token = { symbol: "NEW", metrics: ["sopr"] as const, periods: { day: [] }, series: () => [] };
    const client = [freshIsolate(), freshIsolate()];
    await publish(env.BUCKET, { ...token, build: "000000000000000a" });
    const before = await client[0]!.fetch("/v1/metrics/sopr?a=NEW");
    await publish(env.BUCKET, { ...token, build: "000000000000000b" });
    const after = await client[1]!.fetch("/v1/metrics/sopr?a=NEW");
    expect(await before.text()).toBe("[]");
    expect(after.headers.get("ETag")).not.toBe(before.headers.get("ETag"));
  });

  it.each([
    ["itself", (tag: string) => tag],
    ["weakened by the edge", (tag: string) => `W/${tag}`],
    ["in a list", (tag: string) => `"other", W/${tag},"more"`],
    ["any", () => "*"],
  ])("when known (%s) spare the data: 304", async (_, header) => {
    const tag = (await tagOf("/v1/metrics/sopr?a=HUM"))!;
    const { bucket, take } = countingBucket(env.BUCKET);
    const response = await freshIsolate({ bucket }).fetch("/v1/metrics/sopr?a=HUM", {
      headers: { "If-None-Match": header(tag) },
    });
    expect([response.status, response.headers.get("ETag"), await response.text()]).toEqual([304, tag, ""]);
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(take()).toEqual([]);
  });

  it("have no effect if they are unknown", async () => {
    const response = await ask("", { headers: { "If-None-Match": '"1:HUM", W/"x"' } });
    expect(await response.text()).toBe(JSON_BODY);
  });
});
