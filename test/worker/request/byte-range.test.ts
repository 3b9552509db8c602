/** Range, If-Range and If-Match: RFC 9110 §13 and RFC 9110 §14, with its own examples. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteRange, excludes, partOf } from "../../../worker/request/byte-range.ts";

const TAG = '"0123"';
const SIZE = 10_000;

/** First and last byte of the part; null for none, undefined for the whole file. */
function asked(range: string, size = SIZE): [number, number] | null | undefined {
  const parsed = byteRange(new Headers({ Range: range }), TAG);
  if (parsed === null) return undefined;
  const part = partOf(parsed, size);
  return part && [part.offset, part.offset + part.length - 1];
}

describe("Range", () => {
  it.each([
    ["bytes=0-499", [0, 499]],
    ["bytes=500-999", [500, 999]],
    ["bytes=-500", [9_500, 9_999]],
    ["bytes=9500-", [9_500, 9_999]],
    ["bytes=0-0", [0, 0]],
    ["bytes=9999-9999", [9_999, 9_999]],
    ["Bytes= 1 - 2 ", [1, 2]],
    ["bytes= 9999 -", [9_999, 9_999]],
    ["bytes= - 1", [9_999, 9_999]],
    // Beyond the end.
    ["bytes=9999-20000", [9_999, 9_999]],
    ["bytes=-20000", [0, 9_999]],
    [`bytes=0-${"9".repeat(30)}`, [0, 9_999]],
    [`bytes=-${"9".repeat(30)}`, [0, 9_999]],
    ["bytes=10000-", null],
    ["bytes=10000-10001", null],
    [`bytes=${"9".repeat(30)}-`, null],
    ["bytes=-0", null],
    // Ignored.
    ["bytes=0-0,-1", undefined],
    ["bytes=2-1", undefined],
    ["bytes=-", undefined],
    ["bytes=", undefined],
    ["bytes=a-b", undefined],
    ["bytes=1.5-2", undefined],
    ["bytes=--1", undefined],
    ["lines=0-1", undefined],
    ["0-1", undefined],
    [`bytes=${" ".repeat(200)}0-1`, undefined],
  ])("%s", (range, bytes) => {
    expect(asked(range)).toEqual(bytes);
  });

  it("never covers a byte that is not asked for, or that the file lacks", () => {
    const count = fc.nat(30);
    fc.assert(
      fc.property(fc.option(count), fc.option(count), count, (first, last, size) => {
        const wanted = Array.from({ length: size }, (_, place) => place).filter((place) => {
          if (first === null) return place >= size - last!;
          return place >= first && (last === null || place <= last);
        });
        const bytes = asked(`bytes=${first ?? ""}-${last ?? ""}`, size);
        if (first === null ? last === null : last !== null && last < first) expect(bytes).toBeUndefined();
        else expect(bytes).toEqual(wanted.length === 0 ? null : [wanted[0], wanted.at(-1)]);
      }),
    );
  });

  it("counts only for the file that If-Range names", () => {
    const of = (ifRange: string) => byteRange(new Headers({ Range: "bytes=0-1", "If-Range": ifRange }), TAG);
    expect(of(TAG)).not.toBeNull();
    // A weak tag never matches, and neither does a date, since a file has none.
    for (const other of ['"4567"', `W/${TAG}`, "0123", "*", "Sat, 29 Oct 1994 19:43:31 GMT", ""]) {
      expect(of(other), other).toBeNull();
    }
  });
});

it.each([
  [null, false],
  ["*", false],
  [TAG, false],
  [`"4567", ${TAG}`, false],
  ['"4567"', true],
  [`W/${TAG}`, true],
  ["0123", true],
  ["", true],
])("If-Match: %s excludes a file: %s", (ifMatch, isExcluded) => {
  expect(excludes(ifMatch, TAG)).toBe(isExcluded);
});
