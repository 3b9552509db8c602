import fc from "fast-check";
import { expect, test } from "vitest";
import { orderBy } from "../../../builder/lib/columns/order.ts";

const key = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.maxSafeNat(),
  fc.constantFrom(65_535, 65_536, 2 ** 32, 2 ** 53 - 1),
);

test("rows are ordered by the first key, then the second, and equal ones keep their order", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat(0xffff_ffff))), (rows) => {
      const columns = [Float64Array.from(rows, ([a]) => a), Uint32Array.from(rows, ([, b]) => b)];
      const expected = rows.map((_, row) => row).sort((a, b) => rows[a]![0] - rows[b]![0] || rows[a]![1] - rows[b]![1]);
      expect([...orderBy(rows.length, columns)]).toEqual(expected);
    }),
  );
});
