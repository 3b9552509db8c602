import { expect, test } from "vitest";
import { leaps } from "../../../builder/input/prices/price-leaps.ts";

const days = (count: number, usd: number) => new Array<number>(count).fill(usd);

test.each<[string, number[], [index: number, count: number][]]>([
  ["a single price", [1, 1000, 1, 1], [[1, 1]]],
  ["a factor that doubles can't hold", [1.23, 1230, 1.23], [[1, 1]]],
  ["some prices, downwards", [4, 0.004, 0.003, 0.001, 5], [[1, 3]]],
  [
    "two places",
    [1, 2000, 2, 2, 0.001, 1],
    [
      [1, 1],
      [4, 1],
    ],
  ],
  ["as many as hours of a day, or days of a month", [1, ...days(31, 1000), 1], [[1, 31]]],
  ["no longer stretch", [1, ...days(32, 1000), 1], []],
  ["no crash that stays", [1, 0.001, 0.001, 0.0005], []],
  ["no smaller factor", [1, 999, 1], []],
  ["no peak that is climbed, or left, step by step", [1, 2000, 50, 1], []],
  ["no first price", [1000, 1, 1], []],
  ["no last price", [1, 1, 1000], []],
  ["no price of 0, which is none", [1, 0, 1, 0, 0], []],
  ["a price between such", [1, 0, 1000, 0, 1], [[2, 1]]],
  ["nothing", [], []],
])("finds %s", (_, usd, found) => {
  expect([...leaps(Float64Array.from(usd))].map(({ index, count }) => [index, count])).toEqual(found);
});
