import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoTimeWithoutZone } from "../../../data-schema/text.ts";
import {
  bucketLength,
  bucketSpan,
  bucketTime,
  parseTime,
  shortTime,
  timeTicks,
  UTC,
} from "../../../explorer/src/format/time.ts";

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
        expect(at(isoTimeWithoutZone(seconds))).toBe(seconds);
      }),
    );
  });

  it("are shown at the precision of their bucket", () => {
    expect(bucketTime(at("2025-03-01"), "day", UTC)).toBe("1 Mar 2025");
    expect(bucketTime(at("2025-03-01T09:00"), "hour", UTC)).toBe("1 Mar 2025, 09:00 UTC");
    expect(bucketTime(at("2025-03-01T09:00:11"), "block", UTC)).toBe("1 Mar 2025, 09:00:11 UTC");
  });

  it.each([
    ["month", "2024-02-01", "Feb 2024", "1–29 Feb 2024 UTC", 29],
    ["week", "2025-03-03", "3–9 Mar 2025", "3–9 Mar 2025 UTC", 7],
    ["week", "2025-03-31", "31 Mar – 6 Apr 2025", "31 Mar – 6 Apr 2025 UTC", 7],
    ["week", "2024-12-30", "30 Dec 2024 – 5 Jan 2025", "30 Dec 2024 – 5 Jan 2025 UTC", 7],
    ["day", "2025-03-01", "1 Mar 2025", "1 Mar 2025 UTC", 1],
    ["hour", "2025-03-01T23:00", "2 Mar 2025, 00:00 UTC+1", "2 Mar 2025, 00:00–01:00 UTC+1", 1 / 24],
    ["block", "2025-03-01T09:00:11", "1 Mar 2025, 10:00:11 UTC+1", "1 Mar 2025, 10:00:11 UTC+1", 0],
  ] as const)("tell what a %s covers: %s", (resolution, start, short, whole, days) => {
    expect(bucketTime(at(start), resolution, "Europe/Berlin")).toBe(short);
    expect(bucketSpan(at(start), resolution, "Europe/Berlin")).toBe(whole);
    expect(bucketLength(at(start), resolution)).toBeCloseTo(days * 86_400, 6);
  });

  it.each([
    ["Asia/Tokyo", "2 Mar 2025, 05:00 UTC+9"],
    ["Asia/Kathmandu", "2 Mar 2025, 01:45 UTC+5:45"],
    ["America/St_Johns", "1 Mar 2025, 16:30 UTC−3:30"],
    ["Europe/London", "1 Mar 2025, 20:00 UTC"],
  ])("are shown in a reader's zone: %s", (zone, text) => {
    expect(bucketTime(at("2025-03-01T20:00"), "hour", zone)).toBe(text);
    expect(bucketTime(at("2025-03-01"), "day", zone)).toBe("1 Mar 2025");
  });

  it("follow a zone's summer time", () => {
    const berlin = (text: string) => bucketTime(at(text), "hour", "Europe/Berlin");
    expect([berlin("2025-03-30T00:00"), berlin("2025-03-30T01:00")]).toEqual([
      "30 Mar 2025, 01:00 UTC+1",
      "30 Mar 2025, 03:00 UTC+2",
    ]);
  });

  it("label an axis with what changed since the previous tick", () => {
    const ticks = (zone: string, step: number, ...texts: string[]) => timeTicks(texts.map(at), step, zone);
    expect(ticks(UTC, 30 * 86_400, "2024-11-01", "2024-12-01", "2025-01-01", "2025-02-01")).toEqual([
      "Nov 2024",
      "Dec",
      "2025",
      "Feb",
    ]);
    expect(ticks(UTC, 86_400, "2025-02-28", "2025-03-01")).toEqual(["28 Feb 2025", "1 Mar"]);
    const hours = ["2025-02-28T23:00", "2025-03-01", "2025-03-01T01:00"];
    expect(ticks(UTC, 3600, ...hours)).toEqual(["28 Feb 23:00", "1 Mar", "01:00"]);
    expect(ticks("Europe/Paris", 3600, ...hours)).toEqual(["1 Mar 2025", "01:00", "02:00"]);
    expect(ticks(UTC, 1, "2025-03-01T01:00:01", "2025-03-01T01:00:02")).toEqual(["1 Mar 01:00:01", "01:00:02"]);
  });
});

it("reads no time that the calendar does not have, nor Unix seconds", () => {
  const texts = ["2025-02-30", "2025-13-01", "2025-03-01T24:00", "2025-03-01T09:60", "1700000000", "", "yesterday"];
  expect(texts.map(parseTime)).toEqual(texts.map(() => Number.NaN));
  expect(parseTime("2024-02-29T09:30:15.250+02:00")).toBe(Date.UTC(2024, 1, 29, 7, 30, 15, 250) / 1000);
});
