import fc from "fast-check";
import { expect, it } from "vitest";
import { addUp, differences } from "../../../builder/lib/columns/differences.ts";

it("differences add up to the numbers, and leave them as they were", () => {
  expect(differences(Float64Array.of(3_600, 7_200, 14_400))).toEqual(Float64Array.of(3_600, 3_600, 7_200));
  fc.assert(
    // Whatever a column has: differences wrap around.
    fc.property(fc.uint32Array(), (column) => {
      const before = column.slice();
      expect(addUp(differences(column))).toEqual(before);
      expect(column).toEqual(before);
    }),
  );
});
