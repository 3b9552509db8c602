/** Footers of objects that our builder would not write. */

import { describe, expect, it } from "vitest";
import { seriesFile } from "../../builder/output/object.ts";
import { metricByName } from "../../data-schema/metrics.ts";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet.ts";
import type { SeriesFile } from "../../worker/read/files.ts";
import { parseFooter } from "../../worker/read/footer.ts";

const points = { t: Float64Array.of(0, 86_400), v: Float64Array.of(1, 2) };
const { bytes, entry } = seriesFile("X", metricByName("sopr"), "day", "all", [{ selector: "total", ...points }])!;
const period = { name: "all", from: 0, to: 3 * 86_400, metrics: { sopr: entry } };
const file: SeriesFile = { ...entry, key: "X", symbol: "X", metric: "sopr", resolution: "day", period };

/** A column in the schema: its type, its repetition and its name, in Thrift. */
const column = (type: number, repetition: number, name: string) => [
  ...[0x15, 2 * type, 0x25, 2 * repetition, 0x18, name.length],
  ...new TextEncoder().encode(name),
];

/** The end of the object, with one stretch of bytes, which it has, in place of another. */
function altered(before: readonly number[], after: readonly number[]): Uint8Array {
  const tail = bytes.slice(bytes.length - entry.footer - PARQUET_TRAILER_BYTES);
  const at = tail.findIndex((_, start) => before.every((byte, index) => tail[start + index] === byte));
  expect(at).toBeGreaterThan(0);
  tail.set(after, at);
  return tail;
}

const [INT64, DOUBLE] = [2, 5];
const [REQUIRED, OPTIONAL, REPEATED] = [0, 1, 2];

describe("a footer", () => {
  it("is read as it was written", () => {
    const same = column(INT64, REQUIRED, "t");
    const { cohorts, groups } = parseFooter(altered(same, same), file);
    expect(cohorts).toEqual({ total: [0, 2] });
    expect(groups).toMatchObject([{ rows: 2, firstRow: 0, since: 0, until: 86_400 }]);
  });

  it.each([
    ["repetition of t", "may be missing", column(INT64, REQUIRED, "t"), column(INT64, OPTIONAL, "t")],
    ["repetition of v", "may be missing", column(DOUBLE, REQUIRED, "v"), column(DOUBLE, OPTIONAL, "v")],
    ["repetition of v", "may be many", column(DOUBLE, REQUIRED, "v"), column(DOUBLE, REPEATED, "v")],
    ["type of t", "another", column(INT64, REQUIRED, "t"), column(DOUBLE, REQUIRED, "t")],
    ["type of v", "another", column(DOUBLE, REQUIRED, "v"), column(INT64, REQUIRED, "v")],
    ["type of v", "there is none", column(DOUBLE, REQUIRED, "v"), column(DOUBLE, REQUIRED, "w")],
  ])("is refused for the %s: %s", (fault, _, before, after) => {
    const cause = expect.objectContaining({ message: `unexpected ${fault}` });
    const problem = { type: "damaged-data", cause: expect.objectContaining({ cause }) };
    expect(() => parseFooter(altered(before, after), file)).toThrow(expect.objectContaining(problem));
  });
});
