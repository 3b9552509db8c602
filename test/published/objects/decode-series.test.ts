import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeObject, decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import { encodeSeries } from "../../../builder/published/objects/encode-series.ts";
import { parseFooter } from "../../../data-schema/parquet/series-object.ts";
import { RESOLUTIONS } from "../../../data-schema/registry/resolutions.ts";
import { SERIES_GROUP_ROWS } from "../../../data-schema/registry/row-group-sizes.ts";
import { identity, object, regular } from "./runs.ts";

describe("what is decoded is what was encoded", () => {
  it("of any runs, bit for bit", () => {
    fc.assert(
      fc.property(object, ({ identity, runs }) => {
        const decoded = decodeObject(encodeSeries(identity, runs));
        // toEqual distinguishes 0 from -0.
        expect(decoded.series).toEqual(runs);
        expect(decoded.info).toMatchObject(identity);
      }),
      { numRuns: 300 },
    );
  });

  it.each(RESOLUTIONS)("of many row groups: %s", (resolution) => {
    const full = SERIES_GROUP_ROWS[resolution];
    for (const lengths of [[full - 1, 2, full], [3 * full], [1, 5 * full + 1, 1]]) {
      const runs = lengths.map((length, index) => {
        const { block, ...run } = regular(`cohort ${index}`, length);
        return resolution === "block" ? { ...run, block: block! } : run;
      });
      expect(decodeSeries(encodeSeries({ ...identity, resolution }, runs))).toEqual(runs);
    }
  });

  it("of selectors that look like numbers", () => {
    const runs = ["b", "2", "1"].map((selector) => regular(selector, 5));
    expect(decodeSeries(encodeSeries(identity, runs))).toEqual(runs);
  });

  it("of values that no series has", () => {
    const runs = [{ ...regular("total", 4), v: Float64Array.of(Number.NaN, Number.POSITIVE_INFINITY, -0, 0) }];
    expect(decodeSeries(encodeSeries(identity, runs))).toEqual(runs);
  });
});

describe("damage is an error", () => {
  const runs = [regular("total", 20_000), regular("users", 300)];
  const file = encodeSeries(identity, runs);

  /** The file with a text replaced by another of the same length. */
  function replaced(from: string, to: string): Uint8Array {
    const bytes = Buffer.from(file);
    const at = bytes.lastIndexOf(from);
    expect(at).toBeGreaterThan(0);
    bytes.write(to, at);
    return bytes;
  }

  it.each([
    ["nothing at all", new Uint8Array(), /not a Parquet file/],
    ["its start alone", file.slice(0, 1000), /not a Parquet file/],
    ["no entry", replaced("soprano\u0018", "sopranO\u0018"), /no entry "soprano"|not a Parquet file/],
    [
      "an entry that is not JSON",
      replaced('{"schema"', '["schema"'),
      /its entry "soprano" has another schema version, or a field/,
    ],
    ["another schema version", replaced('"schema":1', '"schema":2'), /has another schema version/],
    ["an entry with fewer rows", replaced("[0,20000]", "[0,19999]"), /places users at row 20000 instead of 19999/],
    [
      "an entry with fewer rows at its end",
      replaced("[20000,300]", "[20000,299]"),
      /lists 20299 rows instead of 20300/,
    ],
    ["an entry with another selector", replaced('"users":', '"userz":'), /its cohort column contradicts its entry/],
    [
      "another resolution in its entry",
      replaced('"block"', '"day"  '),
      /its columns are .*, block INT64 REQUIRED instead of cohort .*, v DOUBLE REQUIRED$/,
    ],
  ])("%s", (_, bytes, message) => {
    expect(() => decodeSeries(bytes)).toThrow(message);
  });

  it("wherever pages of t and v are damaged", () => {
    const { t, v } = parseFooter(file, file.length).groups[0]!.chunks;
    const start = t.offset;
    const length = t.compressedBytes + v.compressedBytes;
    fc.assert(
      fc.property(fc.nat(length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = file.slice();
        damaged[start + at]! ^= change;
        expect(() => decodeSeries(damaged)).toThrow();
      }),
      { numRuns: 60 },
    );
  });
});
