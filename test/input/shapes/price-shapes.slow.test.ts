/** Random prices in the form of every tool are read as those of the plain form. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { PRICE_WRITERS, plainPrices, readPrices } from "./price-writers.ts";

const DAY = 86_400;
const FIRST_END = 1_704_067_200;

/** Days of which some are missing, though never every second one. */
const candles = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), close: fc.double({ min: 1e-9, max: 1e6, noNaN: true }) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((days) => {
    const found = [1, 2].map((close, at) => ({ end: FIRST_END + at * DAY, close }));
    for (const { gap, close } of days) found.push({ end: found.at(-1)!.end + gap * DAY, close });
    return found;
  });

test("random candles with gaps, in every form", async () => {
  const property = fc.asyncProperty(candles, async (days) => {
    const plain = await readPrices("plain.csv", plainPrices(days));
    for (const { file, write } of PRICE_WRITERS) expect(await readPrices(file, write(days)), file).toEqual(plain);
  });
  await fc.assert(property, { numRuns: 4, endOnFailure: true });
});
