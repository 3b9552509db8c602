/**
 * GET /udf/…, asked as TradingView's UDFCompatibleDatafeed asks: it goes by `s` and `errmsg`, and looks at no status.
 * Source: the protocol's page, https://www.tradingview.com/charting-library-docs/latest/connecting_data/UDF.
 */

import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type Client, freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, HOUR, publish } from "../token.ts";

const FIRST = at("2025-03-01");
const DAYS = 31;
const YEAR = { name: "2025", from: FIRST, to: FIRST + DAYS * DAY };
const ALL = { ...YEAR, name: "all" };

interface Bars {
  s: string;
  errmsg?: string;
  nextTime?: number;
  t: number[];
  o: number[];
  h: number[];
  l: number[];
  c: number[];
}
type Bar = [time: number, value: number];

let client: Client;

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "ARIA",
    own: ["@team"],
    lots: ["fifo"],
    metrics: ["sopr", "volume", "supply", "market_cap", "realised_cap", "price"],
    periods: { day: [ALL], hour: [YEAR], week: [{ name: "all", from: at("2025-02-24"), to: at("2025-03-10") }] },
    range: {
      day: [FIRST, FIRST + (DAYS - 1) * DAY],
      hour: [FIRST, FIRST + DAYS * DAY - HOUR],
      week: [at("2025-02-24"), at("2025-03-03")],
    },
    series: (metric, resolution, selector) => {
      if (!["total", "lth", "<1d", "@team"].includes(selector)) return [];
      if (resolution === "week") return [{ t: at("2025-02-24"), v: 9.5 }];
      const [step, count] = resolution === "day" ? [DAY, DAYS] : [HOUR, DAYS * 24];
      return (
        Array.from({ length: count }, (_, i) => ({ t: FIRST + i * step, v: i + 0.1 + metric.length * 1e3 }))
          // A ratio has no point every third time, and a sum is 0 then.
          .filter((_, i) => (metric === "sopr" || metric === "volume" ? i % 3 !== 2 : true))
      );
    },
  });
  await publish(env.BUCKET, {
    symbol: "DUET",
    metrics: ["sopr"],
    periods: { day: [ALL] },
    range: { day: [FIRST, FIRST + DAY] },
    series: () => [{ t: FIRST, v: 1 }],
  });
  client = freshIsolate();
});

const send = (call: string, params: Record<string, string | number> = {}, init?: RequestInit) =>
  client.fetch(
    `/udf/${call}?${new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]))}`,
    init,
  );
const json = async <T>(call: string, params?: Record<string, string | number>) => (await send(call, params)).json<T>();

/** What the client resolves a symbol to; it rejects what has an `s`. */
async function resolved(symbol: string): Promise<Record<string, unknown>> {
  const answer = await json<Record<string, unknown>>("symbols", { symbol });
  if (answer.s !== undefined) throw new Error(`unknown_symbol: ${answer.errmsg}`);
  return answer;
}

/** Bars as the client reads them. */
async function bars(params: Record<string, string | number>): Promise<{ bars: Bar[]; nextTime?: number | undefined }> {
  const answer = await json<Bars>("history", params);
  if (answer.s !== "ok" && answer.s !== "no_data") throw new Error(answer.errmsg);
  if (answer.s === "no_data") return { bars: [], nextTime: answer.nextTime };
  for (const name of ["o", "h", "l"] as const) expect(answer[name]).toEqual(answer.c);
  return { bars: answer.t.map((t, i) => [t, answer.c[i]!]) };
}

/** All points of a series, from GET /v3/series. */
async function points(symbol: string, r: string): Promise<Bar[]> {
  const [a, m, c] = symbol.split(":");
  const query = new URLSearchParams({ a: a!, m: m!, c: c!, r, time: "unix" });
  const { t, series } = await (await client.fetch(`/v3/series?${query}`)).json<{
    t: number[];
    series: [{ v: (number | null)[] }];
  }>();
  return t.flatMap((time, i) => (series[0].v[i] === null ? [] : [[time, series[0].v[i]!] as Bar]));
}

describe("GET /udf/config and /udf/time", () => {
  it("say what the others take, without a key", async () => {
    const response = await send("config", { api_key: "" });
    expect(response.headers.get("Cache-Control")).toMatch(/max-age=3600/);
    expect(await response.json()).toEqual({
      supported_resolutions: ["60", "1D", "1W", "1M"],
      supports_search: true,
      supports_group_request: false,
      supports_marks: false,
      supports_timescale_marks: false,
      supports_time: true,
      exchanges: [],
      symbols_types: [],
    });
  });

  it("tell the time in seconds, which nobody keeps", async () => {
    const own = freshIsolate({ now: () => 1_740_787_200_999 });
    const response = await own.fetch("/udf/time");
    expect([await response.text(), response.headers.get("Cache-Control")]).toEqual(["1740787200", "no-store"]);
  });
});

describe("GET /udf/symbols", () => {
  it("resolves a symbol, in any case of the asset, with what the library demands of one", async () => {
    expect(await resolved("aria:sopr:lth")).toEqual({
      name: "ARIA:sopr:lth",
      ticker: "ARIA:sopr:lth",
      description: "Test token · SOPR · lth",
      type: "index",
      exchange: "Soprano",
      listed_exchange: "Soprano",
      session: "24x7",
      timezone: "Etc/UTC",
      minmov: 1,
      minmov2: 0,
      format: "price",
      pricescale: 10_000,
      has_intraday: true,
      intraday_multipliers: ["60"],
      has_daily: true,
      has_weekly_and_monthly: true,
      supported_resolutions: ["60", "1D", "1W"],
      has_no_volume: true,
      visible_plots_set: "c",
      data_status: "endofday",
    });
  });

  it.each([
    ["ARIA:volume", "ARIA:volume:total", "volume"],
    ["ARIA:price", "ARIA:price:total", "price"],
    ["ARIA:mvrv", "ARIA:mvrv:total", "price"],
    ["ARIA:supply:<1d", "ARIA:supply:<1d", "volume"],
    ["ARIA:supply:@team", "ARIA:supply:@team", "volume"],
  ])("%s is %s", async (symbol, name, format) => {
    expect(await resolved(symbol)).toMatchObject({ name, format });
  });

  it("has the resolutions of the asset and of the metric", async () => {
    expect(await resolved("DUET:sopr:total")).toMatchObject({
      supported_resolutions: ["1D"],
      has_intraday: false,
      intraday_multipliers: [],
      has_weekly_and_monthly: false,
    });
  });

  it.each([
    ["", /Name the symbol/, {}],
    ["ARIA", /A symbol is/, {}],
    ["ARIA:sopr,volume:lth", /A symbol is/, {}],
    ["ARIA:sopr:*", /A symbol is/, {}],
    ["ARIA:sopr:lth:x", /A symbol is/, {}],
    ["ARIO:sopr:lth", /no metrics of this asset/, { suggestion: "ARIA" }],
    ["ARIA:soprr", /no metric/, { suggestion: "sopr" }],
    ["ARIA:sopr:lht", /no selector/, { suggestion: "lth" }],
    ["ARIA:sopr:@none", /no own cohort/, {}],
  ])("refuses %j by `s` and `errmsg`, as a problem document", async (symbol, errmsg, facts) => {
    for (const call of ["symbols", "history"]) {
      const response = await send(call, { symbol });
      expect([response.status >= 400, response.headers.get("Content-Type")]).toEqual([
        true,
        "application/problem+json",
      ]);
      expect(await response.json()).toMatchObject({
        s: "error",
        errmsg: expect.stringMatching(errmsg),
        parameter: "symbol",
        ...facts,
      });
    }
    await expect(resolved(symbol)).rejects.toThrow("unknown_symbol");
  });
});

describe("GET /udf/search", () => {
  const search = async (query: string, others: Record<string, string | number> = {}) => {
    const found = await json<{ symbol: string }[]>("search", { query, type: "", exchange: "", limit: 30, ...others });
    return found.map(({ symbol }) => symbol);
  };

  it("finds symbols by words of assets, metrics and selectors, in capitals too", async () => {
    expect((await search("ARIA:SOPR:LTH"))[0]).toBe("ARIA:sopr:lth");
    expect((await search("aria mvrv"))[0]).toBe("ARIA:mvrv:total");
    expect((await search("SOPR")).slice(0, 3)).toContain("ARIA:sopr:total");
    expect(await search("sopr lth", { limit: 100 })).toEqual(
      expect.arrayContaining(["ARIA:sopr:lth", "DUET:sopr:lth"]),
    );
    expect((await search("duet <1d")).every((symbol) => /^DUET:.*:<1d$/.test(symbol))).toBe(true);
    expect(await search("sopr fifo")).toContain("ARIA:sopr:fifo");
    expect(await search("aria sopr fifo.sth")).toContain("ARIA:sopr:fifo.sth");
    expect(await search("duet sopr fifo")).toEqual([]);
    expect(await search("sopr hifo")).toEqual([]);
    expect(await search("no such thing")).toEqual([]);
  });

  it("answers as many as are wanted, of any asset without a word, and what it answers can be resolved", async () => {
    expect(await search("", { limit: 5 })).toHaveLength(5);
    expect(await search("", { limit: 1e9 })).toHaveLength(100);
    expect(await search("", { limit: "x" })).toHaveLength(30);
    const [first] = await json<Record<string, string>[]>("search", { query: "aria supply" });
    expect(first).toEqual({
      symbol: "ARIA:supply:total",
      full_name: "ARIA:supply:total",
      ticker: "ARIA:supply:total",
      description: "Test token · Supply · total",
      exchange: "Soprano",
      type: "index",
    });
    for (const symbol of await search("aria sopr")) {
      if (symbol.startsWith("ARIA:sopr:")) expect(await resolved(symbol)).toMatchObject({ ticker: symbol });
    }
  });

  it("takes a time that does not grow with the text", async () => {
    expect(await search("sopr ".repeat(2_000))).not.toEqual([]);
    expect(await search("x".repeat(10_000))).toEqual([]);
  });
});

describe("GET /udf/history", () => {
  it("answers the bars of a range, without its end", async () => {
    const range = { from: at("2025-03-01"), to: at("2025-03-04"), resolution: "1D" };
    expect((await bars({ symbol: "ARIA:sopr:lth", ...range })).bars).toEqual([
      [at("2025-03-01"), 4000.1],
      [at("2025-03-02"), 4001.1],
    ]);
    // A sum is 0 where nothing happened.
    expect((await bars({ symbol: "ARIA:volume", ...range })).bars).toEqual([
      [at("2025-03-01"), 6000.1],
      [at("2025-03-02"), 6001.1],
      [at("2025-03-03"), 0],
    ]);
    const text = await (await send("history", { symbol: "ARIA:sopr:lth", ...range })).text();
    expect(text).toBe(
      `{"s":"ok","t":[1740787200,1740873600],${["o", "h", "l", "c"].map((name) => `"${name}":[4000.1,4001.1]`)}}`,
    );
  });

  it("answers the bars of GET /v3/series, whatever the range", async () => {
    const all = new Map<string, Bar[]>();
    for (const symbol of ["ARIA:sopr:lth", "ARIA:volume:total", "ARIA:supply:@team", "ARIA:mvrv:total"]) {
      // States have no hours.
      const names = /sopr|volume/.test(symbol) ? { "1D": "day", D: "day", "60": "hour" } : { "1D": "day" };
      for (const [name, r] of Object.entries(names)) all.set(`${symbol} ${name}`, await points(symbol, r));
    }
    expect(Array.from(all.values(), ({ length }) => length).toSorted((a, b) => a - b)).toEqual([
      ...[21, 21, 31, 31, 31, 31],
      ...[496, 744],
    ]);
    const time = fc.integer({ min: FIRST - 3 * DAY, max: FIRST + (DAYS + 3) * DAY });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...all.keys()),
        fc.tuple(time, time).filter(([a, b]) => a !== b),
        fc.option(fc.integer({ min: 1, max: 50 })),
        async (which, times, countback) => {
          const [symbol, resolution] = which.split(" ");
          const [from, to] = times.toSorted((a, b) => a - b);
          const asked = {
            symbol: symbol!,
            resolution: resolution!,
            from: from!,
            to: to!,
            ...(countback && { countback }),
          };
          const before = all.get(which)!.filter(([t]) => t < to!);
          const expected = countback ? before.slice(-countback) : before.filter(([t]) => t >= from!);
          const nextTime = countback ? undefined : before.filter(([t]) => t < from!).at(-1)?.[0];
          expect(await bars(asked)).toEqual(expected.length > 0 ? { bars: expected } : { bars: [], nextTime });
        },
      ),
      { numRuns: 150 },
    );
  });

  it("tells where the last bar before an empty range is, and nothing where there is none", async () => {
    const later = { symbol: "ARIA:sopr:lth", resolution: "1D", from: at("2025-05-01"), to: at("2025-06-01") };
    expect(await json("history", later)).toEqual({ s: "no_data", nextTime: at("2025-03-31") });
    expect(await json("history", { ...later, from: -1e9, to: at("2025-02-01") })).toEqual({ s: "no_data" });
    expect(await json("history", { ...later, countback: 3, to: at("2025-02-01") })).toEqual({ s: "no_data" });
  });

  it("takes what clients add: weeks, fractions, an empty countback, times before 1970", async () => {
    const asked = { symbol: "ARIA:sopr:total", resolution: "W", from: "-5.5", to: "1899999999.75", countback: "" };
    expect((await bars({ ...asked, firstDataRequest: "true", currencyCode: "USD" })).bars).toEqual([
      [at("2025-02-24"), 9.5],
    ]);
  });

  it.each([
    [{ resolution: "15" }, /There is no resolution 15/, "resolution"],
    [{ from: "yesterday" }, /from is not a whole number/, "from"],
    [{ from: 5, to: 5 }, /from is not earlier than to/, "from"],
    [{ from: 7, to: 5 }, /from is not earlier than to/, "from"],
    [{ symbol: "ARIA:supply:total", resolution: "60" }, /supply is not available by hour/, "resolution"],
    [{ resolution: "1M" }, /month/, "resolution"],
  ])("refuses %j", async (params, errmsg, parameter) => {
    const answer = await json<Bars>("history", { symbol: "ARIA:sopr:total", ...params });
    expect(answer).toMatchObject({ s: "error", errmsg: expect.stringMatching(errmsg), parameter });
  });

  it("names the resolutions of the protocol, where others are wanted", async () => {
    const answer = await json<Bars>("history", { symbol: "ARIA:supply:total", resolution: "60" });
    expect(answer).toMatchObject({ allowed: ["1D", "1W", "1M"] });
  });

  it("needs a key, in the query or in a header, which no answer repeats", async () => {
    const asked = { symbol: "ARIA:sopr:total", resolution: "1D", countback: 2, to: at("2025-04-01") };
    const missing = await send("history", { ...asked, api_key: "" });
    expect([missing.status, await missing.json()]).toMatchObject([401, { type: "/problems/missing-key", s: "error" }]);
    for (const headers of [{ "X-Api-Key": KEY }, { Authorization: `Bearer ${KEY}` }]) {
      const response = await send("history", asked, { headers });
      expect([response.status, response.headers.get("X-Soprano-Build")]).toEqual([200, "0123456789abcdef"]);
    }
    const text = await (await send("history", { ...asked, api_key: KEY })).text();
    expect(text).not.toContain(KEY);
  });

  it("is not sent again while its build is the same", async () => {
    const asked = { symbol: "ARIA:sopr:total", resolution: "1D", countback: 2, to: at("2025-03-20") };
    const tag = (await send("history", asked)).headers.get("ETag")!;
    const again = (params: object) => send("history", { ...asked, ...params }, { headers: { "If-None-Match": tag } });
    expect((await again({})).status).toBe(304);
    expect((await again({ countback: 3 })).status).toBe(200);
    const table = await client.fetch("/v3/series?a=ARIA&m=sopr&last=2&u=2025-03-19T23:59:59", {
      headers: { "If-None-Match": tag, "X-Api-Key": KEY },
    });
    expect(table.status).toBe(200);
  });
});

describe("other calls", () => {
  it.each(["marks", "symbol_info", "constructor"])("/udf/%s is no path", async (call) => {
    const response = await send(call);
    expect(response.status).toBe(404);
    const problem = await response.json<{ detail: string }>();
    expect(problem).toMatchObject({ type: "/problems/unknown-path", s: "error", errmsg: problem.detail });
  });

  it("answers a preflight with the key's header, and no other method", async () => {
    const preflight = await client.fetch("/udf/history", { method: "OPTIONS" });
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("X-Api-Key");
    for (const call of ["config", "history"]) {
      const posted = await client.fetch(`/udf/${call}`, { method: "POST" });
      expect([posted.status, await posted.json()]).toMatchObject([405, { s: "error" }]);
    }
  });
});
