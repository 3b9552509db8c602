import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTime, timeText } from "../../../builder/input/cells/time.ts";

const MIDNIGHT = 1_577_836_800;

test.each([
  ["1577836800", MIDNIGHT],
  ["0", 0],
  ["99999999999", 99_999_999_999],
  ["2020-01-01", MIDNIGHT],
  ["2020-01-01T00:00:00Z", MIDNIGHT],
  ["2020-01-01T00:00:00", MIDNIGHT],
  ["2020-01-01 00:00:00", MIDNIGHT],
  ["2020-01-01T00:00", MIDNIGHT],
  ["2020-01-01 00:00:00 UTC", MIDNIGHT],
  ["2020-01-01 00:00:00.000000 UTC", MIDNIGHT],
  ["2020-01-01T02:00:00+02:00", MIDNIGHT],
  ["2020-01-01T05:30:00+05:30", MIDNIGHT],
  ["2019-12-31 19:00:00-0500", MIDNIGHT],
  ["2019-12-31 19:00:00-05", MIDNIGHT],
  ["2020-02-29T12:34:56Z", 1_582_979_696],
])("%s is a time", (text, seconds) => {
  expect(parseTime(text)).toBe(seconds);
});

test.each([
  "",
  " 1577836800",
  "1577836800000",
  "-1",
  "1.5",
  "1e9",
  "2020-02-30",
  "2020-13-01",
  "2020-01-01T24:00:00Z",
  "2020-01-01T00:00:60Z",
  "2020-01-01T00:00:00.5Z",
  "2020-01-01T00:00:00+02:60",
  "2020-1-1",
  "1969-12-31T23:59:59Z",
  "yesterday",
])("%j is none", (text) => {
  expect(parseTime(text)).toBeUndefined();
});

test("every second reads back from its text", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999_999_999 }), (seconds) => {
      expect(parseTime(timeText(seconds))).toBe(seconds);
    }),
  );
});
