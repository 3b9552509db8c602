/** Arbitrary points of series. */

import fc from "fast-check";

export const times = fc
  .array(fc.integer({ min: 0, max: 4_000_000_000 }), { maxLength: 60 })
  .map((t) => t.sort((a, b) => a - b));
export const values = fc.double({ noNaN: true, noDefaultInfinity: true }).map((v) => (Object.is(v, -0) ? 0 : v));
export const series = times.chain((t) =>
  fc.array(values, { minLength: t.length, maxLength: t.length }).map((v) => ({
    t: Float64Array.from(t),
    v: Float64Array.from(v),
  })),
);
