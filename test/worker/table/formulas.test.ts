/** GET /v3/series with formulas: x, and names of formulas in m. */

import { env } from "cloudflare:workers";
import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, HOUR, publish, type Token } from "../token.ts";

const FIRST = at("2023-12-20");
const LAST = at("2024-02-18");
const HOURS = { first: at("2023-12-28"), last: at("2024-01-05T23:00:00") };

/** Every selector has numbers that look drawn; ratios lack a third of the rows. */
const token: Token = {
  symbol: "ARIA",
  own: ["@team"],
  metrics: ["sopr", "volume", "price", "supply", "market_cap", "realised_cap", "cex_reserve", "cex_inflow"],
  periods: {
    day: [
      { name: "2023", from: at("2023-01-01"), to: at("2024-01-01") },
      { name: "2024", from: at("2024-01-01"), to: at("2025-01-01") },
    ],
    hour: [
      { name: "2023", from: at("2023-01-01"), to: at("2024-01-01") },
      { name: "2024", from: at("2024-01-01"), to: at("2025-01-01") },
    ],
    block: [{ name: "2024-01", from: at("2024-01-01"), to: at("2024-02-01") }],
  },
  range: { day: [FIRST, LAST], hour: [HOURS.first, HOURS.last] },
  series: (metric, resolution, selector) => {
    if (!["total", "users", "all", "@team"].includes(selector)) return [];
    const drawn = (n: number) => 1 + ((n * 7919 + metric.length * 104_729 + selector.length * 31) % 1009) / 97;
    if (resolution === "block") {
      const blocks = Array.from({ length: 50 }, (_, n) => ({ t: at("2024-01-03") + n * 60, block: n, v: drawn(n) }));
      return blocks.filter(({ block }) => block % (selector === "total" ? 2 : 3) === 0);
    }
    const [first, last, step] = resolution === "day" ? [FIRST, LAST, DAY] : [HOURS.first, HOURS.last, HOUR];
    const points = Array.from({ length: (last - first) / step + 1 }, (_, n) => ({ t: first + n * step, v: drawn(n) }));
    return metric === "sopr" ? points.filter((_, n) => n % 3 !== 1) : points;
  },
};

let client: Client;

beforeAll(async () => {
  await Promise.all([
    putKey(),
    publish(env.BUCKET, token),
    publish(env.BUCKET, { ...token, symbol: "DUET", own: [], range: { ...token.range, day: [FIRST, LAST - 5 * DAY] } }),
  ]);
  client = freshIsolate({ edge: caches.default });
});

type Query = Record<string, string>;
const get = (query: Query) => client.fetch(`/v3/series?${new URLSearchParams({ a: "ARIA", ...query })}`);
const problem = async (query: Query) => (await get(query)).json<Record<string, unknown>>();

interface Answer {
  t: string[];
  series: {
    asset: string;
    name?: string;
    metric?: string;
    selector?: string;
    formula?: string;
    unit: string;
    v: (number | null)[];
  }[];
}

async function json(query: Query): Promise<Answer> {
  const response = await get(query);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}
const rows = async (query: Query) => {
  const { t, series } = await json(query);
  return new Map(t.map((time, row) => [time, series.map(({ v }) => v[row]!)]));
};

/** What formulas are, on the rows where their series have points: written without any of the Worker's code. */
const REFERENCES: Record<string, { m: Query; of: (rows: number[][], row: number, times: string[]) => number }> = {
  "sopr:users * 2 - volume": {
    m: { m: "sopr,volume", c: "users" },
    of: (all, row) => all[row]![0]! * 2 - all[row]![1]!,
  },
  "sma(sopr, 5)": {
    m: { m: "sopr" },
    of: (all, row) => (row < 4 ? Number.NaN : mean(all.slice(row - 4, row + 1).map(([v]) => v!))),
  },
  "cumsum(volume:users)": {
    m: { m: "volume", c: "users" },
    of: (all, row) => sum(all.slice(0, row + 1).map(([v]) => v!)),
  },
  "sopr / lag(sopr, 7)": {
    m: { m: "sopr" },
    of: (all, row) => (row < 7 ? Number.NaN : all[row]![0]! / all[row - 7]![0]!),
  },
  'index(sopr, "2024-01-03T09:30") + volume': {
    m: { m: "sopr,volume" },
    of: (all, row, times) => {
      const base = all.find(([v], at) => times[at]! >= "2024-01-03T09:30:00" && !Number.isNaN(v))!;
      return (100 * all[row]![0]!) / base[0]! + all[row]![1]!;
    },
  },
  "index(volume)": { m: { m: "volume" }, of: (all, row) => (100 * all[row]![0]!) / all[0]![0]! },
  "(price - sma(price)) / 0": { m: { m: "price" }, of: () => Number.NaN },
  "smooth(volume / cex_inflow, 4)": {
    m: { m: "volume,cex_inflow" },
    of: (all, row) => {
      const window = all.slice(row - 3, row + 1);
      return row < 3 ? Number.NaN : sum(window.map(([a]) => a!)) / sum(window.map(([, b]) => b!));
    },
  },
  "volume:@team / volume": { m: { m: "volume", c: "@team,total" }, of: (all, row) => all[row]![0]! / all[row]![1]! },
};
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;

async function referenceOf(formula: string, r: string): Promise<Map<string, number>> {
  const { m, of } = REFERENCES[formula]!;
  const all = [...(await rows({ ...m, r }))].map(
    ([time, values]) => [time, values.map((v) => v ?? Number.NaN)] as const,
  );
  const values = all.map(([, row]) => row);
  const times = all.map(([time]) => time);
  return new Map(times.map((time, row) => [time, of(values, row, times)]));
}

describe("x", () => {
  it.each(["day", "hour"])("has the values of the whole history, whatever the range, by %s", async (r) => {
    const references = new Map<string, Map<string, number>>();
    for (const formula of Object.keys(REFERENCES)) references.set(formula, await referenceOf(formula, r));
    const formulas = Object.keys(REFERENCES);
    const [first, last, step] = r === "day" ? [FIRST, LAST, DAY] : [HOURS.first, HOURS.last, HOUR];
    const time = fc.integer({ min: first - 2 * step, max: last + 2 * step });
    const range = fc.oneof(
      fc.record({ s: time, u: time }).map(({ s, u }): Query => ({ s: `${Math.min(s, u)}`, u: `${Math.max(s, u)}` })),
      fc.integer({ min: 1, max: 90 }).map((n): Query => ({ last: `${n}` })),
      fc.constant<Query>({}),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...formulas), { minLength: 1, maxLength: 4 }),
        range,
        fc.constantFrom<Query>({}, { m: "price" }),
        async (wanted, bounds, beside) => {
          const found = await json({ x: wanted.join(";"), r, ...bounds, ...beside });
          for (const series of found.series.filter(({ formula }) => formula !== undefined)) {
            const reference = references.get(series.formula!)!;
            for (const [row, t] of found.t.entries()) {
              const expected = reference.get(t) ?? Number.NaN;
              if (!Number.isFinite(expected)) expect(series.v[row], `${series.formula} at ${t}`).toBeNull();
              else expect(Math.abs(series.v[row]! / expected - 1), `${series.formula} at ${t}`).toBeLessThan(1e-12);
            }
          }
          // The rows are those in which something has been read, within the range.
          const inputs = wanted.map((formula) => REFERENCES[formula]!.m);
          const times = await Promise.all(
            [...inputs, beside].map(async (m) => (m.m ? [...(await rows({ ...m, r })).keys()] : [])),
          );
          const from = bounds.s ? Number(bounds.s) : Number.NEGATIVE_INFINITY;
          const to = bounds.u ? Number(bounds.u) : Number.POSITIVE_INFINITY;
          const all = [...new Set(times.flat())].sort().filter((one) => at(one) >= from && at(one) <= to);
          expect(found.t).toEqual(bounds.last ? all.slice(-Number(bounds.last)) : all);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("names its columns and says its formulas", async () => {
    const { series } = await json({
      a: "ARIA,DUET",
      m: "price",
      x: "sma(sopr:users, 7); dd = price / sma(price) - 1; share=cex_reserve/supply;duet=DUET.price",
    });
    expect(series.map(({ v: _, ...facts }) => facts)).toEqual([
      { asset: "ARIA", metric: "price", selector: "total", unit: "usd_per_token" },
      { asset: "ARIA", name: "sma(sopr:users, 7)", unit: "ratio", formula: "sma(sopr:users, 7)" },
      { asset: "ARIA", name: "dd", unit: "ratio", formula: "price / sma(price) - 1" },
      { asset: "ARIA", name: "share", unit: "ratio", formula: "cex_reserve/supply" },
      { asset: "DUET", name: "duet", unit: "usd_per_token", formula: "DUET.price" },
      { asset: "DUET", metric: "price", selector: "total", unit: "usd_per_token" },
      { asset: "DUET", name: "sma(sopr:users, 7)", unit: "ratio", formula: "sma(sopr:users, 7)" },
      { asset: "DUET", name: "dd", unit: "ratio", formula: "price / sma(price) - 1" },
      { asset: "DUET", name: "share", unit: "ratio", formula: "cex_reserve/supply" },
    ]);
    const csv = await (await get({ x: 'sma(price, 3);supply:"users" / supply', last: "1", f: "csv" })).text();
    expect(csv.split("\n")[0]).toBe('t,"ARIA:sma(price, 3)","ARIA:supply:""users"" / supply"');
  });

  it("may name an asset that a does not", async () => {
    const { t, series } = await json({ x: "price - DUET.price;DUET.price" });
    const [difference, other] = series;
    expect([difference!.asset, other!.asset]).toEqual(["ARIA", "DUET"]);
    // DUET has five days less.
    expect(difference!.v.slice(0, -5)).toEqual(t.slice(0, -5).map(() => 0));
    expect([...difference!.v.slice(-5), ...other!.v.slice(-5)]).toEqual(Array.from({ length: 10 }, () => null));
    expect(await problem({ x: "price + NOBODY.price" })).toMatchObject({
      status: 404,
      type: "/problems/unsupported-asset",
      detail: "There are no metrics of the asset NOBODY. See character 9 of x.",
      parameter: "x",
    });
    expect(await problem({ a: "NOBODY", x: "DUET.price" })).toMatchObject({
      detail: "There are no metrics of the asset NOBODY.",
      parameter: "a",
    });
    expect(await problem({ x: "DUET.price", build: "0123456789abcdef" })).toMatchObject({ parameter: "build" });
  });

  it("is computed row by row at block resolution", async () => {
    const query = { r: "block", m: "volume", c: "total,users", x: "volume / volume:users;-volume" };
    const { series } = await json(query);
    const [total, users, ratio, negative] = series.map(({ v }) => v);
    expect(ratio).toEqual(total!.map((v, row) => (v === null || users![row] === null ? null : v / users![row]!)));
    expect(negative).toEqual(total!.map((v) => v && -v));
    const some = await json({ ...query, sb: "10", ub: "30" });
    expect(some.series[2]!.v).toHaveLength(some.t.length);
    const last = await json({ ...query, last: "7" });
    expect(last.series.map(({ v }) => v)).toEqual(series.map(({ v }) => v.slice(-7)));
  });

  it("is the same in every format", async () => {
    const query = { x: "sma(sopr, 5);price/volume:users", c: "users", m: "mvrv,volume", last: "20" };
    const { series, t } = await json(query);
    const lines = (await (await get({ ...query, f: "ndjson" })).text()).trimEnd().split("\n");
    const names = series.map(({ asset, metric, selector, name }) => `${asset}:${name ?? `${metric}:${selector}`}`);
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      t.map((time, row) => Object.fromEntries([["t", time], ...series.map(({ v }, i) => [names[i]!, v[row]])])),
    );
    const table = tableFromIPC(new Uint8Array(await (await get({ ...query, f: "arrow" })).arrayBuffer()));
    expect(table.schema.fields.map(({ name }) => name)).toEqual(["t", ...names]);
    expect(names.map((name) => Array.from(table.getChild(name)!))).toEqual(series.map(({ v }) => v));
    expect(JSON.parse(table.schema.metadata.get("soprano")!).series[2]).toEqual({
      asset: "ARIA",
      name: "sma(sopr, 5)",
      unit: "ratio",
      formula: "sma(sopr, 5)",
    });
  });

  it("has no zero below zero, in any format", async () => {
    const query = { x: "0*-price;-(price-price)", last: "2" };
    expect((await json(query)).series.map(({ v }) => v)).toEqual([
      [0, 0],
      [0, 0],
    ]);
    const table = tableFromIPC(new Uint8Array(await (await get({ ...query, f: "arrow" })).arrayBuffer()));
    expect([1, 2].map((at) => [...table.getChildAt(at)!])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it.each([
    { m: "supply", c: "users", x: "supply:users" },
    { m: "mvrv", c: "users", x: "mvrv:users" },
  ])("is not called what another column is: %o", async (query) => {
    const { detail, ...facts } = await problem(query);
    expect(facts).toMatchObject({ status: 400, parameter: "x" });
    expect(detail).toMatch(/^Two columns would be called ARIA:\w+:users\. Give the formula/);
    expect((await get({ ...query, x: `mine=${query.x}` })).status).toBe(200);
  });

  it("has a tag of its own", async () => {
    const tags = await Promise.all(
      [
        { x: "price" },
        { x: "p=price" },
        { x: "price;supply" },
        { x: "supply;price" },
        { m: "price" },
        { x: "price", m: "price" },
      ].map(async (query) => (await get(query as Query)).headers.get("ETag")),
    );
    expect(new Set(tags).size).toBe(tags.length);
  });

  it.each([
    ["sma(price", "This bracket is never closed. See character 4 of x."],
    ["price;; foo", "There is no metric foo. See character 9 of x."],
    [" ; ", "x has no formula."],
    ["a=price;a=supply", "x has two formulas of the same name."],
    ["1 + 2", "A formula needs at least one metric. See character 1 of x."],
    ["price 1", "An operator is missing before 1. See character 7 of x. In a URL, a plus sign is %2B."],
    [`m=${"x".repeat(40)}`, "There is no such name. See character 3 of x."],
    ["price;volume:@none", 'ARIA has no own cohort "@none". See character 14 of x.'],
    [
      Array.from({ length: 20 }, (_, i) => `B${i}.price`).join("+"),
      "A request names up to 20 assets, those in formulas included, not 21.",
    ],
    [Array.from({ length: 21 }, (_, i) => `f${i}=price`).join(";"), "x takes up to 20 formulas, not 21."],
  ])("refuses %s", async (x, detail) => {
    expect(await problem({ x })).toMatchObject({ status: 400, detail, parameter: "x" });
  });

  it("refuses what a resolution lacks", async () => {
    expect(await problem({ x: "sma(sopr, 3)", r: "block" })).toMatchObject({ parameter: "r" });
    expect(await problem({ x: "supply / 2", r: "hour" })).toMatchObject({
      parameter: "r",
      allowed: ["day", "week", "month"],
    });
  });

  it("counts what it reads, and what it makes", async () => {
    const many = Array.from({ length: 20 }, (_, i) => `f${i}=sopr:users+${i}`).join(";");
    expect(await problem({ x: many, r: "hour", a: "ARIA,DUET,ARIB,ARIC" })).toMatchObject({
      type: "/problems/too-many-series",
    });
    const c = "total,users,sc,cex";
    expect(await problem({ m: "supply,market_cap,realised_cap", a: "ARIA", c, x: many })).not.toHaveProperty("type");
  });
});

describe("a named formula in m", () => {
  it("is its formula, with the selectors that all its metrics have", async () => {
    const { series } = await json({ m: "mvrv,sopr,exchange_share", c: "users,total" });
    expect(series.map(({ metric, selector, formula }) => [metric, selector, formula])).toEqual([
      ["mvrv", "users", "market_cap / realised_cap"],
      ["mvrv", "total", "market_cap / realised_cap"],
      ["sopr", "users", undefined],
      ["sopr", "total", undefined],
      ["exchange_share", "total", "cex_reserve / supply"],
    ]);
    const same = await json({ x: "market_cap:users/realised_cap:users;market_cap/realised_cap;cex_reserve/supply" });
    expect([0, 1, 4].map((i) => series[i]!.v)).toEqual(same.series.map(({ v }) => v));
    expect((await json({ m: "mvrv", c: "@*" })).series.map(({ selector }) => selector)).toEqual(["@team"]);
  });

  it("has its own resolutions", async () => {
    expect(await problem({ m: "sopr_smoothed", r: "block" })).toMatchObject({
      parameter: "r",
      detail: "sopr_smoothed is not available by block.",
    });
    expect(await problem({ m: "mvrv", r: "hour" })).toMatchObject({ parameter: "r" });
  });
});
