/** Volatility, Bollinger bands and RSI against their textbook definitions, computed slowly. Source: docs/formulas.md#sources. */

import { expect, it } from "vitest";
import { evaluate } from "../../../data-schema/formula/evaluate.ts";
import { FORMULA_NAMES } from "../../../data-schema/formula/measures.ts";
import { readFormula } from "../../../data-schema/formula/resolve.ts";

function computed(name: string, prices: readonly number[]): Float64Array {
  const t = Float64Array.from(prices, (_, day) => day * 86_400);
  return evaluate(readFormula(name, FORMULA_NAMES), [Float64Array.from(prices)], t);
}

/** Prices that rise and fall, the same each time. */
const prices = Array.from({ length: 200 }, (_, day) => 10 + 3 * Math.sin(day / 7) + ((day * 37) % 11) / 10);
const last = prices.length - 1;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const spread = (values: readonly number[], ddof: number) =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - ddof));

it("volatility is the deviation of 30 logarithmic returns, for a year", () => {
  const returns = prices.slice(1).map((price, day) => Math.log(price / prices[day]!));
  expect(computed("volatility", prices)[last]).toBeCloseTo(spread(returns.slice(-30), 1) * Math.sqrt(365), 10);
  // A price that doubles every day never varies: 30 returns need 31 prices.
  const doubling = computed(
    "volatility",
    Array.from({ length: 31 }, (_, day) => 2 ** day),
  );
  expect([...doubling.subarray(28)]).toEqual([Number.NaN, Number.NaN, expect.closeTo(0, 10)]);
});

it("Bollinger bands are two deviations of the population from the mean of 20", () => {
  const window = prices.slice(-20);
  const [middle, deviation] = [mean(window), spread(window, 0)];
  expect(computed("bollinger_middle", prices)[last]).toBeCloseTo(middle, 10);
  expect(computed("bollinger_upper", prices)[last]).toBeCloseTo(middle + 2 * deviation, 10);
  expect(computed("bollinger_lower", prices)[last]).toBeCloseTo(middle - 2 * deviation, 10);
  const place = (prices[last]! - (middle - 2 * deviation)) / (4 * deviation);
  expect(computed("bollinger_b", prices)[last]).toBeCloseTo(place, 10);
});

it("RSI is Wilder's, once his other beginning has worn off", () => {
  const changes = prices.slice(1).map((price, day) => price - prices[day]!);
  /** His average: the mean of the first 14, and then 13/14 of what it was. */
  const smoothed = (values: readonly number[]) =>
    values.slice(14).reduce((average, value) => (13 * average + value) / 14, mean(values.slice(0, 14)));
  const up = smoothed(changes.map((change) => Math.max(change, 0)));
  const down = smoothed(changes.map((change) => Math.max(-change, 0)));
  expect(computed("rsi", prices)[last]).toBeCloseTo(100 - 100 / (1 + up / down), 3);
  // Up one, then up 13 and down 1: by hand, 13/14 of 1 and 1/14 of each.
  const [, first, second, third] = computed("rsi", [10, 11, 24, 23]);
  expect([first, second]).toEqual([100, 100]);
  const gains = ((13 + 13) / 14) * (13 / 14);
  expect(third).toBeCloseTo((100 * gains) / (gains + 1 / 14), 10);
});
