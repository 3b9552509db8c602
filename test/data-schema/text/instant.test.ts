import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseInstant } from "../../../data-schema/text/instant.ts";

describe("accepted", () => {
  it.each([
    ["0", 0],
    ["-1", -1],
    ["1577836800", 1_577_836_800],
    ["99999999999", 99_999_999_999],
    ["2020-01-01", 1_577_836_800],
    ["2020-02-29", 1_582_934_400],
    ["2020-01-01T00:00", 1_577_836_800],
    ["2020-01-01T23:59:59", 1_577_923_199],
    ["2020-01-01T00:00:00Z", 1_577_836_800],
    ["2020-01-01T00:00:00.250", 1_577_836_800.25],
    ["2020-01-01T02:00+02:00", 1_577_836_800],
    ["2019-12-31T18:30-05:30", 1_577_836_800],
    ["1969-12-31", -86_400],
    ["0001-01-01", -62_135_596_800],
  ])("%s", (text, seconds) => {
    expect(parseInstant(text)).toBe(seconds);
  });

  it("every time that a Date writes, read back the same", () => {
    const date = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(date, (time) => {
        expect(parseInstant(time.toISOString())).toBe(time.getTime() / 1000);
      }),
    );
  });
});

describe("refused", () => {
  it.each([
    ["1577836800000", "looks like milliseconds; in seconds it is 1577836800"],
    ["157783680000", "looks like milliseconds; in seconds it is 157783680"],
    ["15778368000000", "is neither Unix seconds nor an ISO 8601 time"],
    ["+1", "is neither Unix seconds nor an ISO 8601 time"],
    ["1e9", "is neither Unix seconds nor an ISO 8601 time"],
    ["1577836800.5", "is neither Unix seconds nor an ISO 8601 time"],
    ["0x10", "is neither Unix seconds nor an ISO 8601 time"],
    ["2020-01", "is neither Unix seconds nor an ISO 8601 time"],
    ["2020-1-1", "is neither Unix seconds nor an ISO 8601 time"],
    ["2020-01-01Z", "is neither Unix seconds nor an ISO 8601 time"],
    ["2020-01-01T00", "is neither Unix seconds nor an ISO 8601 time"],
    ["2020-01-01 00:00", "is neither Unix seconds nor an ISO 8601 time"],
    ["2020-01-01T00:00:00.5", "is neither Unix seconds nor an ISO 8601 time"],
    ["2020-01-01t00:00z", "is neither Unix seconds nor an ISO 8601 time"],
    ["2020-01-01T00:00+0200", "is neither Unix seconds nor an ISO 8601 time"],
    ["2023-02-30", "is no time of the calendar"],
    ["2023-02-29", "is no time of the calendar"],
    ["1900-02-29", "is no time of the calendar"],
    ["2020-13-01", "is no time of the calendar"],
    ["2020-00-10", "is no time of the calendar"],
    ["2020-01-00", "is no time of the calendar"],
    ["2020-01-01T24:00", "is no time of the calendar"],
    ["2020-01-01T23:60", "is no time of the calendar"],
    ["2020-01-01T23:59:60", "is no time of the calendar"],
    ["2020-01-01T00:00+24:00", "is no time of the calendar"],
    ["2020-01-01T00:00+01:60", "is no time of the calendar"],
  ])("%s", (text, message) => {
    expect(() => parseInstant(text)).toThrow(message);
  });
});
