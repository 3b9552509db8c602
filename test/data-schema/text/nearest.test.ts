import * as fc from "fast-check";
import { expect, it } from "vitest";
import { editDistance, nearest } from "../../../data-schema/text/nearest.ts";

it.each([
  ["kitten", "sitting", 3],
  ["sorp", "sopr", 1],
  ["", "abc", 3],
  ["same", "same", 0],
])("from %s to %s takes %i edits", (from, to, edits) => {
  expect(editDistance(from, to)).toBe(edits);
});

it("is a distance: symmetric, at most the length of the longer text, 0 only for equal texts", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (one, other) => {
      const distance = editDistance(one, other);
      expect(distance).toBe(editDistance(other, one));
      expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length));
      expect(distance === 0).toBe(one === other);
    }),
  );
});

it("suggests what is near, and nothing if nothing is", () => {
  const names = ["day", "hour", "block"];
  expect(nearest("days", names)).toBe("day");
  expect(nearest("BLOCK", names)).toBe("block");
  expect(nearest("week", names)).toBeUndefined();
  expect(nearest("x", ["a", "s"])).toBeUndefined();
  expect(nearest("day".repeat(100), names)).toBeUndefined();
});

it("suggests the first of those that take the fewest edits", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "B", "İ"), maxLength: 8 });
  fc.assert(
    fc.property(word, fc.array(word), (written, names) => {
      const edits = names.map((name) => editDistance(written.toLowerCase(), name.toLowerCase()));
      const least = Math.min(...edits);
      expect(nearest(written, names)).toBe(least <= written.length / 3 ? names[edits.indexOf(least)] : undefined);
    }),
  );
});
