import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hours, months } from "../../../explorer/src/studies/seasons.ts";

const DAY = 86_400;
const at = (time: string) => Date.parse(`${time}Z`) / 1000;

describe("months", () => {
  const t = ["2024-12-31", "2025-01-01", "2025-01-31", "2025-02-01", "2025-02-03"].map((day) => at(`${day}T00:00`));
  const v = [10, 12, 15, 6, 9];
  const end = at("2025-02-04T00:00");

  it("change from the last value of the month before to their own last", () => {
    expect(months({ t, v }, "change", "part", end)).toEqual([
      { year: 2025, month: 0, value: 0.5, isWhole: true },
      { year: 2025, month: 1, value: 9 / 15 - 1, isWhole: false },
    ]);
    expect(months({ t, v }, "change", "difference", end).map(({ value }) => value)).toEqual([5, -6]);
  });

  it("have the mean and the median of their values", () => {
    expect(months({ t, v }, "mean", "part", end)).toEqual([
      { year: 2024, month: 11, value: 10, isWhole: false },
      { year: 2025, month: 0, value: 13.5, isWhole: true },
      { year: 2025, month: 1, value: 7.5, isWhole: false },
    ]);
    expect(months({ t, v: [1, 2, 30, 4, 4] }, "median", "part", end)[1]!.value).toBe(16);
  });

  it("have no change after a month without values, or from 0", () => {
    const gap = [at("2025-01-31T00:00"), at("2025-03-31T00:00")];
    expect(months({ t: gap, v: [1, 2] }, "change", "part", gap[1]! + DAY)).toEqual([]);
    const next = [at("2025-01-31T00:00"), at("2025-02-28T00:00")];
    expect(months({ t: next, v: [0, 2] }, "change", "part", next[1]! + DAY)).toEqual([]);
    expect(months({ t: next, v: [1, 2] }, "change", "part", next[1]! + DAY)).toEqual([
      { year: 2025, month: 1, value: 1, isWhole: true },
    ]);
  });

  it("multiply up to the change of all of them", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 60, maxLength: 400 }), (values) => {
        const times = values.map((_, i) => at("2023-11-30T00:00") + i * DAY);
        const changes = months({ t: times, v: values }, "change", "part", 0);
        const product = changes.reduce((all, { value }) => all * (1 + value), 1);
        expect(product).toBeCloseTo(values.at(-1)! / values[0]!, 9);
      }),
    );
  });
});

describe("hours", () => {
  it("have a place in the week, from Monday", () => {
    const t = ["2025-03-03T00:00", "2025-03-03T01:00", "2025-03-09T23:00"].map(at);
    expect(hours({ t, v: [1, 2, 3] }, "mean", "part")).toEqual([
      { weekday: 0, hour: 0, value: 1 },
      { weekday: 0, hour: 1, value: 2 },
      { weekday: 6, hour: 23, value: 3 },
    ]);
  });

  it("change from the hour before, if that has a value above 0", () => {
    const t = ["2025-03-03T00:00", "2025-03-03T01:00", "2025-03-03T03:00", "2025-03-03T04:00"].map(at);
    expect(hours({ t, v: [4, 5, 0, 7] }, "change", "part")).toEqual([{ weekday: 0, hour: 1, value: 0.25 }]);
    expect(hours({ t, v: [4, 5, 0, 7] }, "change", "difference").map(({ value }) => value)).toEqual([1, 7]);
  });

  it("are those of the calendar", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600_000 }), (hour) => {
        const date = new Date(hour * 3_600_000);
        const [found] = hours({ t: [hour * 3600], v: [1] }, "median", "part");
        expect(found).toEqual({ weekday: (date.getUTCDay() + 6) % 7, hour: date.getUTCHours(), value: 1 });
      }),
    );
  });
});
