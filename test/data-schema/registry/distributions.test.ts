/** The buckets of distributions. Source: docs/methodology.md §11. */

import { expect, it } from "vitest";
import {
  bucketNamed,
  byKey,
  COST_BUCKETS,
  costBucket,
  costBucketName,
  costEdge,
} from "../../../data-schema/registry/distributions.ts";

it("the edges of costs are the doubles nearest to 10^(k/40)", () => {
  for (const exponent of [-30, -18, -5, -1, 0, 1, 23, 30])
    expect(costEdge(40 * exponent)).toBe(Number(`1e${exponent}`));
  // The square roots and fourth roots of ten, to 30 digits.
  expect(costEdge(20)).toBe(Number("3.16227766016837933199889354443"));
  expect(costEdge(10)).toBe(Number("1.77827941003892280122542119519"));
  expect(costEdge(-20)).toBe(Number("0.316227766016837933199889354443"));
  // A number e is nearest if e^40 is nearer to 10^k than those of its neighbours: by whole numbers, in units of 2^-1074.
  for (const k of [1, 7, 13, 39, 61, 119]) {
    const [below, own, above] = [-1, 0, 1].map((step) => neighbour(costEdge(k), step));
    const power = (halves: bigint) => halves ** 40n;
    // 10^k in the units of the 40th power of 2^-60.
    const target = (10n ** BigInt(k)) << (60n * 40n);
    expect(power((below! + own!) / 2n) <= target && target <= power((own! + above! + 1n) / 2n), `k${k}`).toBe(true);
  }
});

/** A double some steps away, in units of 2^-60. */
function neighbour(value: number, steps: number): bigint {
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0]! += BigInt(steps);
  const [moved] = new Float64Array(bits.buffer);
  const whole = Math.floor(moved!);
  return (BigInt(whole) << 60n) + BigInt((moved! - whole) * 2 ** 60);
}

it("every bucket of costs begins where the one before ends, and is known by its name", () => {
  const all = Array.from({ length: COST_BUCKETS }, (_, number) => costBucket(number));
  expect(all[0]).toEqual({ name: "0", from: 0, to: 0 });
  expect([all[1]!.from, all.at(-1)!.to]).toEqual([null, null]);
  for (const [number, bucket] of all.entries()) {
    expect(bucket.name).toBe(costBucketName(number));
    expect(bucketNamed("cost_basis", bucket.name)).toEqual(bucket);
    if (number > 1) expect(bucket.from).toBe(all[number - 1]!.to);
    if (number > 1 && bucket.to !== null) expect(bucket.to).toBeGreaterThan(bucket.from!);
  }
  expect(all.toReversed().sort(byKey)).toEqual(all);
});

it("names no other buckets", () => {
  for (const name of ["k1201", "k-1201", "k01", "k", "1", "", "k-0", "2024-03"]) {
    expect(bucketNamed("cost_basis", name)).toBeUndefined();
  }
  expect(bucketNamed("acquired", "2024-12")).toEqual({ name: "2024-12", from: 1_733_011_200, to: 1_735_689_600 });
  for (const name of ["2024-13", "2024-1", "k0", ""]) expect(bucketNamed("first_seen", name)).toBeUndefined();
});
