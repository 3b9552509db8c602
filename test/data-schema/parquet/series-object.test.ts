/** Footers as the builder writes them, and footers that it would not write. */

import { describe, expect, it } from "vitest";
import { encodeSeries } from "../../../builder/published/objects/encode-series.ts";
import { parseFooter } from "../../../data-schema/parquet/series-object.ts";

const points = { t: Float64Array.of(0, 86_400), v: Float64Array.of(1, 2) };
const identity = { symbol: "X", metric: "sopr", unit: "ratio", resolution: "day", period: "all" } as const;
const object = encodeSeries(identity, [
  { selector: "total", ...points },
  { selector: "1", ...points },
]);

/** A column in the schema: its type, its repetition and its name, in Thrift. */
const column = (type: number, repetition: number, name: string) => [
  ...[0x15, 2 * type, 0x25, 2 * repetition, 0x18, name.length],
  ...new TextEncoder().encode(name),
];

const text = (value: string) => [...new TextEncoder().encode(value)];

/** The object, with `after` in place of the bytes `before`, which it has. */
function altered(before: readonly number[], after: readonly number[]): Uint8Array {
  const bytes = object.slice();
  const at = bytes.findIndex((_, start) => before.every((byte, index) => bytes[start + index] === byte));
  expect(at).toBeGreaterThan(0);
  bytes.set(after, at);
  return bytes;
}

const [INT64, DOUBLE] = [2, 5];
const [REQUIRED, OPTIONAL, REPEATED] = [0, 1, 2];

describe("a footer", () => {
  it("is read as it was written, from the end of its object alone", () => {
    const { length } = parseFooter(object, object.length);
    const footer = parseFooter(object.slice(-8 - length), object.length);
    expect(footer).toEqual(parseFooter(object, object.length));
    expect(footer).toMatchObject({ rows: 4, groups: [{ rows: 4, firstRow: 0, since: 0, until: 86_400 }] });
    const { digests, ...info } = footer.info;
    expect(info).toEqual({ schema: 1, ...identity, cohorts: { total: [0, 2], "1": [2, 2] } });
    expect(footer.groups[0]?.digest).toBe(digests);
  });

  it.each([
    ["a value of t may be missing", "t INT64 OPTIONAL", column(INT64, REQUIRED, "t"), column(INT64, OPTIONAL, "t")],
    ["a value of v may be missing", "v DOUBLE OPTIONAL", column(DOUBLE, REQUIRED, "v"), column(DOUBLE, OPTIONAL, "v")],
    ["v may have many values", "v DOUBLE REPEATED", column(DOUBLE, REQUIRED, "v"), column(DOUBLE, REPEATED, "v")],
    ["t has another type", "t DOUBLE REQUIRED", column(INT64, REQUIRED, "t"), column(DOUBLE, REQUIRED, "t")],
    ["v has another type", "v INT64 REQUIRED", column(DOUBLE, REQUIRED, "v"), column(INT64, REQUIRED, "v")],
    ["there is no v", "w DOUBLE REQUIRED", column(DOUBLE, REQUIRED, "v"), column(DOUBLE, REQUIRED, "w")],
  ])("is refused if %s", (_, found, before, after) => {
    expect(() => parseFooter(altered(before, after), object.length)).toThrow(
      new RegExp(`^its columns are .*${found}.* instead of cohort BYTE_ARRAY REQUIRED, t INT64 REQUIRED, v DOUBLE`),
    );
  });

  it.each([
    ["leaves rows out", "[0,2]", "[0,1]", "its entry places 1 at row 2 instead of 1"],
    ["gives a selector no row", "[2,2]", "[2,0]", 'its entry "soprano" has another schema version, or a field'],
    ["ends too early", "[2,2]", "[2,1]", "its entry lists 3 rows instead of 4"],
    ["is of another schema version", '"schema":1', '"schema":2', 'its entry "soprano" has another schema version'],
    ["has another unit", '"ratio"', '"patio"', 'its entry "soprano" has another schema version, or a field'],
    ["has no digest", '"digests":"', '"digests":"",""', 'its entry "soprano" has another schema version, or a field'],
  ])("is refused if its entry %s", (_, before, after, message) => {
    expect(() => parseFooter(altered(text(before), text(after)), object.length)).toThrow(message);
  });

  it("is refused if the object is shorter than its chunks", () => {
    expect(() => parseFooter(object, object.length - 1)).toThrow("its column v lies outside the file");
  });
});
