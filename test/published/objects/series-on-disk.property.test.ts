import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Series } from "../../../builder/engine/series.ts";
import { seriesFile } from "../../../builder/published/objects/encode-series.ts";
import { readSeries, writeSeries } from "../../../builder/published/objects/series-on-disk.ts";
import { tries } from "../../effort.ts";
import { scratchFolder } from "../../folders.ts";
import { identity, object, regular } from "./runs.ts";

async function* oneByOne(runs: readonly Series[], onRun: () => void = () => {}): AsyncGenerator<Series> {
  for (const run of runs) {
    onRun();
    yield run;
  }
}

/** Runs that are cut into row groups in every way. */
const long = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 3_000, max: 40_000 })), { maxLength: 8 })
  .map((lengths) => ({ identity, runs: lengths.map((rows, index) => regular(`cohort ${index}`, rows)) }));

describe("an object that is written run by run", () => {
  it("has the bytes and the entry of one that is encoded as a whole, and is read again", async () => {
    const path = join(scratchFolder(), "object.parquet");
    const property = fc.asyncProperty(fc.oneof(object, long), async ({ identity, runs }) => {
      const { symbol, unit, resolution, period } = identity;
      const written = await writeSeries(path, { ...identity, metric: "volume" }, oneByOne(runs));
      const whole = seriesFile(symbol, { name: "volume", unit }, resolution, period, runs);
      if (!whole) {
        expect(written).toBeUndefined();
        return;
      }
      const { bytes, ...file } = whole;
      expect(written).toEqual({ ...file, md5: hash("md5", bytes) });
      expect(readFileSync(path).equals(bytes)).toBe(true);
      expect([...readSeries(path)]).toEqual(runs);
    });
    await fc.assert(property, { numRuns: tries(60) });
  });

  it("is on the disk but for the last runs", async () => {
    const path = join(scratchFolder(), "object.parquet");
    const runs = Array.from({ length: 8 }, (_, index) => regular(`cohort ${index}`, 20_000));
    const sizes: number[] = [];
    await writeSeries(
      path,
      { ...identity, metric: "volume" },
      oneByOne(runs, () => sizes.push(statSync(path).size)),
    );
    const [first, second, third, ...others] = sizes;
    expect([first, second]).toEqual([0, 0]);
    expect([second!, third!, ...others]).toEqual([...new Set(sizes)].sort((a, b) => a - b));
  });
});
