/** POST /mcp by the official client, in both eras of the protocol, and by hand. */

import { env } from "cloudflare:workers";
import type { CallToolResult, Client as Model } from "@modelcontextprotocol/client";
import * as fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  addsUp,
  METRICS,
  type MetricName,
  metricByName,
  resolutionsOf,
  seriesOf,
} from "../../../data-schema/registry/metrics.ts";
import { RESOLUTION_FACTS, RESOLUTIONS, type Resolution } from "../../../data-schema/registry/resolutions.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { ANY_CHARACTER } from "../../data-schema/text/characters.ts";
import { failingBucket, readingBucket } from "../bindings.ts";
import { type Client, freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, HOUR, publish, type Token } from "../token.ts";
import { connect, ERAS, textOf } from "./model.ts";

const START = at("2025-03-03");
const DAYS = 40;
const SPAN = { name: "all", from: at("2025-03-01"), to: at("2025-05-01") };
const RANGES = {
  day: [START, START + (DAYS - 1) * DAY],
  hour: [START, START + (DAYS - 1) * HOUR],
  week: [START, at("2025-04-07")],
  month: [at("2025-03-01"), at("2025-03-01")],
} satisfies Token["range"];

/** Numbers with all their digits, and gaps in the series that may have some. */
function made(metric: MetricName, resolution: Resolution, selector: string) {
  const seed = metric.length + selector.length;
  const points: { t: number; v: number; block: number }[] = [];
  const [first, last] = resolution === "block" ? [START, START + DAYS * 12] : RANGES[resolution];
  for (let t = first, n = 0; t <= last; n++) {
    if (n % 9 !== seed % 9) points.push({ t, v: Math.sin(seed * (n + 1)) * 10 ** (seed % 7), block: 7 * n });
    t = resolution === "block" ? t + 12 : RESOLUTION_FACTS[resolution].start(t, 1);
  }
  return points;
}

let worker: Client;
const log = vi.spyOn(console, "log");
const errors = vi.spyOn(console, "error");
beforeEach(() => {
  log.mockImplementation(() => {});
  errors.mockImplementation(() => {});
});
afterEach(() => {
  log.mockReset();
  errors.mockReset();
});

beforeAll(async () => {
  await Promise.all([
    putKey(),
    publish(env.BUCKET, {
      symbol: "ARIA",
      periods: { day: [SPAN], hour: [SPAN], block: [SPAN], week: [SPAN], month: [SPAN] },
      range: RANGES,
      series: made,
      distributions: (_, resolution) =>
        (resolution === "day" ? ["supply", "realised_cap", "num_addresses"] : []).map((field) => {
          return { selector: `${field}:total:0`, t: Float64Array.of(RANGES.day[1]), v: Float64Array.of(1) };
        }),
    }),
    publish(env.BUCKET, { symbol: "DUET", periods: { day: [SPAN] }, range: { day: RANGES.day }, series: made }),
  ]);
  worker = freshIsolate();
});

interface Table {
  t: string[];
  series: { asset: string; metric: string; selector: string; unit: string; v: (number | null)[] }[];
}

/** What the tools answer, each with some of it. */
interface Values extends Table {
  assets: Record<string, unknown>[];
  metrics: Record<string, unknown>[];
  metric: Record<string, unknown>;
  url: string;
  rows: number;
  omitted: string[];
}

/** The values of an answer, which must not be an error. */
function valuesOf(result: CallToolResult): Values {
  expect(result.isError, textOf(result)).toBeFalsy();
  return result.structuredContent as unknown as Values;
}

describe.each(ERAS)("the official client, %o", (era) => {
  let model: Model;
  beforeAll(async () => {
    model = await connect(worker, era);
  });

  it("lists the tools in few words", async () => {
    const { tools } = await model.listTools();
    const names = ["list_assets", "find_metrics", "describe_metric", "read_series"];
    names.push("read_distribution", "read_holders", "read_address");
    names.push("read_largest_transfers", "read_events", "screen_assets", "chart_link");
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(JSON.stringify(tools).length).toBeLessThan(1_600 * names.length);
    expect(model.getInstructions()).toContain("ERC-20");
  });

  it("compares assets by what the screener has", async () => {
    const screener = await (await worker.fetch("/v3/screener")).json<{ assets: Record<string, unknown>[] }>();
    const screen = async (given: Record<string, unknown>) =>
      valuesOf(await model.callTool({ name: "screen_assets", arguments: given }));
    const { assets, omitted } = (await screen({ columns: ["mvrv"], by: "price" })) as unknown as {
      assets: Record<string, unknown>[];
      omitted: number;
    };
    expect(omitted).toBe(0);
    expect(assets.map(({ asset }) => asset).toSorted()).toEqual(screener.assets.map(({ asset }) => asset));
    expect(Object.keys(assets[0]!)).toEqual(["asset", "name", "t", "mvrv"]);
    const wrong = await model.callTool({ name: "screen_assets", arguments: { by: "mvrw" } });
    expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining("mvrv")]);
  });

  it("goes from words to numbers and a chart", async () => {
    const call = async (name: string, given: Record<string, unknown> = {}) =>
      valuesOf(await model.callTool({ name, arguments: given }));
    const { assets } = await call("list_assets");
    const catalog = await (await worker.fetch("/v3/assets")).json<{ assets: Record<string, unknown>[] }>();
    expect(assets.map(({ symbol }) => symbol)).toEqual(["ARIA", "DUET"]);
    expect(Object.keys(assets[0]!)).toEqual(Object.keys(catalog.assets[0]!));
    expect(assets[0]).toMatchObject({ ranges: { day: { first: "2025-03-03T00:00:00" } } });
    const { metrics } = await call("find_metrics", { query: "whale supply" });
    expect(metrics[0]).toMatchObject({ name: "supply", selector: "$10M+", unit: "token" });
    const { metric } = await call("describe_metric", { metric: "supply" });
    expect(metric).toMatchObject({ formula: "Σ n", selector: { default: "total" } });
    const given = { assets: ["aria"], metrics: ["supply"], selectors: ["$10M+"], last: 3 };
    const { t, series, omitted } = await call("read_series", given);
    expect([t, series[0]!.v.length, omitted]).toEqual([
      ["2025-04-09T00:00:00", "2025-04-10T00:00:00", "2025-04-11T00:00:00"],
      3,
      [],
    ]);
    const { url } = await call("chart_link", { asset: "aria", series: ["supply:$10M+"], since: "2025-03-05" });
    expect(url).toBe("https://soprano.test/?a=ARIA&y=supply%3A%2410M%2B&s=2025-03-05T00%3A00%3A00");
    const several = { asset: "ARIA", series: ["supply:*age:share"], series2: ["=mvrv", "DUET.price"], smooth: 7 };
    expect((await call("chart_link", several)).url).toBe(
      "https://soprano.test/?a=ARIA&y=supply%3A*age%3Ashare&y2=%3Dmvrv&y2=DUET.price&smooth=7&smooth2=7",
    );
  });

  it("gets sentences for wrong arguments", async () => {
    const wrong = async (name: string, given: Record<string, unknown>) => {
      const result = await model.callTool({ name, arguments: given });
      expect(result.isError).toBe(true);
      return textOf(result);
    };
    const read = (given: Record<string, unknown>) =>
      wrong("read_series", { assets: ["ARIA"], metrics: ["sopr"], ...given });
    expect(await read({ selectors: ["$10M"] })).toMatch(
      /^selectors: sopr has no selector "\$10M"\. Did you mean \$10M\+\? Allowed: \*, total, users, /,
    );
    expect(await read({ metrics: ["soprr"] })).toMatch(
      /^metrics: There is no such value\. Did you mean sopr\? Allowed: /,
    );
    expect(await read({ since: "-30" })).toMatch(
      /^since: s is a span without its unit\. Did you mean -30d\? Allowed: /,
    );
    expect(await read({ assets: ["ARIO"] })).toBe(
      "assets: There are no metrics of this asset. Did you mean ARIA? Allowed: ARIA, DUET.",
    );
    expect(await read({ metrics: ["supply"], resolution: "hour" })).toBe(
      "resolution: supply is not available by hour. Allowed: day, week, month.",
    );
    expect(await read({ cohort: "total" })).toMatch(/^cohort: There is no such argument\. Allowed: assets, /);
    // The API's names for selectors and the like are not those of the tool.
    expect(await read({ c: "total" })).toMatch(/^c: There is no such argument\. Did you mean selectors\? Allowed: /);
    expect(await read({ [KEY]: 1 })).toMatch(/^There is no such argument\. Allowed: assets, /);
    expect(await read({ last: 12_345_678 })).toMatch(/^last: last is not a whole number of up to 7 digits\./);
    expect(await read({ last: 1.5 })).toBe("last: The value is not a whole number.");
    expect(await read({ rows: 401 })).toBe("rows: The value is at most 400.");
    expect(await read({ assets: 5 })).toBe("assets: The value is not a list of texts, none of them empty.");
    expect(await wrong("read_series", { metrics: ["sopr"] })).toBe("assets: Give this argument.");
    expect(await wrong("describe_metric", { metric: "mvrv" })).toMatch(/^v3 has no such metric\. Allowed: sopr, /);
    const chart = (given: Record<string, unknown>) =>
      wrong("chart_link", { asset: "ARIA", series: ["sopr"], ...given });
    expect(await chart({ series: ["prices"] })).toMatch(
      /^series: The explorer draws no such metric\. Did you mean price\? Allowed: /,
    );
    expect(await chart({ series2: ["=market_cap / realised"] })).toMatch(/^series2: There is no metric realised\. /);
    expect(await chart({ series2: ["NONE.supply"] })).toMatch(/There are no metrics of this asset/);
    expect(await chart({ smooth: 8 })).toBe("smooth: There is no such value. Allowed: 7, 30.");
    expect(await chart({ series: ["sopr", "supply", "volume_dollar"] })).toMatch(/^series: A chart has up to 2 units/);
    expect(await chart({ series: ["supply"], resolution: "hour" })).toBe(
      "resolution: The chart has no such resolution. Allowed: day, week, month.",
    );
    expect(await chart({ asset: "DUET", resolution: "block" })).toMatch(/Allowed: day\.$/);
    expect(await chart({ range: "30d", until: "2025-04-01" })).toMatch(/^range: range excludes since and until/);
    expect(await chart({ since: "2025-04-01", until: "2025-03-01" })).toBe("since: since is later than until.");
    await expect(model.callTool({ name: "read_serie" })).rejects.toThrow("Did you mean read_series?");
  });
});

describe("read_series", () => {
  let model: Model;
  const lengths: number[] = [];
  beforeAll(async () => {
    model = await connect(worker, ERAS[0], lengths);
  });

  const metric = fc.constantFrom(...METRICS.map(({ name }) => name));
  const chosen = fc
    .tuple(fc.uniqueArray(metric, { minLength: 1, maxLength: 4 }), fc.constantFrom(...RESOLUTIONS))
    .filter(([names, resolution]) =>
      METRICS.filter(({ name }) => names.includes(name)).every((one) => resolutionsOf(one).includes(resolution)),
    );
  const rest = fc.record(
    {
      selectors: fc.constantFrom(["*"], undefined),
      since: fc.constantFrom("2025-03-10", "-10d", "-1m", "2025-03-03T00:01"),
      until: fc.constantFrom("2025-04-05", "-1d"),
      rows: fc.nat({ max: 400 }),
    },
    { requiredKeys: [] },
  );

  it("answers with at most 20,000 bytes what GET /v3/series answers", async () => {
    let thinned = 0;
    const property = fc.asyncProperty(chosen, rest, async ([metrics, resolution], others) => {
      const given = { assets: ["ARIA"], metrics, resolution, ...others };
      lengths.length = 0;
      const result = await model.callTool({ name: "read_series", arguments: given });
      expect(Math.max(...lengths)).toBeLessThanOrEqual(20_000);
      if (result.isError) {
        // More series than an answer has, or a range that is empty.
        expect(textOf(result)).toMatch(/^selectors: These are \d+ series|^since: /);
        return;
      }
      const { url, series, t, rows, omitted } = valuesOf(result);
      const whole = await (await worker.fetch(url.slice("https://soprano.test".length))).json<Table>();
      expect(rows).toBe(whole.t.length);
      if (t.length < rows || series.length < whole.series.length) expect(omitted).not.toEqual([]);
      if (t.length > 0) expect([t[0], t.at(-1)]).toEqual([whole.t[0], whole.t.at(-1)]);
      if (t.length > 0 && t.length < rows) thinned++;
      for (const [index, one] of series.entries()) {
        const { v, ...head } = whole.series[index]!;
        expect(one).toMatchObject(head);
        expect(one.v).toEqual(t.map((time) => v[whole.t.indexOf(time)]));
        expectStatistics({ ...one }, whole.t, v);
      }
      for (const name of series.map((one) => `ARIA,${one.metric},`)) {
        expect(textOf(result)).toContain(name);
      }
      expect(textOf(result).endsWith(url)).toBe(true);
    });
    await fc.assert(property, { numRuns: 50 });
    expect(thinned).toBeGreaterThan(0);
  });

  function expectStatistics(one: Record<string, unknown>, times: string[], values: (number | null)[]): void {
    const points = values.flatMap((v, row) => (v === null ? [] : [{ t: times[row]!, v }]));
    const numbers = points.map(({ v }) => v);
    const sum = numbers.reduce((total, v) => total + v, 0);
    const [first, last] = [points[0], points.at(-1)];
    const extreme = (v: number) => (points.length === 0 ? [null, null] : [v, points.find((point) => point.v === v)!.t]);
    expect([one.points, one.first, one.firstTime, one.last, one.lastTime]).toEqual([
      ...[points.length, first?.v ?? null, first?.t ?? null, last?.v ?? null, last?.t ?? null],
    ]);
    expect([one.min, one.minTime]).toEqual(extreme(Math.min(...numbers)));
    expect([one.max, one.maxTime]).toEqual(extreme(Math.max(...numbers)));
    expect(one.change).toBe(first && last ? last.v - first.v : null);
    const metric = metricByName(one.metric as MetricName);
    const { shape } = metric;
    expect(one.sum).toBe(addsUp(metric) ? sum : null);
    expect(one.mean).toBe(points.length === 0 || shape === "ratio" ? null : sum / points.length);
  }

  it("computes formulas, with names and without", async () => {
    const formulas = ["ma = sma(volume, 3)", "volume / volume:users"];
    const given = { assets: ["ARIA"], metrics: ["net_realised_profit"], formulas, last: 5 };
    const { url, series, t } = valuesOf(await model.callTool({ name: "read_series", arguments: given }));
    expect(new URL(url).searchParams.get("x")).toBe(formulas.join(";"));
    const whole = await (await worker.fetch(url.slice("https://soprano.test".length))).json<Table>();
    expect(t).toEqual(whole.t);
    expect(series).toMatchObject(whole.series as object[]);
    expect(series).toMatchObject([
      { metric: "net_realised_profit", selector: "total", mean: null, sum: null },
      { name: "ma", formula: "sma(volume, 3)", mean: null, sum: null },
      { name: "volume / volume:users", mean: null, sum: null },
    ]);
    const alone = await model.callTool({ name: "read_series", arguments: { assets: ["ARIA"], formulas: "-sopr" } });
    expect(valuesOf(alone).series).toHaveLength(1);
    for (const formula of ["sma(", "NOBODY.price", "volume:@nobody"]) {
      const wrong = await model.callTool({ name: "read_series", arguments: { assets: ["ARIA"], formulas: [formula] } });
      expect(textOf(wrong)).toMatch(/^formulas: .* See character \d of x\./);
    }
  });

  it("leaves out series before it says nothing of any", async () => {
    const given = { assets: ["ARIA"], metrics: ["cex_reserve", "cex_inflow", "cex_outflow"], selectors: ["*"] };
    const { series, omitted } = valuesOf(await model.callTool({ name: "read_series", arguments: given }));
    const all = 3 * seriesOf(metricByName("cex_reserve")).length;
    expect(series.length).toBeGreaterThan(15);
    expect(omitted[0]).toMatch(`${all - series.length} series are left out: ask for fewer`);
  });

  it("holds no memory afterwards, and tells of failures on our side", async () => {
    const isolate = new Isolate();
    const given = { name: "read_series", arguments: { assets: ["ARIA"], metrics: ["volume"] } };
    valuesOf(await (await connect(freshIsolate({ isolate }))).callTool(given));
    expect(isolate.budget.bytes).toBe(0);
    const broken = await connect(
      freshIsolate({ bucket: failingBucket(env.BUCKET, (key) => key.startsWith("series/")) }),
    );
    const result = await broken.callTool(given);
    expect([result.isError, textOf(result)]).toEqual([
      true,
      "The data store cannot be read at the moment. Try again soon.",
    ]);
    expect(errors.mock.calls.some(([line]) => String(line).includes("store-unavailable"))).toBe(true);
  });
});

it("finds metrics by up to 500 characters: more words would be compared with all that metrics say", async () => {
  const model = await connect(worker);
  const find = (query: string) => model.callTool({ name: "find_metrics", arguments: { query } });
  expect(valuesOf(await find("supply ".repeat(70))).metrics).not.toEqual([]);
  const refused = await find("a ".repeat(30_000));
  expect([refused.isError, textOf(refused)]).toEqual([true, "query: The value has at most 500 characters."]);
});

describe("any call", () => {
  it("is answered, with at most 20,000 bytes and no failure of ours", async () => {
    const lengths: number[] = [];
    const model = await connect(worker, ERAS[0], lengths);
    const { tools } = await model.listTools();
    const texts = fc.constantFrom(
      ...["ARIA", "sopr", "day", "block", "30d", "-30d", "2025-03-05", "log", "MVRV of whales", "cost_basis", "total"],
    );
    const lists = fc.constantFrom(
      ...[["ARIA"], ["ARIA", "DUET"], ["sopr"], ["sopr", "supply"], ["*"], ["supply:$10M+"]],
    );
    const value = fc.oneof(
      { weight: 12, arbitrary: texts },
      { weight: 12, arbitrary: lists },
      ...[fc.string({ unit: ANY_CHARACTER, maxLength: 20 }), fc.integer(), fc.jsonValue({ maxDepth: 2 })],
    );
    const call = fc.constantFrom(...tools).chain(({ name, inputSchema: { properties = {}, required = [] } }) => {
      const own = Object.fromEntries(Object.keys(properties).map((argument) => [argument, value]));
      const stray = fc.oneof(
        { weight: 9, arbitrary: fc.constant({}) },
        fc.dictionary(fc.string(), value, { maxKeys: 1 }),
      );
      const given = fc.tuple(fc.record(own, { requiredKeys: required }), stray);
      return given.map(([own, stray]) => ({ name, given: { ...own, ...stray } }));
    });
    let answered = 0;
    const property = fc.asyncProperty(call, async ({ name, given }) => {
      // What arrives: JSON has no NaN.
      const sent = JSON.parse(JSON.stringify(given));
      lengths.length = 0;
      const result = await model.callTool({ name, arguments: sent });
      expect(Math.max(...lengths)).toBeLessThanOrEqual(20_000);
      expect(textOf(result)).not.toBe("");
      expect(errors).not.toHaveBeenCalled();
      if (!result.isError) answered++;
    });
    await fc.assert(property, { numRuns: 300 });
    expect(answered).toBeGreaterThan(20);
  });
});

describe("the transport", () => {
  const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const post = (body: unknown, headers: Record<string, string> = {}, by = worker, path = "/mcp") => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return by.fetch(path, { method: "POST", body: text, headers: { ...HEADERS, ...headers } });
  };
  const callOf = (id: number, given: object = { assets: ["ARIA"], metrics: ["sopr"], last: 2 }) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "read_series", arguments: given },
  });
  const problemOf = async (response: Response) => [response.status, (await response.json<{ type: string }>()).type];

  it.each(["GET", "HEAD", "DELETE", "PUT"])("refuses %s: there are no sessions", async (method) => {
    const response = await worker.fetch("/mcp", { method });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  it("is the only path that takes POST", async () => {
    expect(await problemOf(await post("{}", {}, worker, "/v3/series"))).toEqual([405, "/problems/method-not-allowed"]);
  });

  it("lets pages of any origin ask, with their headers, and nothing ambient", async () => {
    const { headers } = await worker.fetch("/mcp", { method: "OPTIONS" });
    expect(headers.get("Access-Control-Allow-Methods")).toBe("POST, OPTIONS");
    expect(headers.get("Access-Control-Allow-Headers")).toContain("Mcp-Protocol-Version");
    expect([headers.get("Access-Control-Allow-Origin"), headers.get("Access-Control-Allow-Credentials")]).toEqual([
      ...["*", null],
    ]);
    expect((await post(callOf(1), { Origin: "https://elsewhere.example" })).status).toBe(200);
  });

  it("refuses pages of other hosts on this machine", async () => {
    const local = (origin: string) =>
      post(callOf(1), { Origin: origin }, worker, "http://127.0.0.1:8787/mcp").then(({ status }) => status);
    expect(await local("https://elsewhere.example")).toBe(403);
    expect(await local("null")).toBe(403);
    expect(await local("http://localhost:6274")).toBe(200);
    expect(await local("http://[::1]:6274")).toBe(200);
  });

  it("takes the key in each place, and needs one for anything", async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const headers of [{ "X-Api-Key": KEY }, { Authorization: `Bearer ${KEY}` }]) {
      expect((await post(list, headers)).status).toBe(200);
    }
    expect((await post(list, {}, worker, `/mcp?api_key=${KEY}`)).status).toBe(200);
    const nobody = await post(list, { "X-Api-Key": "" });
    expect(nobody.headers.get("WWW-Authenticate")).toContain("Bearer");
    expect(await problemOf(nobody)).toEqual([401, "/problems/missing-key"]);
    expect(await problemOf(await post(list, {}, worker, `/mcp?api_key=${KEY}&a=ARIA`))).toEqual([
      ...[400, "/problems/unknown-parameter"],
    ]);
  });

  it.each([
    ["nothing", "", 400, -32700],
    ["half of a body", "{", 400, -32700],
    ["null", "null", 400, -32600],
    ["a number", "7", 400, -32600],
    ["an empty batch", "[]", 400, -32600],
    ["nested arrays", "[".repeat(30_000) + "]".repeat(30_000), 400, -32600],
    ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"no/such"}', 200, -32601],
    ["resources, which it has none of", '{"jsonrpc":"2.0","id":1,"method":"resources/list"}', 200, -32601],
  ])("answers %s with an error of JSON-RPC", async (_, body, status, code) => {
    const response = await post(body);
    const text = await response.text();
    expect([response.status, /"code":(-\d+)/.exec(text)?.[1]], text).toEqual([status, String(code)]);
    expect(errors).not.toHaveBeenCalled();
  });

  it("refuses a body of more than 64 KiB before it is parsed", async () => {
    expect(await problemOf(await post(" ".repeat(65_537)))).toEqual([413, "/problems/body-too-long"]);
    expect((await post(`${JSON.stringify(callOf(1))}${" ".repeat(60_000)}`)).status).toBe(200);
  });

  it("refuses to be listened to, since nothing changes by itself", async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    };
    const params = { _meta, notifications: { toolsListChanged: true } };
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
    const response = await post(listen, { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen" });
    expect(await response.text()).toContain('"code":-32603');
  });

  it("counts each call of a batch against the plan", async () => {
    const counted: string[] = [];
    const limiter = {
      limit: async ({ key }: RateLimitOptions) => {
        counted.push(key);
        return { success: counted.length < 12 };
      },
    };
    await putKey("00000000-0000-4000-8000-00000000000f", { id: "batch", plan: "free" });
    const by = freshIsolate({ limits: { LIMIT_FREE: limiter } });
    const key = { "X-Api-Key": "00000000-0000-4000-8000-00000000000f" };
    const batch = (length: number) => Array.from({ length }, (_, id) => callOf(id));
    const response = await post(batch(3), key, by);
    expect(response.headers.get("RateLimit-Policy")).toBe('"free";q=60;w=60');
    expect((await response.text()).match(/"structuredContent"/g)).toHaveLength(3);
    expect(counted).toEqual(["batch", "batch", "batch"]);
    expect((await post(batch(11), key, by)).status).toBe(400);
    expect(await problemOf(await post(batch(10), key, by))).toEqual([429, "/problems/too-many-requests"]);
  });

  it("counts each message of a batch, and takes ten, whatever they ask", async () => {
    let counted = 0;
    const limiter = { limit: async () => ({ success: ++counted > 0 }) };
    const key = "00000000-0000-4000-8000-00000000000e";
    await putKey(key, { id: "messages", plan: "free" });
    const by = freshIsolate({ limits: { LIMIT_FREE: limiter } });
    const batch = (length: number) =>
      Array.from({ length }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/list" }) as const);
    expect((await post(batch(10), { "X-Api-Key": key }, by)).status).toBe(200);
    expect(counted).toBe(10);
    const refused = await post(batch(11), { "X-Api-Key": key }, by);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("up to 10 messages")]);
    expect(counted).toBe(11);
  });

  it("counts the answers of a batch as memory until all are there", async () => {
    const isolate = new Isolate();
    const leases: number[] = [];
    const bucket = readingBucket(env.BUCKET, async (key, options) => {
      // The other answer is made while this one is read.
      await scheduler.wait(100);
      leases.push(isolate.budget.leases.size);
      return env.BUCKET.get(key, options);
    });
    const describing = {
      ...{ jsonrpc: "2.0", id: 2, method: "tools/call" },
      params: { name: "describe_metric", arguments: { metric: "supply" } },
    };
    const response = await post([callOf(1), describing], {}, freshIsolate({ isolate, bucket }));
    expect((await response.text()).match(/"structuredContent"/g)).toHaveLength(2);
    // One reads, the other is held.
    expect(Math.max(...leases)).toBe(2);
    expect(isolate.budget.bytes).toBe(0);
  });

  it("logs the tool, what was sent, and nothing that the client wrote", async () => {
    const response = await post(callOf(1, { assets: ["ARIA"], metrics: ["sopr"], last: 2 }));
    const { length } = await response.bytes();
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      {
        event: "request",
        method: "POST",
        route: "/mcp",
        status: 200,
        tool: "read_series",
        points: 2,
        bytes: length,
        key: "k1",
      },
    ]);
    log.mockReset();
    await post(callOf(1, { assets: ["secret"], metrics: ["sopr"] }));
    expect(JSON.parse(log.mock.calls[0]![0])).toMatchObject({ tool: "read_series", problem: "unsupported-asset" });
    expect(log.mock.calls[0]![0]).not.toContain("ecret");
  });
});
