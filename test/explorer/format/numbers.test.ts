import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnFormat, compact, exact, full, short, tickLabels } from "../../../explorer/src/format/numbers.ts";

describe("numbers", () => {
  it.each([
    [0, "usd", "$0"],
    [1_240_600_000, "usd", "$1.24B"],
    [905_858_666, "usd", "$906M"],
    [12_345.678, "token", "12.3k"],
    [9_999.9, "usd", "$10.0k"],
    [9_812, "count", "9,812"],
    [9_812.4, "usd", "$9,812"],
    [12.5, "usd", "$12.50"],
    [0.617851362, "ratio", "0.6179"],
    [1.02, "ratio", "1.020"],
    [-3000, "token", "−3,000"],
    [0.124, "share", "12.4\u202f%"],
    [1e-9, "ratio", "0.0₈100"],
    [3.56e-9, "usd_per_token", "$0.0₈356"],
    [-1.2345e-13, "usd_per_token", "−$0.0₁₂123"],
    [9.999e-7, "ratio", "0.0₅100"],
    [1e18, "token", "1.00e+18"],
    [Number.NaN, "ratio", "–"],
  ] as const)("%d %s is %s to read", (value, unit, text) => {
    expect(short(value, unit)).toBe(text);
  });

  it.each([
    [0, "usd", "$0"],
    [1_250_000, "usd", "$1.25M"],
    [-1500, "token", "−1.5k"],
    [999_999, "token", "1M"],
    [999.4, "count", "999"],
    [0.0042, "usd_per_token", "$0.0042"],
    [0.5, "share", "50\u202f%"],
    [1e18, "token", "1.00e+18"],
    [100, "ratio", "100"],
    [Number.NaN, "ratio", "–"],
  ] as const)("%d %s is %s on an axis", (value, unit, text) => {
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
    [0.124, "share", "12.4000\u202f%"],
    [1e-9, "ratio", "0.0₈100000"],
    [2.5e20, "token", "2.50000e+20"],
  ] as const)("%d %s is %s in full", (value, unit, text) => {
    expect(full(value, unit)).toBe(text);
  });

  it("differ from numbers 2 % larger, however they are written", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e25, noNaN: true }), (value) => {
        for (const write of [short, compact, full])
          expect(write(value * 1.02, "ratio")).not.toBe(write(value, "ratio"));
      }),
    );
  });
});

describe("an exact number", () => {
  it.each([
    [3.56e-9, "usd_per_token", "$0.00000000356"],
    [1.5e-7, "ratio", "0.00000015"],
    [-1_234.5678, "usd", "−$1,234.5678"],
    [0.4312345, "share", "43.12345\u202f%"],
    [0, "token", "0"],
  ] as const)("%d %s is %s", (value, unit, text) => {
    expect(exact(value, unit)).toBe(text);
  });

  it("reads back as the same double", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-15, max: 1e20, noNaN: true }), (value) => {
        expect(Number(exact(value, "ratio").replaceAll(",", ""))).toBe(value);
      }),
    );
  });
});

describe("a column", () => {
  const column = (...values: number[]) => values.map(columnFormat(values, "usd"));

  it("has one format", () => {
    expect(column(1_234.5, 0.5, 12)).toEqual(["$1,234.500", "$0.500", "$12.000"]);
    expect(column(905_858_666.1, 12.3)).toEqual(["$905,858,666.1", "$12.3"]);
    expect(column(3, 12_000, 0)).toEqual(["$3", "$12,000", "$0"]);
    expect(column(2e-9, 0)).toEqual(["$0.0₈200000", "$0"]);
    expect(column(Number.NaN, 1.5)).toEqual(["–", "$1.50000"]);
    expect(column(Number.NaN, 0)).toEqual(["–", "$0"]);
  });

  it("has the same number of decimals throughout, and shows no value as zero that isn't", () => {
    const values = fc.array(fc.double({ min: 1e-3, max: 1e9, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (values) => {
        const texts = column(...values);
        expect(new Set(texts.map((text) => text.split(".")[1]?.length)).size).toBe(1);
        for (const text of texts) expect(text).toMatch(/[1-9]/);
      }),
    );
  });
});

it("ticks of an axis have as many digits as they need", () => {
  expect(tickLabels([0.975, 1, 1.025, 1.05], "ratio")).toEqual(["0.975", "1", "1.025", "1.05"]);
  expect(tickLabels([0, 2_500_000, 5e6], "usd")).toEqual(["$0", "$2.5M", "$5M"]);
  expect(tickLabels([1, null, 10], "token")).toEqual(["1", "", "10"]);
  expect(tickLabels([0.1 + 0.2, 0.4], "ratio")).toEqual(["0.3", "0.4"]);
  expect(tickLabels([0, 0.125, 0.25], "share")).toEqual(["0\u202f%", "12.5\u202f%", "25\u202f%"]);
});
