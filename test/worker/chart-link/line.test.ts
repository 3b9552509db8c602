/** Lines of links to charts: what the Worker reads, the explorer draws. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFormula as readDrawn } from "../../../data-schema/formula/resolve.ts";
import { allLotSelectors, LOT_METHODS, lotCohortsOf } from "../../../data-schema/registry/lots.ts";
import { METRICS, metricByName, selectorIn } from "../../../data-schema/registry/metrics.ts";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import type { Catalog } from "../../../explorer/src/api/catalog.ts";
import { divisionsOf } from "../../../explorer/src/lines/family-line.ts";
import { namesOf } from "../../../explorer/src/lines/formula-line.ts";
import { curvesOf, formatLine, parseLine, problemOf } from "../../../explorer/src/lines/lines.ts";
import { chartTitle } from "../../../explorer/src/state/chart-title.ts";
import { tableMetricCatalog } from "../../../worker/catalog/table-metrics.ts";
import { readLine } from "../../../worker/chart-link/line.ts";
import { readChartFormula } from "../../../worker/chart-link/linked-formula.ts";
import { UnreadableLine } from "../../../worker/chart-link/metric.ts";

const span = { first: "2025-03-01T00:00:00", last: "2025-04-01T00:00:00" };
const ranges = { day: span, week: span, month: span, hour: span, block: span };
const assets = ["ARIA", "LP.3"].map((symbol) => ({ symbol, name: symbol, ranges, lots: LOT_METHODS }));
const catalog = { ...tableMetricCatalog(), assets, terms: [], formulas: NAMED_FORMULAS } as unknown as Catalog;
const context = { catalog, asset: catalog.assets[0] };

/** What the Worker reads; null for what it refuses. */
function read<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableLine);
    return null;
  }
}

const name = fc.constantFrom("sopr", "price", "supply", "mvrv", "mayer_multiple", "no_metric");
const prefix = fc.constantFrom("", "", "", "LP.3.", "ARIA.");
const suffix = fc.constantFrom("", "", "", ":users", ":$10M+", ":<1d", ":1d-1w", ":total");
const call = fc.constantFrom(
  ...["sma", "ema", "std", "cumsum", "lag", "zscore", "smaa"].flatMap((one) => [one, `${one} `]),
);
const rows = fc.constantFrom("", ", 7", ",1", ",0", ", 1.5", ", price");
/** Formulas, most of which make sense. */
const { formula } = fc.letrec<{ formula: string }>((tie) => ({
  formula: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(prefix, name, suffix).map((parts) => parts.join("")),
    fc.constantFrom("7", "0.5", ".5", "1e3", "2."),
    fc
      .tuple(tie("formula"), fc.constantFrom("+", "-", " * ", "/", " − ", " "), tie("formula"))
      .map((parts) => parts.join("")),
    fc.tuple(call, tie("formula"), rows).map(([one, of, n]) => `${one}(${of}${n})`),
    tie("formula").map((of) => `-( ${of})`),
  ),
}));
const slip = fc.constantFrom("", "", "", "(", ")", ",", ".", ":", '"', "=", "+", "x".repeat(30));
const slipped = fc
  .tuple(formula, slip, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([text, what, where]) => text.slice(0, where * text.length) + what + text.slice(where * text.length));

it("a formula that the Worker reads is one that the explorer computes, of the same metrics and assets", () => {
  let count = 0;
  fc.assert(
    fc.property(slipped, (text) => {
      const formula = read(() => readChartFormula(text));
      // Which assets there are, the text doesn't tell.
      if (formula?.assets.some((symbol) => !assets.some((asset) => asset.symbol === symbol)) !== false) return;
      count++;
      const drawn = readDrawn(text, namesOf(context));
      expect(formula.metrics.map(({ name }) => name)).toEqual(drawn.metrics.map(({ name }) => name));
      const named = new Set(drawn.inputs.map(({ asset }) => asset));
      expect(formula.assets.filter((asset) => !named.has(asset))).toEqual([]);
    }),
    { numRuns: 2000 },
  );
  expect(count).toBeGreaterThan(100);
});

it.each<[string, string[], string[], ReturnType<typeof readChartFormula>["chosen"]?]>([
  ["market_cap / realised_cap", ["market_cap", "realised_cap"], []],
  ["sma(sopr:users, 30) - 1", ["sopr"], []],
  ["-(ARIA.price + LP.3.price) / 2", ["price"], ["ARIA", "LP.3"]],
  ["zscore( nupl , 90 )", ["unrealised_profit", "unrealised_loss", "market_cap"], []],
  ["supply:$0-100-supply:<1d", ["supply"], []],
  ["DUET.sopr:fifo.sth / sopr", ["sopr"], ["DUET"], [{ asset: "DUET", selector: "fifo.sth" }]],
])("the formula %s is read", (text, metrics, named, chosen = []) => {
  expect(readChartFormula(text)).toEqual({
    metrics: metrics.map((name) => metricByName(name as "sopr")),
    assets: named,
    chosen,
  });
});

it.each([
  ["market_capp / price", "metric", "market_capp", "market_cap"],
  ["smaa(sopr, 7)", "function", "smaa", "sma"],
  ["sopr:user", "selector", "user", "users"],
])("the formula %s is refused, with what could be meant", (text, what, written, allowed) => {
  let refusal: unknown;
  try {
    readChartFormula(text);
  } catch (error) {
    refusal = error;
  }
  const names = expect.arrayContaining([allowed]);
  expect(refusal).toMatchObject({ message: expect.stringContaining(what), written, allowed: names });
});

it.each([
  ...["", "7", "sopr +", "(sopr", "sopr)", "sopr sopr", "sma(sopr", "ema(sopr)", "sma(7, 7)", "sma(sopr, 0)"],
  ...["cumsum(sopr, 2)", "std(sopr, 1)", "sma(sopr, 100001)", "sma(sopr, price)", "mayer_multiple:users"],
  ...["3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59", "sopr-12345678-1234-1234-1234-123456789012", "'sopr'", "sopr;price"],
  ...[`${"(".repeat(30)}sopr${")".repeat(30)}`, `sopr${"+price".repeat(100)}`, `sopr${"+sopr".repeat(20)}`],
])("the formula %s is refused", (text) => {
  expect(read(() => readChartFormula(text))).toBeNull();
});

/** Every series and family of the registry, those of lots too. */
const LINES = METRICS.flatMap((metric) => {
  const own = catalog.metrics.find(({ name }) => name === metric.name)!;
  const by = own.selector?.families.flatMap(({ division }) => (division?.parts.length ? [division.by] : [])) ?? [];
  const ofLots = divisionsOf(own, context.asset).flatMap((one) => (/_[a-z]ifo$/.test(one.by) ? [one.by] : []));
  const families = [...by, ...ofLots].map((name) => `*${name}`);
  const selectors = [...(selectorIn(metric)?.values ?? []), ...allLotSelectors(lotCohortsOf(metric.name))];
  return [metric.name, ...[...selectors, ...families].map((rest) => `${metric.name}:${rest}`)];
});

describe("every series and family of the registry", () => {
  it("is read as the explorer reads it, and has its title", () => {
    expect(LINES.length).toBeGreaterThan(1500);
    for (const text of ["liveliness:fifo", "sopr:hifo.lth", "supply:*age_fifo"]) expect(LINES).toContain(text);
    for (const text of LINES) {
      const line = readLine(text);
      const drawn = parseLine(text, context)!;
      expect(parseLine(line.text, context), text).toEqual(drawn);
      if (line.kind === "series") expect(line.text).toBe(formatLine(drawn));
    }
  });

  it.each(["supply:*age:share", "supply:*age:lines:only=<1d", "LP.3.supply:*value:stack:off=$0-100,$10M+"])(
    "%s is a family",
    (text) => {
      const line = readLine(text);
      expect(line).toMatchObject({ kind: "family", text });
      expect(formatLine(parseLine(text, context)!)).toBe(text);
    },
  );

  it.each([
    "supply:*nothing",
    "price:*age",
    "supply:*age:pie",
    "supply:*age:only=x",
    "supply:none",
    "price:users",
    "a b",
  ])("%s is refused", (text) => {
    expect(read(() => readLine(text))).toBeNull();
  });
});

it("a metric's single series may be called total, as in answers", () => {
  expect(readLine("price:total").text).toBe("price");
});

it("titles are those of the explorer's charts of one line", () => {
  for (const text of [...LINES, "=mvrv", "=sma(sopr, 7)"]) {
    const line = parseLine(text, context)!;
    expect(problemOf(line, context)).toBeNull();
    const traces = curvesOf(line, context).map((curve) => ({ ...curve, pane: 0, line: 0 }));
    const panes = [{ lines: [line], heat: null }] as unknown as Parameters<typeof chartTitle>[0]["panes"];
    const title = chartTitle({ panes }, traces as unknown as Parameters<typeof chartTitle>[1]);
    expect(readLine(text).fullTitle).toBe(title);
  }
});
