import { describe, expect, it } from "vitest";
import { monthStart, periodName, RESOLUTION_FACTS, weekStart } from "../../../data-schema/registry/resolutions.ts";

const seconds = (iso: string) => Date.parse(iso) / 1000;
const day = (time: number) => new Date(time * 1000).toISOString().slice(0, 10);

describe("weekStart", () => {
  it.each([
    ["a Monday begins its week", "2024-07-01T00:00:00Z", "2024-07-01"],
    ["a Sunday ends it", "2024-07-07T23:59:59Z", "2024-07-01"],
    ["a week that spans two months", "2024-08-01T12:00:00Z", "2024-07-29"],
    ["week 53 of 2020 ends in 2021", "2021-01-03T00:00:00Z", "2020-12-28"],
    ["week 1 of 2021", "2021-01-04T00:00:00Z", "2021-01-04"],
    ["week 1 of 2025 begins in 2024", "2025-01-01T00:00:00Z", "2024-12-30"],
    ["a leap day", "2024-02-29T00:00:00Z", "2024-02-26"],
    ["the beginning of Unix time, a Thursday", "1970-01-01T00:00:00Z", "1969-12-29"],
  ])("%s", (_, time, monday) => {
    expect(day(weekStart(seconds(time)))).toBe(monday);
  });

  it("counts weeks forwards and backwards", () => {
    expect(day(weekStart(seconds("2024-02-28T05:00:00Z"), 1))).toBe("2024-03-04");
    expect(day(weekStart(seconds("2024-03-04T00:00:00Z"), -1))).toBe("2024-02-26");
  });

  it("agrees with the day of the week for 40 years", () => {
    for (let time = seconds("1990-01-01T00:00:00Z"), i = 0; i < 40 * 366; i++, time += 86_400) {
      const start = weekStart(time);
      expect(new Date(start * 1000).getUTCDay()).toBe(1);
      expect(time - start).toBeLessThan(7 * 86_400);
      expect(time - start).toBeGreaterThanOrEqual(0);
    }
  });
});

it("a month is the calendar month, whatever its length", () => {
  expect(day(monthStart(seconds("2024-02-29T23:59:59Z")))).toBe("2024-02-01");
  expect(day(RESOLUTION_FACTS.month.start(seconds("2023-12-31T00:00:00Z"), 1))).toBe("2024-01-01");
  expect(day(RESOLUTION_FACTS.month.start(seconds("2024-01-01T00:00:00Z"), -1))).toBe("2023-12-01");
});

it("weeks and months have one period", () => {
  expect((["day", "week", "month"] as const).map((resolution) => periodName(resolution, 0))).toEqual([
    "all",
    "all",
    "all",
  ]);
  expect(periodName("hour", seconds("2024-07-29T00:00:00Z"))).toBe("2024");
  expect(periodName("block", seconds("2024-07-01T00:00:00Z"))).toBe("2024-07");
  expect(periodName("block", seconds("2024-07-29T00:00:00Z"))).toBe("2024-07-29");
});
