import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compact, full, moment, selectorName, sentence, tickLabels, timeTicks } from "../../explorer/src/format.ts";
import { isoTime, parseTime, shortTime } from "../../explorer/src/time.ts";
import { catalog } from "./catalog.ts";

const [aria, duet] = catalog.assets;
const at = (text: string) => parseTime(text);

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

  it("are told apart from a hundredth more, in short and in full", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e25, noNaN: true }), (value) => {
        expect(compact(value * 1.02, "ratio")).not.toBe(compact(value, "ratio"));
        expect(full(value * 1.02, "ratio")).not.toBe(full(value, "ratio"));
      }),
    );
  });
});

it("ticks of an axis have the digits they need", () => {
  expect(tickLabels([0.975, 1, 1.025, 1.05], "ratio")).toEqual(["0.975", "1", "1.025", "1.05"]);
  expect(tickLabels([0, 2_500_000, 5e6], "usd")).toEqual(["$0", "$2.5M", "$5M"]);
  expect(tickLabels([1, null, 10], "token")).toEqual(["1", "", "10"]);
  expect(tickLabels([0.1 + 0.2, 0.4], "ratio")).toEqual(["0.3", "0.4"]);
});

describe("times", () => {
  it("are read as the API reads them", () => {
    expect(at("2025-03-01")).toBe(Date.UTC(2025, 2, 1) / 1000);
    expect(at("2025-03-01T09:30")).toBe(Date.UTC(2025, 2, 1, 9, 30) / 1000);
    expect(at("2025-03-01T09:30:15")).toBe(Date.UTC(2025, 2, 1, 9, 30, 15) / 1000);
    expect(at("2025-03-01T09:30+01:00")).toBe(Date.UTC(2025, 2, 1, 8, 30) / 1000);
    for (const text of ["", "2025", "2025-3-1", "yesterday", "1740787200"]) expect(at(text)).toBeNaN();
  });

  it("are written so that they read back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        expect(at(shortTime(seconds))).toBe(seconds);
        expect(at(isoTime(seconds))).toBe(seconds);
      }),
    );
  });

  it("are told to the bucket", () => {
    expect(moment(at("2025-03-01"), "day")).toBe("1 Mar 2025");
    expect(moment(at("2025-03-01T09:00"), "hour")).toBe("1 Mar 2025, 09:00 UTC");
    expect(moment(at("2025-03-01T09:00:11"), "block")).toBe("1 Mar 2025, 09:00:11 UTC");
  });

  it("label an axis with what changes", () => {
    const ticks = (step: number, ...texts: string[]) => timeTicks(texts.map(at), step);
    expect(ticks(30 * 86_400, "2024-11-01", "2024-12-01", "2025-01-01", "2025-02-01")).toEqual([
      "Nov 2024",
      "Dec",
      "2025",
      "Feb",
    ]);
    expect(ticks(86_400, "2025-02-28", "2025-03-01")).toEqual(["28 Feb 2025", "1 Mar"]);
    expect(ticks(3600, "2025-02-28T23:00", "2025-03-01", "2025-03-01T01:00")).toEqual([
      "28 Feb 23:00",
      "1 Mar",
      "01:00",
    ]);
    expect(ticks(1, "2025-03-01T01:00:01", "2025-03-01T01:00:02")).toEqual(["1 Mar 01:00:01", "01:00:02"]);
  });
});

it("balance cohorts are named by their edges", () => {
  expect(["0", "1", "5", "7"].map((i) => selectorName(`balance_cohort_${i}`, aria))).toEqual([
    "< 0.6 ARIA",
    "0.6 – 6 ARIA",
    "6k – 60k ARIA",
    "≥ 600k ARIA",
  ]);
  expect(selectorName("balance_cohort_3", duet)).toBe("Balance 3");
  expect(selectorName("$10M+", aria)).toBe("$10M+");
});

it("titles make a sentence", () => {
  expect(sentence(["SOPR"])).toBe("SOPR");
  expect(sentence(["Volume", "SOPR"])).toBe("Volume and SOPR");
  expect(sentence(["Market cap", "Realised cap", "On-chain volume"])).toBe(
    "Market cap, realised cap and on-chain volume",
  );
});
