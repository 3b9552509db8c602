import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pixelColumns } from "../../../explorer/src/chart/drawing/pixel-columns.ts";

type Values = readonly (number | null | undefined)[];

/** Three rows in each column. */
const columnOf = (row: number) => Math.floor(row / 3);

function columns(
  values: Values,
  isFromZero: boolean,
  broken: readonly number[] = [],
): [column: number, least: number, most: number][] {
  const drawn: [number, number, number][] = [];
  const rows = { first: 0, last: values.length - 1 };
  const isBroken = (row: number) => broken.includes(row);
  pixelColumns(values, rows, columnOf, isBroken, isFromZero, (...column) => drawn.push(column));
  return drawn;
}

describe("columns of pixels", () => {
  it("reach from the least to the greatest value, and to the value before", () => {
    expect(columns([5, 9, 7, 2, 3, 4, 8, undefined, 8], false)).toEqual([
      [0, 5, 9],
      [1, 2, 7],
      [2, 4, 8],
    ]);
  });

  it("reach to no value before a break", () => {
    expect(columns([5, 9, 7, 2, 3, 4], false, [3])).toEqual([
      [0, 5, 9],
      [1, 2, 4],
    ]);
  });

  it("reach to zero for areas and bars", () => {
    expect(columns([5, 9, 7, -2, -3, 4], true)).toEqual([
      [0, 0, 9],
      [1, -3, 4],
    ]);
  });

  it("end at gaps, and pass over rows without a point", () => {
    expect(columns([5, null, 7, undefined, undefined, undefined, 8, null, null], false)).toEqual([
      [0, 5, 5],
      [0, 7, 7],
      [2, 7, 8],
    ]);
    expect(columns([null, undefined], true)).toEqual([]);
  });

  it("lose no value and add none", () => {
    const value = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -900, max: 900 }) },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constant(undefined) },
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), fc.boolean(), (values, isFromZero) => {
        const drawn = columns(values, isFromZero);
        for (const [row, one] of values.entries()) {
          if (typeof one !== "number") continue;
          const own = drawn.filter(([column]) => column === columnOf(row));
          expect(own.some(([, least, most]) => least <= one && one <= most)).toBe(true);
        }
        const numbers = values.filter((one) => typeof one === "number");
        for (const [, least, most] of drawn) {
          const known = isFromZero ? [...numbers, 0] : numbers;
          expect(known).toContain(least);
          expect(known).toContain(most);
        }
      }),
    );
  });
});
