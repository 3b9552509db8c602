/** Invalid requests, each with its whole problem document, and unusual but valid ones. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { apiKeyName } from "../../../data-schema/access/api-keys.ts";
import { type Client, freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, HOUR, publish } from "../token.ts";

const REVOKED = "00000000-0000-4000-8000-000000000001";
const EXPIRED = "00000000-0000-4000-8000-000000000002";
const UNREADABLE = "00000000-0000-4000-8000-000000000003";
const UNKNOWN = "00000000-0000-4000-8000-000000000004";

const START = at("2020-01-01");
let client: Client;

beforeAll(async () => {
  await Promise.all([
    putKey(),
    putKey(REVOKED, { status: "revoked" }),
    putKey(EXPIRED, { expires: "2024-02-01T00:00:00Z" }),
    env.KEYS.put(await apiKeyName(UNREADABLE), '{"id":"k1"}'),
    publish(env.BUCKET, {
      symbol: "HUM",
      metrics: ["sopr", "volume", "supply", "num_transfers"],
      periods: { day: [{ name: "all", from: START, to: START + 400 * DAY }] },
      range: { day: [START, START + 3 * DAY] },
      series: () => [
        { t: START, v: 1.02 },
        { t: START + 2 * DAY, v: 1e21 },
        { t: START + 3 * DAY, v: 1.25e-7 },
      ],
    }),
  ]);
  client = freshIsolate();
});

/** A request and its problem document, of which `status` and `type` come first. */
type Case = [path: string, status: number, type: string, rest: Record<string, unknown>];

const PARAMETERS_OF_VOLUME = ["api_key", "a", "s", "u", "r", "c", "f"];
const TIMES = ["Unix seconds", "YYYY-MM-DD", "YYYY-MM-DDTHH:MM[:SS[.fff]][Z|±HH:MM]"];
const V2_METRICS = [
  ...["sopr", "sopr_profit", "sopr_loss", "realised_profit", "realised_loss", "volume", "volume_dollar", "supply"],
  ...["market_cap", "realised_price", "realised_cap"],
];
const NO_TIME = { title: "Parameter value not allowed", allowed: TIMES };

const CASES: Case[] = [
  ["/", 404, "unknown-path", { title: "Unknown path" }],
  ["/v1/metric", 404, "unknown-path", { title: "Unknown path", suggestion: "/v1/metrics" }],
  ["/v1/metric/sopr", 404, "unknown-path", { title: "Unknown path", suggestion: "/v1/metrics/sopr" }],
  ["/metrics/volume", 404, "unknown-path", { title: "Unknown path", suggestion: "/v1/metrics/volume" }],
  ["/v1/metrics/sopr/day", 404, "unknown-path", { title: "Unknown path" }],
  ["/v4/metrics/sopr", 404, "unknown-version", { title: "Unknown version", allowed: ["v1", "v2"] }],
  ["/V1/metrics/sopr", 404, "unknown-version", { title: "Unknown version", suggestion: "v1" }],
  ["/v2/metrics/sorp", 404, "unknown-metric", { title: "Unknown metric", allowed: V2_METRICS, suggestion: "sopr" }],
  ["/v2/metrics/num_transfers", 404, "unknown-metric", { suggestion: "/v1/metrics/num_transfers" }],
  ["/v1/metrics/sc_inflow_dollar", 404, "unknown-metric", { suggestion: "sc_inflow_dollat" }],
  ["/v1/metrics/SOPR", 404, "unknown-metric", { suggestion: "sopr" }],

  ["/v1/metrics/volume?api_key=", 401, "missing-key", { title: "API key missing", parameter: "api_key" }],
  ["/v1/metrics/volume?api_key=demo", 401, "malformed-key", { title: "API key malformed", parameter: "api_key" }],
  [`/v1/metrics/volume?api_key=${UNKNOWN}`, 401, "unknown-key", { title: "API key unknown", parameter: "api_key" }],
  [`/v1/metrics/volume?api_key=${KEY}&api_key=${KEY}`, 400, "repeated-parameter", { parameter: "api_key" }],
  [`/v1/metrics/volume?api_key=&api_key=${KEY}`, 400, "repeated-parameter", { parameter: "api_key" }],
  [`/v1/metrics/volume?api_key=${REVOKED}`, 403, "revoked-key", { title: "API key revoked" }],
  [`/v1/metrics/volume?api_key=${EXPIRED}`, 403, "expired-key", { title: "API key expired" }],
  [`/v1/metrics/volume?api_key=${UNREADABLE}`, 500, "internal-error", { title: "Internal error" }],

  ["/v1/metrics/volume", 400, "missing-parameter", { title: "Parameter missing", parameter: "a" }],
  ["/v1/metrics/volume?a=", 400, "empty-parameter", { title: "Parameter empty", parameter: "a" }],
  ["/v1/metrics/volume?a=HUM&c=", 400, "empty-parameter", { parameter: "c" }],
  ["/v1/metrics/volume?a=HUM&a=HUM", 400, "repeated-parameter", { parameter: "a" }],
  ["/v1/metrics/volume?a=HUM&s=1&s=1", 400, "repeated-parameter", { parameter: "s" }],
  [
    "/v1/metrics/volume?asset=HUM",
    400,
    "unknown-parameter",
    { title: "Unknown parameter", parameter: "asset", allowed: PARAMETERS_OF_VOLUME, suggestion: "a" },
  ],
  ["/v1/metrics/volume?a=HUM&since=1", 400, "unknown-parameter", { parameter: "since", suggestion: "s" }],
  ["/v1/metrics/volume?a=HUM&R=day", 400, "unknown-parameter", { parameter: "R", suggestion: "r" }],
  ["/v1/metrics/volume?a=HUM&x=1", 400, "unknown-parameter", { parameter: "x" }],
  ["/v1/metrics/volume?a=HUM&__proto__=1", 400, "unknown-parameter", { parameter: "__proto__" }],
  [
    "/v2/metrics/sopr?a=HUM&c=total",
    400,
    "inapplicable-parameter",
    { title: "Parameter not taken by this metric", parameter: "c", allowed: ["api_key", "a", "s", "u", "r", "f"] },
  ],
  ["/v1/metrics/supply?a=HUM&r=day", 400, "inapplicable-parameter", { parameter: "r" }],
  ["/v1/metrics/volume?a=HUM&t=all", 400, "inapplicable-parameter", { parameter: "t" }],
  ["/v1/metrics/num_transfers?a=HUM&c=total", 400, "inapplicable-parameter", { parameter: "c" }],
  ["/v1/metrics/sc_volume_locked?a=HUM&c=total", 400, "inapplicable-parameter", { parameter: "c" }],

  ["/v1/metrics/volume?a=HUM&c=whales", 400, "invalid-parameter", { parameter: "c" }],
  ["/v1/metrics/volume?a=HUM&c=%2410m%2B", 400, "invalid-parameter", { parameter: "c", suggestion: "$10M+" }],
  ["/v1/metrics/volume?a=HUM&c=balance_cohort_8", 400, "invalid-parameter", { suggestion: "balance_cohort_0" }],
  ["/v1/metrics/cex_inflow?a=HUM&c=Binance", 400, "invalid-parameter", { parameter: "c", suggestion: "binance" }],
  ["/v1/metrics/num_transfers?a=HUM&t=%2420M%2B", 400, "invalid-parameter", { parameter: "t", suggestion: "$20m+" }],
  ["/v1/metrics/volume?a=HUM&r=dayly", 400, "invalid-parameter", { parameter: "r", allowed: ["day", "hour", "block"] }],
  [
    "/v1/metrics/volume?a=HUM&f=xml",
    400,
    "invalid-parameter",
    { title: "Parameter value not allowed", parameter: "f", allowed: ["json", "csv"] },
  ],
  ["/v1/metrics/volume?a=HUM&f=CSV", 400, "invalid-parameter", { parameter: "f", suggestion: "csv" }],
  [
    "/v1/metrics/volume?a=HUM&s=1577836800000",
    400,
    "invalid-parameter",
    { ...NO_TIME, parameter: "s", detail: "s looks like milliseconds; in seconds it is 1577836800." },
  ],
  ["/v1/metrics/volume?a=HUM&u=yesterday", 400, "invalid-parameter", { ...NO_TIME, parameter: "u" }],
  ["/v1/metrics/volume?a=HUM&s=2023-02-30", 400, "invalid-parameter", { detail: "s is no time of the calendar." }],
  ["/v1/metrics/volume?a=HUM&s=1.5", 400, "invalid-parameter", { ...NO_TIME, parameter: "s" }],
  [
    "/v1/metrics/volume?a=HUM&s=2020-01-02&u=2020-01-01",
    400,
    "reversed-range",
    { title: "Time range reversed", parameter: "s" },
  ],
  [
    "/v1/metrics/volume?a=HUM&r=block",
    400,
    "unavailable-resolution",
    { title: "Resolution not published for this asset", parameter: "r", allowed: ["day"] },
  ],
  ["/v1/metrics/volume?a=HUM&r=hour", 400, "unavailable-resolution", { parameter: "r", allowed: ["day"] }],

  [
    "/v1/metrics/volume?a=HUMM",
    404,
    "unsupported-asset",
    { title: "Unsupported asset", parameter: "a", allowed: ["HUM"], suggestion: "HUM" },
  ],
  ["/v1/metrics/volume?a=..%2Fbuilds%2FHUM", 404, "unsupported-asset", { parameter: "a" }],
  ["/v1/metrics/volume?a=DOGECOINDOGECOINDOGECOIN", 404, "unsupported-asset", { allowed: ["HUM"] }],
];

describe("an invalid request", () => {
  it.each(CASES)("%s → %i %s", async (path, status, type, rest) => {
    const response = await client.fetch(path);
    expect(await response.json()).toMatchObject({ type: `/problems/${type}`, status, ...rest });
    expect(response.status).toBe(status);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  it("is refused as JSON, even if CSV was requested", async () => {
    const response = await client.fetch("/v1/metrics/volume?a=HUM&f=csv&c=whales");
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  });

  it("has a document of exactly these members", async () => {
    const response = await client.fetch("/v1/metrics/volume?a=HUM&r=weekly");
    expect(await response.text()).toBe(
      '{"type":"/problems/invalid-parameter","title":"Parameter value not allowed","status":400,' +
        '"detail":"volume does not take this value of r.","parameter":"r","allowed":["day","hour","block"]}',
    );
    const missing = await client.fetch("/v1/metrics/sopr?api_key=");
    expect(await missing.text()).toBe(
      '{"type":"/problems/missing-key","title":"API key missing","status":401,' +
        '"detail":"Give your API key as Authorization: Bearer, as X-Api-Key or as the parameter api_key.",' +
        '"parameter":"api_key"}',
    );
    expect(missing.headers.get("WWW-Authenticate")).toBe('Bearer realm="soprano"');
    for (const key of ["demo", UNKNOWN]) {
      const invalid = await client.fetch(`/v1/metrics/sopr?api_key=${key}`);
      expect(invalid.headers.get("WWW-Authenticate")).toBe('Bearer realm="soprano", error="invalid_token"');
    }
  });
});

describe("the order of checks", () => {
  it.each([
    ["path before method", "POST", "/v1/metrics/nothing?api_key=x", 404],
    ["method before key", "POST", "/v1/metrics/volume?api_key=x", 405],
    ["key before parameters", "GET", "/v1/metrics/volume?api_key=x&q=1", 401],
    ["revocation before parameters", "GET", `/v1/metrics/volume?api_key=${REVOKED}&q=1`, 403],
    ["parameters before asset", "GET", "/v1/metrics/volume?a=NONE&q=1", 400],
    ["asset before data", "GET", "/v1/metrics/volume?a=NONE", 404],
  ])("%s", async (_, method, path, status) => {
    expect((await client.fetch(path, { method })).status).toBe(status);
  });
});

describe("valid requests in unusual forms", () => {
  it.each([
    ["symbol in lower case", "/v1/metrics/volume?a=hum"],
    ["a trailing slash", "/v1/metrics/volume/?a=HUM"],
    ["a raw plus sign in a cohort", "/v1/metrics/volume?a=HUM&c=$10M+"],
    ["an escaped plus sign in a cohort", "/v1/metrics/volume?a=HUM&c=%2410M%2B"],
    ["a raw plus sign in a sample", "/v1/metrics/num_transfers?a=HUM&t=$20m+"],
    ["a raw plus sign in an offset", "/v1/metrics/volume?a=HUM&s=2020-01-01T02:00+02:00"],
    ["the key in upper case", `/v1/metrics/volume?a=HUM&api_key=${KEY.toUpperCase()}`],
    ["a negative time", "/v1/metrics/volume?a=HUM&s=-1"],
  ])("%s", async (_, path) => {
    const response = await client.fetch(path);
    expect(await response.text()).toBe(
      '[{"t":"2020-01-01T00:00:00","v":1.02},{"t":"2020-01-02T00:00:00","v":0},' +
        '{"t":"2020-01-03T00:00:00","v":1e+21},{"t":"2020-01-04T00:00:00","v":1.25e-7}]',
    );
    expect(response.status).toBe(200);
  });
});

describe("a key never shows", () => {
  it("in an answer, wherever it was put", async () => {
    const tail = KEY.slice(-12);
    for (const path of [
      `/v1/metrics/${KEY}`,
      `/${KEY}/metrics/volume`,
      `/${KEY}`,
      `/v1/metrics/volume?api_key=${KEY}x`,
      `/v1/metrics/volume?a=${KEY}`,
      `/v1/metrics/volume?a=HUM&${KEY}=1`,
      `/v1/metrics/volume?a=HUM&c=${KEY}`,
      `/v1/metrics/volume?a=HUM&s=${KEY}`,
      `/v1/metrics/volume?a=HUM`,
    ]) {
      const response = await client.fetch(path);
      const shown = JSON.stringify([...response.headers]) + (await response.text());
      expect(shown).not.toContain(tail);
    }
  });
});

describe("times", () => {
  const only = async (parameters: string) => {
    const response = await client.fetch(`/v1/metrics/volume?a=HUM&${parameters}`);
    return (await response.json<{ t: string }[]>()).map(({ t }) => t.slice(0, 10));
  };

  it("are inclusive at both ends, to the millisecond", async () => {
    expect(await only(`s=${START + DAY}&u=${START + 2 * DAY}`)).toEqual(["2020-01-02", "2020-01-03"]);
    expect(await only(`s=${START + DAY + 1}&u=${START + 2 * DAY - 1}`)).toEqual([]);
    expect(await only("s=2020-01-02T00:00:00.001&u=2020-01-03T00:00:00.000")).toEqual(["2020-01-03"]);
    expect(await only("s=2020-01-02T00:00:00Z&u=2020-01-02T23:59")).toEqual(["2020-01-02"]);
  });

  it("respect offsets", async () => {
    expect(await only("s=2020-01-02T01:00%2B01:00&u=2020-01-01T23:00-01:00")).toEqual(["2020-01-02"]);
  });

  it("may lie outside the series", async () => {
    expect(await only(`s=${START - 10 * DAY}&u=${START}`)).toEqual(["2020-01-01"]);
    expect(await only(`s=${START + 3 * DAY + HOUR}`)).toEqual([]);
    expect(await only("u=1999-12-31")).toEqual([]);
  });

  it("before and after the series give an empty CSV with its header", async () => {
    const response = await client.fetch("/v1/metrics/sopr?a=HUM&f=csv&u=1999-12-31");
    expect(await response.text()).toBe("t,v\n");
  });
});
