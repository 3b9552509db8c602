/** Requests of every route and tool that read as much as they can, and how much that may be. */

import fc from "fast-check";
import { FORMULA_NAMES, MEASURES } from "../../data-schema/formula/measures.ts";
import { readFormula } from "../../data-schema/formula/resolve.ts";
import { DISTRIBUTION_NAMES } from "../../data-schema/registry/distributions.ts";
import { METRICS } from "../../data-schema/registry/metrics.ts";
import { RESOLUTIONS, type Resolution } from "../../data-schema/registry/resolutions.ts";
import { HOLDER_SORTS } from "../../data-schema/stored/holders/holder-objects.ts";

/** What is published of an asset. */
export interface Published {
  symbol: string;
  /** Objects of one metric, or own cohort. */
  periods: Partial<Record<Resolution, number>>;
  /** Reads of one distribution, at most: of each year its footer, its fields, and the addresses once more. */
  years: number;
  cohorts: number;
  /** Builds that are kept, and one that was collected. */
  builds: readonly string[];
  files: readonly string[];
  /** Entries of its log of changes, and parts of its log of what was known. */
  changes: number;
  known: number;
}

/** What a request may read while the store is whole, and while it is not. */
interface Reads {
  whole: number;
  troubled: number;
}

export interface Ask extends Reads {
  path: string;
  /** The body of a POST. */
  message?: object;
}

/** Reads of what a request needs beside the assets that it names. */
const DOCUMENT: Reads = { whole: 0, troubled: 0 };

/**
 * The reads of a request for assets, as docs/operating.md#what-a-request-reads states them: a list if there are several,
 * the manifest of each, and what is read of each; of those with an invented one among them the list alone. A store in trouble
 * is asked twice, for manifests once more, and for a list of assets to suggest.
 */
function readsOf(named: readonly string[], all: readonly Published[], each: (asset: Published) => number): Reads {
  const symbols = [...new Set(named.map((symbol) => symbol.toUpperCase()))];
  const found = symbols.flatMap((symbol) => all.find((asset) => asset.symbol === symbol) ?? []);
  const list = symbols.length > 1 ? 1 : 0;
  const objects = found.reduce((sum, asset) => sum + each(asset), 0);
  return {
    whole: found.length < symbols.length ? list || 3 : list + found.length + objects,
    troubled: 1 + 2 * list + 3 * symbols.length + 2 * objects,
  };
}

const inputsOf = (name: string): readonly string[] => {
  const formula = MEASURES.find((measure) => measure.name === name)?.formula;
  return formula ? readFormula(formula.text, FORMULA_NAMES).metrics.map((metric) => metric.name) : [name];
};

const many = <T>(values: fc.Arbitrary<T>, most: number) =>
  fc.array(values, { minLength: 1, maxLength: most, size: "max" });
const different = (values: fc.Arbitrary<string>, most: number) =>
  fc.uniqueArray(values, { minLength: 1, maxLength: most, size: "max" });
const invented = fc.nat(40).map((n) => `X${n}`);
const metric = fc.constantFrom(...METRICS.map(({ name }) => name as string), "mvrv", "sopr_smoothed", "nvt_signal");
const selectors = fc.oneof(
  fc.constantFrom("", "*", "@*", "*,@*", "users", "nonsense", "@none"),
  different(fc.constantFrom("total", "users", "lth", "<1d", "$10M+", "@team"), 6).map((list) => list.join()),
);
const resolution = fc.constantFrom(...RESOLUTIONS);
/** So many metrics, with formulas of as many, have no more series than an answer may have. */
const MOST_NAMES: Record<Resolution, number> = { day: 20, week: 20, month: 20, hour: 7, block: 3 };

/** Ranges of all time. Those from the third on are refused in some requests. */
const RANGES: readonly Record<string, string>[] = [
  {},
  { s: "1970-01-01" },
  { s: "1970-01-01", u: "2100-01-01" },
  { last: "1000000" },
  { s: "-100000d" },
];
const format = fc.constantFrom("json", "csv", "ndjson", "arrow", "parquet");

/** Requests of all kinds for what is published. */
export function asks(all: readonly Published[]): fc.Arbitrary<Ask> {
  const symbols = all.map(({ symbol }) => symbol);
  const symbol = fc.oneof(fc.constantFrom(...symbols, symbols[0]!.toLowerCase()), invented);
  /** Existing ones alone, for they cost most; or any. */
  const assets = fc.oneof(
    { weight: 2, arbitrary: fc.shuffledSubarray(symbols, { minLength: 1 }) },
    different(fc.oneof(fc.constantFrom(...symbols), invented), 22),
  );
  const builds = all.flatMap((asset) => asset.builds);

  /** Metrics that there are at a resolution, or any names. */
  const metricsAt = (resolution: Resolution) => {
    const names = MEASURES.filter((measure) => measure.resolutions.includes(resolution)).map(({ name }) => name);
    return fc.constantFrom(...names);
  };
  /** A sum of series, of assets that there are or of any. */
  const sumOf = (asset: fc.Arbitrary<string | null>, name: fc.Arbitrary<string>, most = 20) =>
    many(fc.tuple(asset, name), most).map((names) => ({
      text: names.map(([asset, name]) => `${asset === null ? "" : `${asset}.`}${name}`).join("+"),
      assets: names.flatMap(([asset]) => asset ?? []),
      metrics: names.map(([, name]) => name),
    }));
  const range = fc.constantFrom<Record<string, string>[]>(...RANGES);
  const known = fc.constantFrom("first", new Date().toISOString());
  const none = { weight: 3, arbitrary: fc.constant({}) };

  /** What is answered, for as much as may be asked for. */
  const right = resolution.chain((resolution) =>
    fc.record({
      resolution: fc.constant(resolution),
      assets: fc.shuffledSubarray(symbols, { minLength: 1 }),
      metrics: different(metricsAt(resolution), MOST_NAMES[resolution]),
      formulas: fc.array(sumOf(fc.constantFrom(null, ...symbols), metricsAt(resolution), MOST_NAMES[resolution]), {
        maxLength: 3,
      }),
      selectors: fc.constantFrom("", "", "", "total,users"),
      range: fc.constantFrom<Record<string, string>[]>(...RANGES.slice(0, 2)),
      extra: fc.oneof(
        none,
        known.map((known) => ({ known })),
      ),
    }),
  );
  const anything = fc.record({
    resolution,
    assets,
    metrics: fc.uniqueArray(metric, { maxLength: 21, size: "max" }),
    formulas: fc.array(sumOf(fc.oneof(fc.constant(null), symbol), metric), { maxLength: 21, size: "max" }),
    selectors,
    range,
    extra: fc.oneof(
      none,
      fc.oneof(known, fc.constant("2020-01-01")).map((known) => ({ known })),
      fc.constantFrom(...builds, "0123456789abcde0").map((build) => ({ build })),
    ),
  });

  /** What a table of some metrics and formulas asks for. */
  const table = fc
    .tuple(fc.oneof({ weight: 2, arbitrary: right }, anything) as typeof anything, fc.constantFrom("", "sma", "cumsum"))
    .map(([{ assets, metrics, formulas, selectors, resolution, range, extra }, around]) => {
      const named = [...assets, ...formulas.flatMap((one) => one.assets)];
      const read = new Set([...metrics, ...formulas.flatMap((one) => one.metrics)].flatMap(inputsOf));
      const { known: time, build } = extra as { known?: string; build?: string };
      const reads = readsOf(named, all, ({ periods, cohorts, known }) => {
        const log = time !== undefined ? 2 + known : build !== undefined ? 6 : 0;
        return (periods[resolution] ?? 0) * (read.size + cohorts) + log;
      });
      const x = formulas.map(({ text }, i) => `f${i}=${resolution === "block" ? "" : around}(${text})`).join(";");
      return { assets, metrics, x, selectors, resolution, range, extra: { known: time, build }, reads };
    });

  const query = (path: string, parameters: object) => {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
    return `${path}?${new URLSearchParams(given as [string, string][])}`;
  };
  const tables = fc
    .tuple(table, format)
    .map(([{ assets, metrics, x, selectors, resolution, range, extra, reads }, f]): Ask => {
      const more = { c: selectors, r: resolution, ...range, ...extra, f };
      return { path: query("/v3/series", { a: assets.join(), m: metrics.join(), x, ...more }), ...reads };
    });
  const series = fc
    .record({
      version: fc.constantFrom("v1", "v1", "v2", "v9"),
      symbol,
      metric,
      resolution: fc.constantFrom<Resolution[]>("day", "hour", "block", "week"),
      range,
      c: fc.constantFrom("", "", "", "users", "none"),
    })
    .map(({ version, symbol, metric, resolution, range, c }): Ask => {
      const path = query(`/${version}/metrics/${metric}`, { a: symbol, r: resolution, c, ...range, f: "csv" });
      return { path, ...readsOf([symbol], all, ({ periods }) => periods[resolution] ?? 0) };
    });
  const distribution = fc.record({
    symbol,
    name: fc.constantFrom(...DISTRIBUTION_NAMES, "none"),
    selector: fc.constantFrom("", "users", "none"),
    resolution: fc.constantFrom<Resolution[]>("day", "week", "month", "hour"),
    around: fc.constantFrom(undefined, "1", "100", "0"),
    range,
  });
  const ofYears = (symbol: string) => readsOf([symbol], all, ({ years }) => years);
  const distributions = distribution.map(({ symbol, name, selector, resolution, around, range }): Ask => {
    const path = query(`/v3/distributions/${name}`, { a: symbol, r: resolution, c: selector, around, ...range });
    return { path, ...ofYears(symbol) };
  });
  const holder = fc.record({
    a: symbol,
    sort: fc.constantFrom("", ...HOLDER_SORTS, "none"),
    order: fc.constantFrom("", "asc"),
    group: fc.constantFrom("", "users", "none"),
    limit: fc.constantFrom("", "1000", "1001"),
    offset: fc.constantFrom("", "1", "9000"),
  });
  const atDay = fc.record({ a: symbol, at: fc.constantFrom("2024-03-01", "2025-01-01", "-0d", "1970-01-01") });
  // An index and three groups of addresses; or the months of four days.
  const ofHolders = (symbol: string) => readsOf([symbol], all, () => 4);
  const holderQuery = fc.oneof(holder, atDay) as fc.Arbitrary<Record<string, string> & { a: string }>;
  const address = fc.constantFrom(`0x${"0".repeat(39)}1`, `0x${"f".repeat(40)}`, "none");
  /** An index and a row group of each asset; of all, with a list. */
  const ofAddress = (named: readonly string[] | null): Reads =>
    named === null ? { whole: 1 + 3 * all.length, troubled: 2 + 7 * all.length } : readsOf(named, all, () => 2);
  const addressed = fc.tuple(address, fc.oneof(fc.constant(null), assets));
  const holders = fc.oneof(
    holderQuery.map((given): Ask => ({ path: query("/v3/holders", given), ...ofHolders(given.a) })),
    addressed.map(
      ([name, named]): Ask => ({
        path: query(`/v3/holders/${name}`, { a: named?.join() ?? "" }),
        ...ofAddress(named),
      }),
    ),
  );
  /** A hundred days are in five months at most. */
  const ofDays = (symbol: string) => readsOf([symbol], all, () => 5);
  const days = fc.constantFrom({}, { s: "-99d" }, { s: "-9y" }, { s: "2025-01-31", u: "2025-05-10" }, { u: "-90d" });
  const transfers = fc
    .tuple(symbol, days)
    .map(([a, range]): Ask => ({ path: query("/v3/transfers/largest", { a, ...range }), ...ofDays(a) }));
  const files = fc
    .tuple(
      symbol,
      fc.constantFrom(...all.flatMap((asset) => asset.files), `day/sopr/all.${"0".repeat(32)}.parquet`, "a/b/c"),
    )
    .map(([symbol, file]): Ask => ({ path: `/v3/files/${symbol}/${file}`, whole: 5, troubled: 7 }));
  /** Pages of an asset: the list of files, of builds, and of changes. */
  const ofAsset = fc.tuple(symbol, fc.nat(60)).chain(([symbol, before]) =>
    fc.constantFrom<Ask[]>(
      { path: `/v3/files/${symbol}`, ...readsOf([symbol], all, () => 0) },
      { path: `/v3/assets/${symbol}/events`, ...readsOf([symbol], all, () => 0) },
      // The list of builds, the list of assets, and two parts of the log.
      { path: `/v3/assets/${symbol}/builds`, ...readsOf([symbol], all, () => 4) },
      ...["", `?before=${before}`].map((more) => ({
        path: `/v3/assets/${symbol}/changes${more}`,
        // The list of assets, the entry that is named, and a page.
        ...readsOf([symbol], all, ({ changes }) => 2 + Math.min(30, changes)),
      })),
    ),
  );
  const lists = fc
    .constantFrom("/v1/assets", "/v2/assets", "/v3/assets", "/v3/status", "/health")
    .map((path): Ask => ({ path, whole: 1 + all.length, troubled: 2 + all.length }));
  const screener = fc
    .constantFrom("", "?f=csv", "?f=none")
    .map((more): Ask => ({ path: `/v3/screener${more}`, whole: 1, troubled: 2 }));
  const documents = fc
    .oneof(
      fc.constantFrom(
        ...[
          "/",
          "/boards/none",
          "/holders/none",
          "/docs/",
          "/none",
          "/openapi.json",
          "/llms.txt",
          "/explorer.json",
          "/v3/metrics",
        ],
        ...["/v1/metrics", "/v2/metrics/sopr/meta", "/v3/distributions", "/problems/unknown-key", "/problems/none"],
      ),
      metric.map((name) => `/v3/metrics/${name}`),
      table.map(({ x }) => query("/", { a: symbols[0], y: `=${x}`, z: x })),
    )
    .map((path): Ask => ({ path, ...DOCUMENT }));

  /** A call of a tool, as a message. */
  const call = (name: string, given: object) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: given },
  });
  const calls = fc.oneof(
    table.map(({ assets, metrics, x, selectors, resolution, range: { s, u, last }, extra, reads }) => {
      const lists = {
        metrics,
        formulas: x.split(";").map((text) => text.replace(/^f\d+=/, "")),
        selectors: selectors.split(","),
      };
      const filled = Object.entries(lists).filter(([, list]) => list.join() !== "");
      const others = {
        resolution,
        since: s,
        until: u,
        last: last === undefined ? undefined : Number(last),
        known: extra.known,
      };
      return { ...reads, message: call("read_series", { assets, ...Object.fromEntries(filled), ...others }) };
    }),
    distribution.map(({ symbol, name, selector, around, range: { u } }) => ({
      ...ofYears(symbol),
      message: call("read_distribution", {
        asset: symbol,
        distribution: name,
        selector: selector || undefined,
        until: u,
        around: around === undefined ? undefined : Number(around),
      }),
    })),
    holderQuery.map(({ a, limit, offset, ...given }) => ({
      ...ofHolders(a),
      message: call("read_holders", {
        asset: a,
        ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")),
        ...(limit && { limit: Number(limit) }),
        ...(offset && { offset: Number(offset) }),
      }),
    })),
    addressed.map(([address, named]) => ({
      ...ofAddress(named),
      message: call("read_address", { address, ...(named && { assets: named }) }),
    })),
    fc.tuple(symbol, days).map(([asset, { s, u }]: [string, { s?: string; u?: string }]) => ({
      ...ofDays(asset),
      message: call("read_largest_transfers", { asset, since: s, until: u }),
    })),
    symbol.map((asset) => ({ ...readsOf([asset], all, () => 0), message: call("read_events", { asset }) })),
    fc.tuple(symbol, many(fc.tuple(symbol, metric), 20)).map(([symbol, lines]) => ({
      ...readsOf([symbol, ...lines.map(([other]) => other)], all, () => 0),
      // The asset itself is looked for first, the others together.
      whole: 2 + 2 * all.length,
      message: call("chart_link", { asset: symbol, series: lines.map(([other, name]) => `${other}.${name}`) }),
    })),
    fc.constantFrom("list_assets", "screen_assets").map((name) => ({
      whole: 1 + all.length,
      troubled: 2 + all.length,
      message: call(name, {}),
    })),
    fc
      .string({ maxLength: 600, size: "max" })
      .map((words) => ({ ...DOCUMENT, message: call("find_metrics", { query: words }) })),
    metric.map((name) => ({ ...DOCUMENT, message: call("describe_metric", { metric: name }) })),
    fc.constant({ ...DOCUMENT, message: call("none", {}) }),
  );
  const messages = many(calls, 11).map((batch): Ask => {
    const sum = (of: "whole" | "troubled") => batch.reduce((total, one) => total + one[of], 0);
    return {
      path: "/mcp",
      message: batch.map(({ message }) => message),
      whole: sum("whole"),
      troubled: sum("troubled"),
    };
  });

  return fc.oneof(
    { weight: 4, arbitrary: tables },
    { weight: 3, arbitrary: messages },
    ...[series, distributions, holders, transfers, files, ofAsset, lists, screener, documents],
  );
}
