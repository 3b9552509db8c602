import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketTime, isoTime, parseTime, shortTime, timeTicks } from "../../../explorer/src/format/time.ts";

const at = (text: string) => parseTime(text);

describe("times", () => {
  it("are parsed as the API parses them", () => {
    expect(at("2025-03-01")).toBe(Date.UTC(2025, 2, 1) / 1000);
    expect(at("2025-03-01T09:30")).toBe(Date.UTC(2025, 2, 1, 9, 30) / 1000);
    expect(at("2025-03-01T09:30:15")).toBe(Date.UTC(2025, 2, 1, 9, 30, 15) / 1000);
    expect(at("2025-03-01T09:30+01:00")).toBe(Date.UTC(2025, 2, 1, 8, 30) / 1000);
    for (const text of ["", "2025", "2025-3-1", "yesterday", "1740787200"]) expect(at(text)).toBeNaN();
  });

  it("are written in a form that reads back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        expect(at(shortTime(seconds))).toBe(seconds);
        expect(at(isoTime(seconds))).toBe(seconds);
      }),
    );
  });

  it("are shown at the precision of their bucket", () => {
    expect(bucketTime(at("2025-03-01"), "day")).toBe("1 Mar 2025");
    expect(bucketTime(at("2025-03-01T09:00"), "hour")).toBe("1 Mar 2025, 09:00 UTC");
    expect(bucketTime(at("2025-03-01T09:00:11"), "block")).toBe("1 Mar 2025, 09:00:11 UTC");
  });

  it("label an axis with what changed since the previous tick", () => {
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
