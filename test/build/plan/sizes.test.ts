import fc from "fast-check";
import { expect, it } from "vitest";
import { taskSizes, threadsThatFit } from "../../../builder/build/plan/sizes.ts";

const [MB, GB] = [2 ** 20, 2 ** 30];

it("as many threads run as have room", () => {
  expect(threadsThatFit(512 * MB, 64)).toBe(2);
  expect(threadsThatFit(4 * GB, 64)).toBe(26);
  expect(threadsThatFit(16 * GB, 8)).toBe(8);
});

it("what the tasks of these threads use fits the memory", () => {
  fc.assert(
    fc.property(fc.integer({ min: 512, max: 2 ** 18 }), fc.integer({ min: 1, max: 64 }), (megabytes, most) => {
      const memory = megabytes * MB;
      const threads = threadsThatFit(memory, most);
      expect(threads * taskSizes(memory, threads).bytes).toBeLessThan(memory);
    }),
  );
});

it("large tasks are done one at a time", () => {
  const { writesAtOnce } = taskSizes(4 * GB, 4);
  expect([0, 500 * MB, 1 * GB, 3 * GB].map(writesAtOnce)).toEqual([4, 4, 3, 1]);
});
