import fc from "fast-check";
import { expect, it } from "vitest";
import { missingParts } from "../../../../builder/fetch/chain/logs/pages.ts";

it("missingParts are the blocks of the ranges that are in no page, in ranges as long as can be", () => {
  const gaps = fc.array(fc.tuple(fc.nat(4), fc.nat(6)), { maxLength: 8 });
  const rangesOf = (pairs: [number, number][]) => {
    let next = 0;
    return pairs.map(([gap, length]) => {
      const from = next + gap;
      next = from + length + 1;
      return { from, to: from + length };
    });
  };
  const blocks = (ranges: { from: number; to: number }[]) =>
    ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  fc.assert(
    fc.property(gaps, gaps, (first, second) => {
      const [ranges, pages] = [rangesOf(first), rangesOf(second)];
      const covered = new Set(blocks(pages));
      const missing = missingParts(ranges, pages);
      expect(blocks(missing)).toEqual(blocks(ranges).filter((block) => !covered.has(block)));
      for (const { from, to } of missing) {
        const range = ranges.find((one) => one.from <= from && to <= one.to)!;
        expect(from === range.from || covered.has(from - 1)).toBe(true);
        expect(to === range.to || covered.has(to + 1)).toBe(true);
      }
    }),
  );
});
