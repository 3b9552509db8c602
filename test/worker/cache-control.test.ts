import { expect, it } from "vitest";
import { CACHE_CONTROL, privately } from "../../worker/cache-control.ts";

it.each([
  ["public, max-age=60", "private, max-age=60"],
  ["public, max-age=0, must-revalidate", "private, max-age=0, must-revalidate"],
  ["max-age=60", "private, max-age=60"],
  [null, "private"],
  ["private, no-cache", null],
  ["no-store", null],
])("%s allows shared caches nothing as %s", (value, own) => {
  expect(privately(value)).toBe(own);
});

it("public documents that are never true for long are not kept", () => {
  expect([0, 1, 3600].map(CACHE_CONTROL.publicFor)).toEqual(["no-store", "public, max-age=1", "public, max-age=3600"]);
});
