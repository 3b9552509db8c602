import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flow, wrapText } from "../../../explorer/src/picture/layout.ts";

/** Every character is ten pixels wide. */
const measure = (text: string) => 10 * text.length;

describe("text in a picture", () => {
  it("is broken between words, and in a word that is too long", () => {
    expect(wrapText("the price holds until then", 120, measure)).toEqual(["the price", "holds until", "then"]);
    expect(wrapText("see https://soprano.example/?a=ARIA", 100, measure)).toEqual([
      "see",
      "https://so",
      "prano.exam",
      "ple/?a=ARI",
      "A",
    ]);
    expect(wrapText("", 100, measure)).toEqual([]);
  });

  it("fits, and keeps every character", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), fc.integer({ min: 10, max: 300 }), (words, width) => {
        const text = words.map((word) => word.replaceAll(" ", "_")).join(" ");
        const lines = wrapText(text, width, measure);
        for (const line of lines) expect(measure(line)).toBeLessThanOrEqual(width);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });
});

it("a legend goes on in the next row where an entry doesn't fit", () => {
  expect(flow([100, 50, 90, 300, 20], 10, 200)).toEqual([
    { row: 0, x: 0 },
    { row: 0, x: 110 },
    { row: 1, x: 0 },
    { row: 2, x: 0 },
    { row: 3, x: 0 },
  ]);
});
