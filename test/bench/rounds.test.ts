/** What the benchmark makes of what it measures. */

import { expect, test } from "vitest";
import { amount, bytes, duration, formatTable, times } from "../../bench/lib/markdown.ts";
import { figuresOfRounds, median, medianFigures } from "../../bench/lib/rounds.ts";

test("alternatives take turns, and the median of each figure counts", async () => {
  const order: string[] = [];
  const figures = { a: [5, 1, 3], b: [2, 9, 4] };
  const run = (name: "a" | "b") => () => {
    order.push(name);
    const x = figures[name].shift() ?? 0;
    return { x, negative: -x };
  };
  expect(await medianFigures(3, { a: run("a"), b: run("b") })).toEqual({
    a: { x: 3, negative: -3 },
    b: { x: 4, negative: -4 },
  });
  expect(order.join("")).toBe("ababab");
});

test("all figures of the rounds are there, in their order", async () => {
  const x = [5, 1, 3];
  expect(await figuresOfRounds(3, { a: () => ({ x: x.shift() ?? 0 }) })).toEqual({ a: [{ x: 5 }, { x: 1 }, { x: 3 }] });
});

test("the median of an even number is the mean of the middle two", () => {
  expect(median([10, 1, 2, 4])).toBe(3);
});

test("a table is aligned Markdown", () => {
  const table = {
    title: "Speed",
    columns: ["way", "×"],
    rows: [
      ["ours", times(2)],
      ["theirs, slower", times(0.5)],
    ],
  };
  expect(formatTable(table)).toBe(
    [
      "### Speed",
      "",
      "| way            |       × |",
      "| -------------- | ------: |",
      "| ours           |  2.00 × |",
      "| theirs, slower | 0.500 × |",
      "",
    ].join("\n"),
  );
});

test("figures have three digits that count", () => {
  expect([1_234_567, 12_345, 999, 12, 0.25, 0].map(amount)).toEqual(["1.23 M", "12.3 k", "999", "12.0", "0.250", "0"]);
  expect([75, 1.5, 0.0123, 2.5e-5, 9.5e-8].map(duration)).toEqual([
    "75.0 s",
    "1.50 s",
    "12.3 ms",
    "25.0 µs",
    "95.0 ns",
  ]);
  expect([1.5e6, 3e9].map(bytes)).toEqual(["1.50 MB", "3.00 GB"]);
});
