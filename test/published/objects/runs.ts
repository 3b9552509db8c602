/** Runs to encode: arbitrary ones, and regular ones. */

import fc from "fast-check";
import type { Series } from "../../../builder/engine/series.ts";
import type { SeriesIdentity } from "../../../builder/published/objects/encode-series.ts";
import { RESOLUTIONS } from "../../../data-schema/registry/resolutions.ts";

export const identity: SeriesIdentity = {
  symbol: "X",
  metric: "volume",
  unit: "usd",
  resolution: "block",
  period: "2024-03",
};

/** Unix seconds of the last time that a Date can hold. */
export const LAST_SECOND = 8.64e12;

/** Ascending whole numbers between two ends. */
const ascending = (min: number, max: number, length: number) =>
  fc
    .array(
      // Close together, as buckets are, and far apart, so that differences of every width occur.
      fc.oneof({ weight: 9, arbitrary: fc.nat(300) }, fc.nat(2 ** 31 - 1), fc.maxSafeNat()),
      { minLength: length, maxLength: length },
    )
    .chain((steps) =>
      fc.integer({ min, max }).map((first) => {
        let at = first;
        return Float64Array.from(steps, (step) => {
          at = Math.min(at + step, max);
          return at;
        });
      }),
    );

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 5e-324, Number.MAX_VALUE),
);

const runOf = (selector: string, withBlocks: boolean): fc.Arbitrary<Series> =>
  fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(127, 128, 129, 130, 257)).chain((length) =>
    fc.record({
      selector: fc.constant(selector),
      t: ascending(-LAST_SECOND, LAST_SECOND, length),
      v: fc.array(value, { minLength: length, maxLength: length }).map((values) => Float64Array.from(values)),
      ...(withBlocks && { block: ascending(0, Number.MAX_SAFE_INTEGER, length) }),
    }),
  ) as fc.Arbitrary<Series>;

// No selector has these names, and the validated JSON has no such keys.
const isNoObjectKey = (text: string) => !["__proto__", "prototype", "constructor"].includes(text);

/** The identity of an object and arbitrary runs for it. */
export const object = fc
  .record({
    resolution: fc.constantFrom(...RESOLUTIONS),
    unit: fc.constantFrom("usd" as const, "count" as const),
    selectors: fc.uniqueArray(
      fc.oneof(
        fc.constantFrom("total", "$10M+", "<1d", "gate.io", "é"),
        fc.string({ minLength: 1 }).filter(isNoObjectKey),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
  })
  .chain(({ resolution, unit, selectors }) =>
    fc.record({
      identity: fc.constant({ ...identity, resolution, unit }),
      runs: fc.tuple(...selectors.map((selector) => runOf(selector, resolution === "block"))),
    }),
  );

/** Points at regular times, for tests of lengths. */
export function regular(selector: string, rows: number): Series {
  return {
    selector,
    t: Float64Array.from({ length: rows }, (_, i) => 1_700_000_000 + 12 * i),
    v: Float64Array.from({ length: rows }, (_, i) => Math.sqrt(i + 1)),
    block: Float64Array.from({ length: rows }, (_, i) => 18_000_000 + i),
  };
}
