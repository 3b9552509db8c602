import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flow, placeTiles, wrapText } from "../../../explorer/src/picture/layout.ts";

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

describe("the tiles of a board", () => {
  it("are in rows as high as their highest, and wide ones alone", () => {
    const tile = (height: number, isWide = false) => ({ height, isWide });
    const tiles = [tile(20, true), tile(100), tile(60), tile(50), tile(10, true), tile(70)];
    expect(placeTiles(tiles, 2, 5)).toEqual({
      places: [
        { column: 0, top: 0 },
        { column: 0, top: 25 },
        { column: 1, top: 25 },
        { column: 0, top: 130 },
        { column: 0, top: 185 },
        { column: 0, top: 200 },
      ],
      height: 270,
    });
    expect(placeTiles([], 3, 5)).toEqual({ places: [], height: 0 });
  });

  it("never lie over each other", () => {
    const tile = fc.record({ height: fc.integer({ min: 1, max: 50 }), isWide: fc.boolean() });
    fc.assert(
      fc.property(fc.array(tile, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (tiles, columns) => {
        const { places, height } = placeTiles(tiles, columns, 3);
        const boxes = tiles.map((one, i) => {
          const { column, top } = places[i]!;
          return { from: column, to: one.isWide ? columns : column + 1, top, bottom: top + one.height };
        });
        for (const [i, a] of boxes.entries()) {
          expect(a.to).toBeLessThanOrEqual(columns);
          expect(a.bottom).toBeLessThanOrEqual(height);
          for (const b of boxes.slice(0, i)) {
            expect(a.from >= b.to || b.from >= a.to || a.top >= b.bottom || b.top >= a.bottom).toBe(true);
          }
        }
      }),
    );
  });
});
