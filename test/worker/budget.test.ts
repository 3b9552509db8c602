/** What requests hold, and how they wait for room. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Budget, Lease, PLACE_BYTES } from "../../worker/budget.ts";

const array = (bytes: number) => new Uint8Array(bytes);

it("counts a request with a place for that much, and for more once it holds more", async () => {
  const budget = new Budget();
  const lease = new Lease(budget, Date.now);
  expect(budget.bytes).toBe(0);
  await lease.enter();
  expect(budget.bytes).toBe(PLACE_BYTES);
  lease.keep([array(1000)]);
  expect(budget.bytes).toBe(PLACE_BYTES);
  lease.keep([array(PLACE_BYTES)]);
  expect(budget.bytes).toBe(PLACE_BYTES + 1000);
  lease.end();
  expect(budget.bytes).toBe(0);
});

it("frees the memory of its own arrays at once, and none of a cache's", () => {
  const lease = new Lease(new Budget(), Date.now);
  const [freed, ended, shared] = [array(10), array(10), array(10)];
  lease.keep([freed, ended]);
  lease.keep([shared], true);
  lease.free([freed.subarray(2, 5)]);
  expect([freed.length, ended.length, lease.counted]).toEqual([0, 10, 20]);
  lease.end();
  expect([ended.length, shared.length, lease.counted]).toEqual([0, 10, 0]);
});

it("makes a request wait for a place until another ends", async () => {
  const budget = new Budget(2 * PLACE_BYTES);
  const [one, two, three] = [0, 1, 2].map(() => new Lease(budget, Date.now)) as [Lease, Lease, Lease];
  await one.enter();
  await two.enter();
  let hasEntered = false;
  const entered = three.enter().then(() => {
    hasEntered = true;
  });
  await scheduler.wait(50);
  expect([hasEntered, budget.bytes]).toEqual([false, 2 * PLACE_BYTES]);
  one.end();
  await entered;
  expect(budget.bytes).toBe(2 * PLACE_BYTES);
});

it("refuses a request that has waited for too long", async () => {
  const budget = new Budget(PLACE_BYTES, 50);
  await new Lease(budget, Date.now).enter();
  await expect(new Lease(budget, Date.now).enter()).rejects.toMatchObject({ type: "overloaded", status: 503 });
  expect(budget.bytes).toBe(PLACE_BYTES);
});

it("takes back what a request holds that has done nothing for a minute, once another waits", async () => {
  let now = 0;
  const budget = new Budget(PLACE_BYTES, 50);
  const lost = new Lease(budget, () => now);
  await lost.enter();
  const kept = array(100);
  lost.keep([kept]);
  now = 60_001;
  expect(lost.counted).toBe(PLACE_BYTES);
  await new Lease(budget, () => now).enter();
  expect([kept.length, lost.counted, budget.bytes]).toEqual([0, 0, PLACE_BYTES]);
  expect(() => lost.use()).toThrow("Too many long answers");
});

it("lets a request read ahead while others hold little", () => {
  const budget = new Budget();
  const [one, two] = [new Lease(budget, Date.now), new Lease(budget, Date.now)];
  expect(one.reserve(3 << 20, false)).toBe(true);
  expect(one.reserve(3 << 20, false)).toBe(false);
  expect([one.isCrowded, two.isCrowded]).toEqual([false, false]);
  one.reserve(3 << 20, true);
  expect([one.isCrowded, two.isCrowded]).toEqual([false, true]);
  expect([two.reserve(1, false), two.reserve(1, true)]).toEqual([false, true]);
  one.release(3 << 20);
  expect([two.isCrowded, two.reserve(1, false)]).toEqual([false, true]);
});

it("counts what is reserved until it is released, even after the end", () => {
  const budget = new Budget();
  const lease = new Lease(budget, Date.now);
  lease.reserve(100, true);
  lease.keep([array(10)]);
  lease.end();
  expect(budget.bytes).toBe(100);
  lease.release(100);
  const late = array(100);
  expect(() => lease.keep([late])).toThrow("Too many long answers");
  expect([late.length, budget.bytes]).toEqual([0, 0]);
});

it("counts what is kept, whatever the order", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(4), fc.boolean())), (steps) => {
      const budget = new Budget();
      const lease = new Lease(budget, Date.now);
      const arrays = [1, 20, 300, 4000, 50_000].map(array);
      const kept = new Set<number>();
      for (const [index, isKept] of steps) {
        if (isKept) lease.keep([arrays[index]!], true);
        else lease.free([arrays[index]!]);
        if (isKept) kept.add(index);
        else kept.delete(index);
        expect(budget.bytes).toBe([...kept].reduce((sum, each) => sum + arrays[each]!.length, 0));
      }
      lease.end();
      expect(budget.bytes).toBe(0);
    }),
  );
});
