import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { decodeObject, decodeSeries } from "../../builder/output/decode.ts";
import { encodeSeries } from "../../builder/output/encode.ts";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { ROW_GROUP_ROWS } from "../../data-schema/series.ts";
import { identity, object, regular } from "./runs.ts";

describe("what is decoded is what was encoded", () => {
  it("of any runs, bit for bit", () => {
    fc.assert(
      fc.property(object, ({ identity, runs }) => {
        const decoded = decodeObject(encodeSeries(identity, runs));
        // toEqual tells 0 from -0.
        expect(decoded.runs).toEqual(runs);
        expect(decoded.info).toMatchObject(identity);
      }),
      { numRuns: 300 },
    );
  });

  it.each(RESOLUTIONS)("of many row groups: %s", (resolution) => {
    const full = ROW_GROUP_ROWS[resolution];
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

describe("damage is told", () => {
  const runs = [regular("total", 20_000), regular("users", 300)];
  const file = encodeSeries(identity, runs);

  /** The file with another text of the same length in place of one. */
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
    ["an entry that is not JSON", replaced('{"schema"', '["schema"'), /wrong form/],
    ["another schema version", replaced('"schema":1', '"schema":2'), /schema version/],
    ["an entry with fewer rows", replaced("[0,20000]", "[0,19999]"), /users at row 20000 instead of 19999/],
    [
      "an entry with fewer rows at its end",
      replaced("[20000,300]", "[20000,299]"),
      /20300 rows, and 20299 by its entry/,
    ],
    ["an entry with another selector", replaced('"users":', '"userz":'), /cohort column is not what its entry says/],
    [
      "another resolution in its entry",
      replaced('"block"', '"day"  '),
      /columns are cohort, t, v, block instead of cohort, t, v/,
    ],
  ])("%s", (_, bytes, message) => {
    expect(() => decodeSeries(bytes)).toThrow(message);
  });

  it("never gives other rows without a word, wherever pages of t and v are damaged", () => {
    const { columns } = parquetMetadata(file).row_groups[0];
    const [, t, v] = columns.map(({ meta_data }) => meta_data!);
    const start = Number(t.data_page_offset);
    const length = Number(t.total_compressed_size + v.total_compressed_size);
    fc.assert(
      fc.property(fc.nat(length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = file.slice();
        damaged[start + at] ^= change;
        expect(() => decodeSeries(damaged)).toThrow();
      }),
      { numRuns: 60 },
    );
  });
});
