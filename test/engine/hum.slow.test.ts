/** HUM, a real token with 30,000 transfers: the reference and the engine against series that were computed elsewhere. */

import { beforeAll, describe, expect, it } from "vitest";
import { compareSeries } from "../reference/compare.ts";
import { humIsMissing, isOfV1, readExpectedHum, readHum } from "../reference/hum.ts";
import { ranges, reference, type SeriesByKey, type Token } from "../reference/reference.ts";
import { INVARIANTS } from "./invariants.ts";
import { runEngine } from "./run-engine.ts";

const missing = humIsMissing();
if (missing) console.warn(`HUM is not tested: ${missing}.`);

describe.skipIf(missing)("HUM", () => {
  let token: Token;
  let referenced: SeriesByKey;
  let engine: ReturnType<typeof runEngine>;

  beforeAll(() => {
    token = readHum();
    referenced = reference(token);
    engine = runEngine(token);
  }, 300_000);

  it("has the expected day series by the reference", () => {
    const isExpected = (key: string) => key.split("|")[1] === "day" && isOfV1(key);
    const days = new Map([...referenced].filter(([key]) => isExpected(key)));
    expect(days.size).toBeGreaterThan(800);
    expect(compareSeries(days, readExpectedHum())).toEqual([]);
  });

  it("has the reference's series, at every resolution, by the engine", () => {
    expect(compareSeries(engine.series, referenced)).toEqual([]);
    const { block: _, ...expected } = ranges(token);
    const { series: __, ...complete } = engine;
    expect(complete).toEqual(expected);
  }, 60_000);

  it.each(INVARIANTS)(
    "keeps the invariant $name",
    ({ violations }) => {
      expect(violations(engine.series, token)).toEqual([]);
    },
    60_000,
  );
});
