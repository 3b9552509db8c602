import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../data-schema/formula/evaluate.ts";
import { read } from "../../explorer/formula/catalog.ts";

const _ = Number.NaN;

/** The values of a formula of `price` and, if it has two columns, `supply`, by day from 2025 on. */
const valuesOf = (text: string, ...columns: number[][]) =>
  Array.from(
    evaluate(
      read(text),
      columns.map((column) => Float64Array.from(column)),
      Float64Array.from(columns[0]!, (_, day) => Date.UTC(2025, 0, 1 + day) / 1000),
    ),
  );

describe("on paper", () => {
  it.each([
    ["price / 0", [1, -1, 0, _], [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, _, _]],
    ["-(price - 3) * 2", [1, 2, _], [4, 2, _]],
    ["sma(price, 2)", [1, 3, _, 5, 7], [_, 2, _, _, 6]],
    ["sma(price)", [1, 3, _, 5], [1, 2, 2, 3]],
    // A weight of 2 / (3 + 1) for the new value.
    ["ema(price, 3)", [1, 3, 5], [1, 2, 3.5]],
    // A missing row halves the weight of what was before: (0.25 · 2 + 0.5 · 5) / 0.75.
    ["ema(price, 3)", [_, 1, 3, _, 5], [_, 1, 2, 2, 4]],
    ["median(price, 3)", [5, 1, 3, 9, 1], [_, _, 3, 3, 3]],
    ["median(price, 4)", [5, 1, 3, 9, 1], [_, _, _, 4, 2]],
    ["median(price)", [5, 1, _, 3], [5, 3, 3, 3]],
    ["std(price, 3)", [1, 2, 3, 3, 3], [_, _, 1, Math.sqrt(1 / 3), 0]],
    ["std(price)", [1, _, 3], [_, _, Math.SQRT2]],
    ["zscore(price, 3)", [1, 2, 3, 3, 3], [_, _, 1, 1 / 3 / Math.sqrt(1 / 3), _]],
    ["index(price)", [_, 4, 5, _, 2], [_, 100, 125, _, 50]],
    ['index(price, "2025-01-03")', [8, 4, _, 5, 2], [160, 80, _, 100, 40]],
    ['index(price, "2025-01-02T06:00Z")', [8, 4, 5], [160, 80, 100]],
    ["index(price, '2026-01-01')", [8, 4], [_, _]],
    ["min(price, 2)", [5, 1, 3, _, 9, 2], [_, 1, 1, _, _, 2]],
    ["max(price, 3)", [5, 1, 3, 2, 1, 9], [_, _, 5, 3, 3, 9]],
    ["max(price)", [_, 1, 3, _, 2, 4], [_, 1, 3, 3, 3, 4]],
    ["min(price)", [_, 4, 3, _, 5], [_, 4, 3, 3, 3]],
    ["sum(price, 2)", [1, 3, _, 5, 7], [_, 4, _, _, 12]],
    ["sum(price)", [1, _, 3], [1, 1, 4]],
    // 2 of 3 are at most 2, and all 3 at most 3.
    ["percentile(price, 3)", [1, 3, 2, 3, _, 1], [_, _, 2 / 3, 1, _, _]],
    ["percentile(price)", [2, 1, _, 2, 5], [1, 0.5, _, 1, 1]],
    ["quantile(price, 0.5, 3)", [5, 1, 3, 9, _], [_, _, 3, 3, _]],
    ["quantile(price, 0.25, 3)", [5, 1, 3, 9, 2], [_, _, 2, 2, 2.5]],
    ["quantile(price, 1)", [5, 1, _, 9], [5, 5, 5, 9]],
    ["quantile(price, 0)", [_, 5, 1, 9], [_, 5, 1, 1]],
    ["if(price < 2, 1, -1)", [1, 2, 3, _], [1, -1, -1, _]],
    ["if(price <= 2, price, 0)", [1, 2, 3, _], [1, 2, 0, _]],
    ["if(price > 2, price / 0, 7)", [1, 2, 3, _], [7, 7, Number.POSITIVE_INFINITY, _]],
    ["if(2 ≤ price, 1, 0)", [1, 2, 3, _], [0, 1, 1, _]],
    ["if(price >= lag(price), 1, 0)", [1, 2, 1, _, 1], [_, 1, 0, _, _]],
    ["abs(price)", [-1, 2, _], [1, 2, _]],
    ["log(price)", [1, 0, -1, _], [0, Number.NEGATIVE_INFINITY, _, _]],
    ["exp(price)", [0, 1000, _], [1, Number.POSITIVE_INFINITY, _]],
    ["sqrt(price)", [9, 0, -1, _], [3, 0, _, _]],
    ["price * sqrt(4) + abs(-1)", [1, _], [3, _]],
    ["price / max(price) - 1", [4, 2, 8, 6], [0, -0.5, 0, -0.25]],
    ["change(price)", [1, 4, _, 9], [_, 3, _, _]],
    ["change(price, 2)", [1, 4, 2, 9], [_, _, 1, 5]],
    ["pct(price)", [2, 3, 0, 1], [_, 0.5, -1, Number.POSITIVE_INFINITY]],
    ["lag(price, 2)", [1, 2, 3], [_, _, 1]],
    ["cumsum(price)", [1, _, 2], [1, _, 3]],
    // Infinite values count as missing in windows and sums.
    ["sma(1 / price, 2)", [0, 1, 1], [_, _, 1]],
    ["cumsum(1 / price)", [1, 0, 1], [1, _, 2]],
  ])("%s of %j", (text, column, expected) => expect(valuesOf(text, column)).toEqual(expected));

  it("correlates two columns", () => {
    const [x, y] = [
      [1, 2, 3, 4, _, 6, 7, 8],
      [2, 4, 6, 1, 1, 3, 2, 1],
    ];
    const three = valuesOf("corr(price, supply, 3)", x, y);
    const expected = [_, _, 1, (3 * 30 - 9 * 11) / Math.sqrt(3 * 29 - 81) / Math.sqrt(3 * 53 - 121), _, _, _, -1];
    for (const [row, value] of three.entries()) {
      if (Number.isNaN(expected[row]!)) expect(value).toBeNaN();
      else expect(value).toBeCloseTo(expected[row]!, 14);
    }
    expect(valuesOf("corr(price, supply)", [1, 2, _, 3], [5, 7, 1, 9])).toEqual([_, 1, 1, 1]);
    expect(valuesOf("corr(price, supply, 2)", [1, 1, 2], [1, 2, 3])).toEqual([_, _, 1]);
    // Small differences of large numbers keep their digits.
    const large = (values: number[]) => values.map((value) => 1e15 + value);
    expect(valuesOf("corr(price, supply, 3)", large([1, 2, 3]), large([3, 2, 1]))[2]).toBe(-1);
  });

  it.each([
    ["if(price, 1, 2)", "if begins with a comparison: if(a < b, x, y)."],
    ["if(1 < 2, price, 2)", "A comparison needs a metric, not only numbers."],
    ["if(price < 2, 1)", "if takes more arguments: if(a < b, x, y)."],
    ["if(price < 2, 1, 2, 3)", "if takes fewer arguments: if(a < b, x, y)."],
    ["price < 2", "A comparison stands at the beginning of if, as in if(a < b, x, y)."],
    ["(price < 2)", "A comparison stands at the beginning of if, as in if(a < b, x, y)."],
    ["sma(price < 2, 3)", "A comparison stands at the beginning of if, as in if(a < b, x, y)."],
    ["if(price < 2 < 3, 1, 2)", "A comparison stands at the beginning of if, as in if(a < b, x, y)."],
    ["quantile(price)", "quantile takes more arguments: quantile(x, q[, n])."],
    ["quantile(price, 2)", "q of quantile is a number from 0 to 1."],
    ["quantile(price, supply)", "q of quantile is a number from 0 to 1."],
    ["quantile(price, 0.5, 3, 4)", "quantile takes fewer arguments: quantile(x, q[, n])."],
    ["corr(price, 3)", "y of corr is a metric, not only a number."],
    ["corr(price, supply, 1)", "The third argument of corr is a whole number of rows, from 2 to 100000."],
  ])("%s is refused", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it("reads < after a selector as a comparison, and after its colon as a selector", () => {
    expect(read("if(sopr:lth<1, sopr:lth, 1)").inputs).toEqual([{ asset: "ARIA", metric: "sopr", selector: "lth" }]);
    expect(read("if(supply:<1d<supply:1d-1w, 1, 0)").inputs.map(({ selector }) => selector)).toEqual(["<1d", "1d-1w"]);
    expect(read("if(supply:$0-100>=1, 1, 0)").inputs.map(({ selector }) => selector)).toEqual(["$0-100"]);
  });

  it("if has the unit of what it gives", () => {
    const units = ["if(price < 2, supply, 0)", "if(price < 2, supply, price)", "if(price < 2, 1, 0)"];
    expect(units.map((text) => read(text).unit)).toEqual(["token", "ratio", "ratio"]);
  });

  it("smooth divides sums, not values", () => {
    expect(valuesOf("smooth(realised_price, 2)", [6, 9, 0, _], [2, 1, 3, 4])).toEqual([_, 5, 9 / 4, _]);
    // The parts of SOPR: dollars by what the same coins cost.
    expect(read("smooth(sopr:lth, 7)").inputs).toEqual([
      { asset: "ARIA", metric: "volume_dollar", selector: "lth" },
      { asset: "ARIA", metric: "moved_coins_cost_basis", selector: "lth" },
    ]);
    // It is as MVRV looks, which the quotient is not known to be.
    expect(read("smooth(DUET.mvrv:users, 7)")).toEqual({
      ...read("sum(DUET.market_cap:users, 7) / sum(DUET.realised_cap:users, 7)"),
      look: read("mvrv").look,
    });
    expect(read("smooth(-(volume - supply) / price_of, 3)".replace("price_of", "volume_dollar")).reach).toBe(2);
    const inputs = (text: string) => read(text).inputs.map(({ metric, selector }) => `${metric}:${selector}`);
    expect(inputs("smooth(dormancy, 3)")).toEqual(["coin_days_destroyed:total", "volume:total", "burned:null"]);
    expect(inputs("smooth(dormancy:users, 3)")).toEqual([
      ...["coin_days_destroyed:users", "outflow_cohort:sth", "outflow_cohort:lth"],
    ]);
    expect(inputs("smooth(dormancy:$0-100, 3)")).toEqual(["coin_days_destroyed:$0-100", "outflow_cohort:$0-100"]);
    expect(inputs("smooth(dormancy:@team, 3)")).toEqual(["coin_days_destroyed:@team", "outflow_cohort:@team"]);
    expect(inputs("smooth(sopr_smoothed, 3)".replace("_smoothed", ""))).toHaveLength(2);
  });

  it.each([
    "sopr_profit",
    "asopr",
    "mean_dollar_age",
    "price",
    "supply",
    "sopr + 1",
    "price / supply",
    "supply / active_addresses",
    "supply * 2 / volume",
    "mvrv / 2",
    "sopr / mvrv",
    "sopr_smoothed",
    "mayer_multiple",
    "sma(supply, 3) / volume",
    "2 / supply",
  ])("smooth does not take %s", (text) => {
    expect(() => read(`smooth(${text}, 7)`)).toThrow(/^smooth takes sopr, .* by week and month\.$/);
  });

  it("smooth names what is wrong in it", () => {
    expect(() => read("smooth(sopr)")).toThrow("smooth needs a number of rows, such as smooth(sopr, 30).");
    expect(() => read("smooth(foo / supply, 3)")).toThrow("There is no metric foo.");
    expect(() => read("smooth(sopr:foo, 3)")).toThrow("sopr has no selector foo.");
    expect(() => read("smooth(sopr, 0)")).toThrow("The second argument of smooth is a whole number of rows, from 1 to");
  });

  it("takes its columns in the order of its series", () => {
    expect(valuesOf("supply / price", [6, 8], [2, 4])).toEqual([3, 2]);
  });
});

describe("keeps its digits", () => {
  it("when a spike has left the window", () => {
    expect(valuesOf("sma(price, 2)", [1e20, 1e-3, 3e-3])[2]).toBe(2e-3);
    expect(valuesOf("std(price, 2)", [1e20, 1, 3])[2]).toBe(Math.SQRT2);
  });

  it("when values are large and differ little", () => {
    expect(valuesOf("std(price, 3)", [1e15 + 1, 1e15 + 2, 1e15 + 3])[2]).toBe(1);
    expect(valuesOf("std(price)", [1e15 + 1, 1e15 + 2, 1e15 + 3])[2]).toBe(1);
  });

  it("in long sums", () => {
    const many = Array.from({ length: 100_000 }, () => 0.1);
    expect(valuesOf("cumsum(price)", many).at(-1)).toBe(10_000);
  });

  it("of equal values, whose deviation is exactly 0", () => {
    expect(valuesOf("std(price, 7)", [5, ...Array.from({ length: 8 }, () => 0.1)]).slice(-2)).toEqual([0, 0]);
  });
});

/** What a window's statistic is, in whole numbers as large as they need to be. */
const REFERENCE: Record<string, (window: bigint[]) => number> = {
  sma: (window) => Number(sum(window)) / window.length,
  median: (window) => {
    const sorted = window.toSorted((a, b) => Number(a - b));
    return Number(sorted[Math.floor((window.length - 1) / 2)]! + sorted[Math.floor(window.length / 2)]!) / 2;
  },
  std: (window) => Math.sqrt(Number(spread(window)) / (window.length * (window.length - 1))),
  zscore: (window) => {
    const n = BigInt(window.length);
    return Number(n * window.at(-1)! - sum(window)) / window.length / REFERENCE.std!(window);
  },
};

const sum = (window: bigint[]) => window.reduce((a, b) => a + b, 0n);
/** n² times the variance with ddof 0. */
const spread = (window: bigint[]) => BigInt(window.length) * sum(window.map((v) => v * v)) - sum(window) ** 2n;

/** Whole numbers of very different sizes, equal neighbours, and gaps. */
const columns = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -1000, max: 1000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1e9, max: 1e9 + 10 }) },
    { weight: 1, arbitrary: fc.constantFrom(2 ** 52, -(2 ** 50), 1e15 + 1) },
    { weight: 2, arbitrary: fc.constant(7) },
    { weight: 1, arbitrary: fc.constant(_) },
  ),
  { minLength: 1, maxLength: 60 },
);

/** Equal to 1e-13, and finite in the same rows. */
function expectClose(actual: readonly number[], expected: readonly number[]) {
  const wrong = actual.findIndex((value, row) => {
    const other = expected[row]!;
    if (!Number.isFinite(value) || !Number.isFinite(other)) return !Object.is(value, other);
    return Math.abs(value - other) > 1e-13 * Math.abs(other);
  });
  expect(wrong === -1 ? "equal" : `row ${wrong}: ${actual[wrong]}, not ${expected[wrong]}`).toBe("equal");
}

describe.each(Object.keys(REFERENCE))("%s equals its definition", (name) => {
  const least = name === "std" || name === "zscore" ? 2 : 1;

  it("over n rows", () => {
    fc.assert(
      fc.property(columns, fc.integer({ min: least, max: 12 }), (column, n) => {
        const expected = column.map((_, row) => {
          const window = column.slice(Math.max(0, row - n + 1), row + 1);
          return window.length === n && window.every(Number.isFinite)
            ? REFERENCE[name]!(window.map(BigInt))
            : Number.NaN;
        });
        expectClose(valuesOf(`${name}(price, ${n})`, column), expected);
      }),
      { numRuns: 500 },
    );
  });

  it("over all rows so far", () => {
    fc.assert(
      fc.property(columns, (column) => {
        const expected = column.map((value, row) => {
          const values = column.slice(0, row + 1).filter(Number.isFinite);
          if (values.length < least || (name === "zscore" && Number.isNaN(value))) return Number.NaN;
          return REFERENCE[name]!(values.map(BigInt));
        });
        expectClose(valuesOf(`${name}(price)`, column), expected);
      }),
    );
  });
});

it.each(["sma", "median", "std", "zscore"])(
  "%s makes no pass over each window: that would take 40 billion steps",
  (name) => {
    const [rows, n] = [500_000, 100_000];
    const values = valuesOf(
      `${name}(price, ${n})`,
      Array.from({ length: rows }, (_, row) => row % 1_000),
    );
    // A window holds 0 to 999, equally often; the last value is 999.
    const spread = Math.sqrt((((1_000 ** 2 - 1) / 12) * n) / (n - 1));
    const expected = { sma: 499.5, median: 499.5, std: spread, zscore: 499.5 / spread }[name]!;
    expect(values.at(-1)! / expected).toBeCloseTo(1, 12);
    expect(values.filter(Number.isNaN)).toHaveLength(n - 1);
  },
);
