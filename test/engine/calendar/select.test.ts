import fc from "fast-check";
import { expect, it } from "vitest";
import { medianOf } from "../../../builder/engine/calendar/select.ts";

/** By sorting. */
function slowMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const inPieces = (values: readonly number[], size: number) =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    Float64Array.from(values.slice(i * size, (i + 1) * size)),
  );

it("is the median, whether the numbers fit into memory or not", () => {
  const number = fc.oneof(
    fc.double({ min: 0, max: Number.MAX_VALUE / 2, noNaN: true }).map((value) => value + 0),
    fc.nat(5),
    // Numbers that differ in their last digits alone.
    fc.nat(100_000).map((more) => 1 + more * Number.EPSILON),
  );
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (values, size) => {
      const expected = slowMedian(values);
      const pieces = () => inPieces(values, size);
      for (const most of [0, 1, 7]) expect(medianOf(pieces, values.length, most)).toBe(expected);
      // After no round, and after one, the rest is sorted.
      for (const rounds of [0, 1, 64]) expect(medianOf(pieces, values.length, 60, rounds)).toBe(expected);
    }),
    { numRuns: 100 },
  );
});

it("reads what fits into memory once, and leaves its pieces as they are", () => {
  let reads = 0;
  const piece = Float64Array.of(3, 1, 2);
  const median = medianOf(
    function* () {
      reads++;
      yield piece;
    },
    3,
    3,
  );
  expect([median, reads, [...piece]]).toEqual([2, 1, [3, 1, 2]]);
});
