/** Random formulas, right and wrong ones, and a token for them. */

import fc from "fast-check";
import {
  type MetricName,
  metricByName,
  OWN_METRICS,
  resolutionsOf,
  SINGLE_SERIES,
  selectorIn,
  seriesOf,
} from "../../data-schema/registry/metrics.ts";
import type { Shape } from "../data-schema/formula/spelled.ts";
import { at, DAY, HOUR, type Token } from "../worker/token.ts";

export type FormulaResolution = "day" | "hour";

const METRICS = "sopr volume price supply market_cap realised_cap cex_inflow cex_outflow".split(" ") as MetricName[];
/** Some of the metrics that add up. */
const SUMS: readonly MetricName[] = ["volume", "cex_inflow", "market_cap"];
/** Selectors that are hard to read, and some plain ones. */
const SELECTORS = ["users", "lth", "<1d", "1m-3m", "$0-100", "$10M+", "@team", "@a-b", "gate.io"];
const OWN = ["@team", "@a-b"] as const;
/** The first is the one that is asked. */
export const ASSETS = ["ARIA", "LP-3", "USDC.E", "1INCH"];

const START = at("2024-01-01");
/** Rows of each resolution. */
const SPANS = { day: [DAY, 40], hour: [HOUR, 60] } as const;

/** A token that has points of all selectors here: whole numbers and fractions, with zeros, equal ones, and gaps of ratios. */
export const tokenOf = (symbol: string): Token => ({
  symbol,
  own: OWN,
  metrics: METRICS,
  periods: {
    day: [{ name: "all", from: START, to: at("2025-01-01") }],
    hour: [{ name: "2024", from: START, to: at("2025-01-01") }],
  },
  range: { day: [START, START + 39 * DAY], hour: [START, START + 59 * HOUR] },
  series(metric, resolution, selector) {
    if (resolution !== "day" && resolution !== "hour") return [];
    const [step, rows] = SPANS[resolution];
    const seed = [...symbol, ...metric, ...selector].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7) % 9973;
    const drawn = (row: number) => ((row + 3) * (seed + 17) * 7919) % 1009;
    const divisor = [1, 7, 64][seed % 4] ?? 1;
    const points = Array.from({ length: rows }, (_, row) => ({
      t: START + step * row,
      v: Math.floor(drawn(row) / (seed % 3 === 0 ? 200 : 9)) / divisor,
    }));
    // A sum of 0 is no point, and a ratio has none in some rows.
    if (metric === "price") return points.map(({ t, v }) => ({ t, v: v + 1 }));
    return metric === "sopr" ? points.filter((_, row) => drawn(row) % 4 > 0) : points.filter(({ v }) => v > 0);
  },
});

/** The series that a name stands for, as `ASSET:metric:selector`. */
export function seriesName({ asset, name, selector }: Extract<Shape, { kind: "name" }>): string {
  const usual = selectorIn(metricByName(name as MetricName))?.default ?? SINGLE_SERIES;
  return `${(asset ?? ASSETS[0]!).toUpperCase()}:${name}:${selector ?? usual}`;
}

const selectorsOf = (name: MetricName) => {
  const isOwn = OWN_METRICS.some((one) => one.name === name);
  return SELECTORS.filter((one) => (one.startsWith("@") ? isOwn : seriesOf(metricByName(name)).includes(one)));
};

const asset = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.constantFrom(...ASSETS, "aria"));
/** Names may be in any case. */
const cased = (name: string) => fc.constantFrom(name, name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1));

const named = (name: string, selectors: readonly string[]): fc.Arbitrary<Shape> =>
  fc.record({
    kind: fc.constant("name" as const),
    asset,
    name: cased(name),
    selector: selectors.length === 0 ? fc.constant(null) : fc.option<string>(fc.constantFrom(...selectors)),
  });

const hasResolution = (resolution: FormulaResolution) => (metric: MetricName) =>
  resolutionsOf(metricByName(metric)).includes(resolution);

/** Metrics that a named formula is made of, and what it takes for a selector. */
const NAMED_FORMULAS: Record<string, { of: MetricName[]; selectors: string[] }> = {
  mvrv: { of: ["market_cap", "realised_cap"], selectors: ["users", "lth", "<1d"] },
  netflow: { of: ["cex_inflow", "cex_outflow"], selectors: ["gate.io"] },
  velocity: { of: ["volume", "supply"], selectors: ["users", "@team"] },
  drawdown: { of: ["price"], selectors: [] },
};

const number = fc.record({
  kind: fc.constant("number" as const),
  value: fc.oneof(fc.nat(20), fc.constantFrom(0, 0.5, 1e-3, 1e9, 1e-60, 1e60)),
});
const numberOf = (value: number): Shape => ({ kind: "number", value });

/** A number of rows, from 2 on, in one of the ways to write it. */
const rows: fc.Arbitrary<Shape> = fc.oneof(
  fc.oneof(fc.integer({ min: 2, max: 12 }), fc.constantFrom(39, 60, 100_000)).map(numberOf),
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
    .map(([a, b]) => binary("+", numberOf(a), numberOf(b))),
  fc.integer({ min: 2, max: 9 }).map((n) => negated(negated(numberOf(n)))),
);
const share = fc
  .oneof(
    fc.constantFrom(0, 1, 0.5),
    fc.nat(100).map((part) => part / 100),
  )
  .map(numberOf);
const date: fc.Arbitrary<Shape> = fc
  .constantFrom("2024-01-01", "2024-01-02T06:00", "2024-01-20", "2030-01-01", "2023-12-31")
  .map((text) => ({ kind: "text", text }));

const binary = (operator: string, left: Shape, right: Shape): Shape => ({ kind: "binary", operator, left, right });
const negated = (of: Shape): Shape => ({ kind: "negate", of });

/** What functions take: the arguments after the column, of which the last may be left out where it has a mark. */
const FUNCTIONS: Record<string, readonly ("rows" | "rows?" | "share" | "date?" | "column")[]> = {
  ...Object.fromEntries(
    ["sma", "median", "std", "zscore", "min", "max", "percentile", "sum"].map((name) => [name, ["rows?"]]),
  ),
  ...Object.fromEntries(["change", "pct", "lag"].map((name) => [name, ["rows?"]])),
  ...Object.fromEntries(["abs", "log", "exp", "sqrt", "cumsum"].map((name) => [name, []])),
  ema: ["rows"],
  quantile: ["share", "rows?"],
  corr: ["column", "rows?"],
  index: ["date?"],
};

/** Trees that have values at a resolution. */
export function formulaTrees(resolution: FormulaResolution): fc.Arbitrary<Shape> {
  const isThere = hasResolution(resolution);
  // Most often the ratio, which has gaps.
  const metrics = [...Array<MetricName>(3).fill("sopr"), ...METRICS]
    .filter(isThere)
    .map((metric) => named(metric, selectorsOf(metric)));
  const formulas = Object.entries(NAMED_FORMULAS)
    .filter(([, { of }]) => of.every(isThere))
    .map(([name, { selectors }]) => named(name, selectors));
  const summed = fc.oneof(...SUMS.filter(isThere).map((metric) => named(metric, [])));
  return fc.letrec<{ column: Shape; any: Shape }>((tie) => {
    const operator = fc.constantFrom("+", "-", "*", "/");
    const call = (name: string, of: fc.Arbitrary<Shape>[]): fc.Arbitrary<Shape> =>
      fc.record({ kind: fc.constant("call" as const), name: cased(name), of: fc.tuple(...of) });
    const argument = { rows, share, date, column: tie("column") };
    const calls = Object.entries(FUNCTIONS).flatMap(([name, takes]) => {
      const given = takes.map((kind) => argument[kind.replace("?", "") as keyof typeof argument]);
      const whole = call(name, [tie("column"), ...given]);
      return takes.at(-1)?.endsWith("?") ? [whole, call(name, [tie("column"), ...given.slice(0, -1)])] : [whole];
    });
    const comparison = fc
      .tuple(fc.constantFrom("<", "<=", ">", ">="), tie("column"), tie("any"), fc.boolean())
      .map(([comparison, one, other, isSwapped]): Shape => {
        const [left, right] = isSwapped ? [other, one] : [one, other];
        return { kind: "comparison", comparison, left, right };
      });
    const choice = call("if", [comparison, tie("any"), tie("any")]);
    const smooth = call("smooth", [fc.tuple(summed, summed).map(([a, b]) => binary("/", a, b)), rows]);
    return {
      column: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        { weight: 2, arbitrary: fc.oneof(...metrics, ...formulas) },
        fc.tuple(operator, tie("column"), tie("any")).map((of) => binary(...of)),
        fc.tuple(operator, tie("any"), tie("column")).map((of) => binary(...of)),
        tie("column").map(negated),
        { weight: 4, arbitrary: fc.oneof(...calls) },
        choice,
        smooth,
      ),
      any: fc.oneof({ maxDepth: 4, depthSize: "small" }, number, tie("column"), number.map(negated)),
    };
  }).column;
}

/** Stands before what is wrong in a text, until it is taken out. */
export const MARK = "\u0001";

const marked = (name: string, selector: string | null = null): Shape => ({
  kind: "name",
  asset: null,
  name: selector === null ? MARK + name : name,
  selector: selector === null ? null : MARK + selector,
});
const price = (): Shape => ({ kind: "name", asset: null, name: "price", selector: null });
const calling = (name: string, ...of: Shape[]): Shape => ({ kind: "call", name, of });

/** Formulas with one thing wrong, and what is said of it. */
const FAULTS: readonly (readonly [shape: Shape, message: RegExp])[] = [
  [marked("nonsense"), /^There is no metric nonsense\./],
  [marked("x".repeat(300)), /^There is no such name\./],
  [marked("sopr", "none"), /^sopr has no selector none\./],
  [marked("price", "users"), /^price has a single series/],
  [marked("sma"), /^sma is a function: write /],
  [calling(`${MARK}foo`, price()), /^There is no function foo\./],
  [marked("1e999"), /^This number is too large\./],
  [marked("1.2.3"), /^1\.2\.3 is not a number\./],
  [calling("sma", price(), marked("0")), /^The second argument of sma is a whole number of rows/],
  [calling("std", price(), marked("1")), /^The second argument of std is a whole number of rows/],
  [calling("ema", price(), marked("1.5")), /^The second argument of ema is a whole number of rows/],
  [calling("lag", price(), marked("100001")), /^The second argument of lag is a whole number of rows/],
  [calling("sum", price(), marked("price")), /^The second argument of sum is a whole number of rows/],
  [calling("sma", price(), { kind: "number", value: 3 }, marked("4")), /^sma takes fewer arguments/],
  [calling("quantile", price(), marked("2")), /^q of quantile is a number from 0 to 1\./],
  [calling("corr", price(), marked("7")), /^y of corr is a metric/],
  [calling("sma", marked("7")), /^sma needs a metric, not only a number/],
  [calling("index", price(), marked("2024")), /^The second argument of index is a date in quotes/],
  [calling("if", marked("price"), price(), price()), /^if begins with a comparison/],
  [calling("smooth", marked("price"), { kind: "number", value: 3 }), /^smooth takes /],
];

/** A right tree with one that is wrong somewhere in it. */
export const withFault = (tree: fc.Arbitrary<Shape>) =>
  fc
    .tuple(tree, fc.constantFrom(...FAULTS), fc.constantFrom("alone", "left", "right", "within"))
    .map(([right, [wrong, message], place]) => ({
      message,
      shape:
        place === "alone"
          ? wrong
          : place === "within"
            ? calling("abs", negated(wrong))
            : binary("*", ...((place === "left" ? [wrong, right] : [right, wrong]) as [Shape, Shape])),
    }));
