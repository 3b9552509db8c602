import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCloseTime, parseTime } from "../../../builder/input/cells/time.ts";
import { isoTime } from "../../../data-schema/text.ts";

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
  ["2020-01-01 00:00:00 GMT", MIDNIGHT],
  ["2020-01-01 00:00:00.000 Z", MIDNIGHT],
  ["2020-01-01 02:00:00.000 +0200", MIDNIGHT],
  ["2020-01-01 00:00:00 +0000 UTC", MIDNIGHT],
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
  "01/02/2020 00:00:00",
  "2020-01-01 00:00:00 CET",
  "2020-01-01 00:00:00  Z",
  "1969-12-31T23:59:59Z",
  "yesterday",
])("%j is none", (text) => {
  expect(parseTime(text)).toBeUndefined();
});

test("every second reads back from its text", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999_999_999 }), (seconds) => {
      expect(parseTime(isoTime(seconds))).toBe(seconds);
    }),
  );
});

test.each([
  "2024-01-01T23:59:59.999Z",
  "2024-01-01 23:59:59.999999 UTC",
  "2024-01-02T00:59:59.999+01",
  "2024-01-01T23:59:59",
  "2024-01-02T00:00:00+00:00",
  "2024-01-02T00:00:00.000Z",
  "2024-01-02",
  "1704153599",
  "1704153600",
  "1704153599999",
  "1704153600000",
  "1704153599999999",
  "1704153599999999999",
  "1704153600000000000",
])("a candle that closes at %j ends at midnight", (text) => {
  expect(parseCloseTime(text)).toBe(Date.UTC(2024, 0, 2) / 1000);
});

test.each(["", "yesterday", "2024-01-01.5", "2024-02-30", "-1", "1.5", "9".repeat(11), "1".repeat(21)])(
  "%j is no end of a candle",
  (text) => expect(parseCloseTime(text)).toBeUndefined(),
);
