import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Slice } from "../../../data-schema/parquet/series-object.ts";
import { Budget, Lease } from "../../../worker/budget.ts";
import { fillZeros } from "../../../worker/read/read-series.ts";

const STEP = 3_600;

/** Slices of the points at some buckets, each with its bucket's number as value, and kept by a lease. */
async function* slicesOf(buckets: readonly number[][], lease: Lease): AsyncGenerator<Slice> {
  for (const part of buckets) {
    const [t, v] = [Float64Array.from(part, (bucket) => bucket * STEP), Float64Array.from(part)];
    lease.keep([t, v]);
    yield { t, v };
  }
}

async function fill(buckets: readonly number[][], first: number, last: number) {
  const budget = new Budget();
  const lease = new Lease(budget, Date.now);
  const points: [t: number, v: number][] = [];
  let most = 0;
  for await (const { t, v } of fillZeros(slicesOf(buckets, lease), first * STEP, last * STEP, STEP, lease)) {
    for (let i = 0; i < t.length; i++) points.push([t[i]! / STEP, v[i]!]);
    most = Math.max(most, t.length);
    lease.free([t, v]);
  }
  return { points, most, held: budget.bytes };
}

it("puts a zero into every bucket that has no point, a part at a time, and holds nothing in the end", async () => {
  const gap = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 9_000 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(gap, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
      gap,
      async (gaps, rest) => {
        let bucket = 0;
        const buckets = gaps.map((part) => part.map((width) => (bucket += width)));
        const { points, most, held } = await fill(buckets, 1, bucket + rest);
        const set = new Set(buckets.flat());
        expect(points).toEqual(
          Array.from({ length: bucket + rest }, (_, index) => [index + 1, set.has(index + 1) ? index + 1 : 0]),
        );
        expect([most <= 8_192, held]).toEqual([true, 0]);
      },
    ),
    { numRuns: 30 },
  );
});

it("has no point where there is no bucket", async () => {
  expect((await fill([], Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)).points).toEqual([]);
});

it.each([
  ["between two buckets", [1, 2.5, 4]],
  ["twice in one bucket", [1, 2, 2, 4]],
])("fails before it passes on a slice with a point %s", async (_, buckets) => {
  await expect(fill([buckets], 1, 9)).rejects.toThrow("The stored series does not match its manifest.");
});
