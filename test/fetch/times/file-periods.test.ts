import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { days, firstPeriods, periodOf, startOfDay } from "../../../builder/fetch/times/file-periods.ts";
import { DAY_SECONDS, isoDay, isoTime } from "../../../data-schema/text.ts";

const seconds = (text: string) => Date.parse(text) / 1000;
const names = (first: string, asOf: string) => firstPeriods(seconds(first), seconds(asOf)).map(({ name }) => name);

describe("firstPeriods", () => {
  it("are whole months, then the days of the last, incomplete one", () => {
    expect(names("2019-11-17T09:30:00Z", "2020-02-03T00:00:00Z")).toEqual([
      "2019-11",
      "2019-12",
      "2020-01",
      "2020-02-01",
      "2020-02-02",
    ]);
  });

  it("are months alone if the last one is complete", () => {
    expect(names("2020-01-31T23:59:59Z", "2020-03-01T00:00:00Z")).toEqual(["2020-01", "2020-02"]);
  });

  it("begin with the first block's day in its month", () => {
    expect(names("2020-02-27T12:00:00Z", "2020-02-29T00:00:00Z")).toEqual(["2020-02-27", "2020-02-28"]);
  });
});

it("days are each of the days between two midnights", () => {
  expect(days(seconds("2020-02-28"), seconds("2020-03-02")).map(({ name }) => name)).toEqual([
    "2020-02-28",
    "2020-02-29",
    "2020-03-01",
  ]);
  expect(days(seconds("2020-02-28"), seconds("2020-02-28"))).toEqual([]);
});

it("periods cover every second from the first to the as-of time once, and are found again by their file's name", () => {
  const first = fc.integer({ min: seconds("2015-07-30"), max: seconds("2040-01-01") });
  fc.assert(
    fc.property(first, fc.integer({ min: 1, max: 800 }), (first, count) => {
      const asOf = startOfDay(first) + count * DAY_SECONDS;
      const periods = firstPeriods(first, asOf);
      expect(periods[0]!.start).toBeLessThanOrEqual(first);
      expect(periods[0]!.end).toBeGreaterThan(first);
      expect(periods.at(-1)!.end).toBe(asOf);
      for (const [index, period] of periods.entries()) {
        if (index > 0) expect(period.start).toBe(periods[index - 1]!.end);
        expect(periodOf(`transfers/${period.name}.parquet`)).toEqual(period);
      }
      expect(periods.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(periods);
    }),
  );
});

it("times have their ISO 8601 text", () => {
  expect([isoDay(1_600_000_000), isoTime(1_600_000_000)]).toEqual(["2020-09-13", "2020-09-13T12:26:40Z"]);
});
