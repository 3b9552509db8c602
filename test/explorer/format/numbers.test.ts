import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compact, full, tickLabels } from "../../../explorer/src/format/numbers.ts";

describe("numbers", () => {
  it.each([
    [0, "usd", "$0"],
    [1_250_000, "usd", "$1.25M"],
    [-1500, "token", "−1.5k"],
    [999_999, "token", "1M"],
    [999.4, "count", "999"],
    [0.0042, "usd_per_token", "$0.0042"],
    [1e18, "token", "1.00e+18"],
    [100, "ratio", "100"],
    [Number.NaN, "ratio", "–"],
  ] as const)("%d %s is %s in short", (value, unit, text) => {
    expect(compact(value, unit)).toBe(text);
  });

  it.each([
    [1_234_567.891, "usd", "$1,234,568"],
    [12_345.678, "usd", "$12,345.68"],
    [1_096, "count", "1,096"],
    [0.617851362, "ratio", "0.617851"],
    [1.02, "ratio", "1.02000"],
    [12.5, "usd", "$12.5000"],
    [-3000, "token", "−3,000"],
    [1e-9, "ratio", "1.00000e-9"],
    [2.5e20, "token", "2.50000e+20"],
  ] as const)("%d %s is %s in full", (value, unit, text) => {
    expect(full(value, unit)).toBe(text);
  });

  it("differ from numbers 2 % larger, in short and in full", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e25, noNaN: true }), (value) => {
        expect(compact(value * 1.02, "ratio")).not.toBe(compact(value, "ratio"));
        expect(full(value * 1.02, "ratio")).not.toBe(full(value, "ratio"));
      }),
    );
  });
});

it("ticks of an axis have as many digits as they need", () => {
  expect(tickLabels([0.975, 1, 1.025, 1.05], "ratio")).toEqual(["0.975", "1", "1.025", "1.05"]);
  expect(tickLabels([0, 2_500_000, 5e6], "usd")).toEqual(["$0", "$2.5M", "$5M"]);
  expect(tickLabels([1, null, 10], "token")).toEqual(["1", "", "10"]);
  expect(tickLabels([0.1 + 0.2, 0.4], "ratio")).toEqual(["0.3", "0.4"]);
});
