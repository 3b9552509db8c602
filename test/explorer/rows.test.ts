import { expect, it } from "vitest";
import { sparkline } from "../../explorer/src/data/sparkline.ts";
import { type AssetRow, matches, sorted, standingText } from "../../explorer/src/screener/screener-rows.ts";

const row = (asset: string, mvrv: number | null): AssetRow => ({
  asset,
  name: `${asset} token`,
  t: null,
  closes: [],
  mvrv: { v: mvrv },
});

it("sorts what is missing last, in either order", () => {
  const rows = [row("B", null), row("A", 1), row("D", 3), row("C", 0), row("E", 1)];
  const order = (column: string, isDescending: boolean) =>
    sorted(rows, { column, isDescending })
      .map(({ asset }) => asset)
      .join("");
  expect(order("mvrv", true)).toBe("DAECB");
  expect(order("mvrv", false)).toBe("CAEDB");
  expect(order("asset", false)).toBe("ABCDE");
  expect(order("asset", true)).toBe("EDCBA");
});

it.each([
  ["", true],
  ["hum", true],
  ["TOK hu", true],
  ["hum aria", false],
])("searches symbol and name for %j", (text, expected) => {
  expect(matches(row("HUM", 1), text)).toBe(expected);
});

it.each([
  [[1, 3, 2], "M0.0 20.0L5.0 0.0L10.0 10.0"],
  [[2, 2], "M0.0 10.0L10.0 10.0"],
  [[null, 1, null, 2, 1], "M2.5 20.0M7.5 0.0L10.0 20.0"],
  [[null, 1], ""],
  [[], ""],
])("draws %j", (closes, expected) => {
  expect(sparkline(closes, 10, 20)).toBe(expected);
});

it("where a value stands is never told as 0 %, nor what was always 0 as a large value", () => {
  const text = (value: number, percentile: number) => standingText(value, percentile).replaceAll("\u202f", " ");
  expect(text(0, 1)).toBe("Never above 0 in the last year");
  expect(text(5, 1)).toBe("At least as high as on all of the last year’s days");
  expect(text(5, 0.876)).toBe("At least as high as on 87 % of the last year’s days");
  expect(text(5, 0.004)).toBe("Lower than on nearly all of the last year’s days");
  expect(text(-5, 0)).toBe("Lower than on all of the last year’s days");
});
