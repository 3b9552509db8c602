import fc from "fast-check";
import { expect, it } from "vitest";
import { splitBytes, unsplitBytes } from "../../../data-schema/parquet/split-bytes.ts";

it.each([
  ["words", 4, [1, 2, 3, 4, 11, 12, 13, 14], [1, 11, 2, 12, 3, 13, 4, 14]],
  ["three bytes", 3, [1, 2, 3, 11, 12, 13], [1, 11, 2, 12, 3, 13]],
] as const)("values of %s are split by hand", (_, width, values, split) => {
  expect([...splitBytes(Uint8Array.from(values), width)]).toEqual(split);
  expect([...unsplitBytes(Uint8Array.from(split), width)]).toEqual(values);
});

it("the byte at a place of a value is that row of the place's stream, wherever in memory the values begin", () => {
  const values = fc
    .tuple(fc.integer({ min: 1, max: 24 }), fc.nat(9), fc.nat(5))
    .chain(([width, rows, offset]) =>
      fc.tuple(fc.constant(width), fc.uint8Array({ minLength: width * rows, maxLength: width * rows }), fc.nat(offset)),
    );
  fc.assert(
    fc.property(values, ([width, bytes, offset]) => {
      const moved = new Uint8Array(offset + bytes.length).subarray(offset);
      moved.set(bytes);
      const rows = bytes.length / width;
      const expected = Array.from(bytes, (_, at) => bytes[width * (at % rows) + Math.floor(at / rows)]);
      const split = splitBytes(moved, width);
      expect([...split]).toEqual(expected);
      const movedSplit = new Uint8Array(offset + split.length).subarray(offset);
      movedSplit.set(split);
      expect([...unsplitBytes(movedSplit, width)]).toEqual([...bytes]);
    }),
  );
});
