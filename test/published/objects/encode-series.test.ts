import { createHash } from "node:crypto";
import { type ColumnMetaData, parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { Series } from "../../../builder/engine/series.ts";
import { encodeSeries, type SeriesIdentity } from "../../../builder/published/objects/encode-series.ts";
import { DIGEST_DIGITS, type SeriesInfo } from "../../../data-schema/parquet/series-object.ts";
import { SERIES_GROUP_ROWS } from "../../../data-schema/registry/row-group-sizes.ts";

const identity: SeriesIdentity = { symbol: "X", metric: "volume", unit: "usd", resolution: "block", period: "1969-12" };

function run(selector: string, rows: number): Series {
  const column = (value: (i: number) => number) => Float64Array.from({ length: rows }, (_, i) => value(i));
  // Times before 1970 and blocks beyond 32 bits: both halves of the 64-bit integers count.
  return {
    selector,
    t: column((i) => 12 * i - 100_000),
    v: column((i) => Math.sqrt(i + 1)),
    block: column((i) => 2 ** 40 + i),
  };
}

/** In new arrays each time, so that nothing encoded before is used again. */
const someRuns = () => [run("total", 20_000), run("users", 5_000)];

const runs = someRuns();
const file = encodeSeries(identity, runs);
const metadata = parquetMetadata(file);
const info: SeriesInfo = JSON.parse(metadata.key_value_metadata?.find(({ key }) => key === "soprano")?.value ?? "");

describe("a series object", () => {
  it("has the same bytes every time", () => {
    for (let i = 0; i < 5; i++) expect(encodeSeries(identity, someRuns())).toEqual(file);
    // With the very same arrays, cohort, t and block are not encoded again.
    expect(encodeSeries(identity, runs)).toEqual(file);
  });

  it("owns its memory, so that it can be transferred to another thread", () => {
    expect(file.buffer.byteLength).toBe(file.length);
  });

  it("describes itself", () => {
    const { digests, ...rest } = info;
    const cohorts = { total: [0, 20_000], users: [20_000, 5_000] };
    expect(rest).toEqual({ schema: 1, ...identity, cohorts });
    expect(digests).toHaveLength(2 * DIGEST_DIGITS);
  });

  it("has row groups of the documented size, encoded as documented", () => {
    expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([SERIES_GROUP_ROWS.block, 8_616]);
    const columns = metadata.row_groups[0]!.columns.map(({ meta_data }) => meta_data!);
    expect(columns.map(({ path_in_schema }) => path_in_schema.join())).toEqual(["cohort", "t", "v", "block"]);
    expect(columns.map(({ codec }) => codec)).toEqual(["UNCOMPRESSED", "ZSTD", "ZSTD", "ZSTD"]);
    const encodings = columns.map((column) => column.encodings);
    expect(encodings[0]).toContain("RLE_DICTIONARY");
    expect(encodings[1]).toContain("DELTA_BINARY_PACKED");
    expect(encodings[2]).toContain("BYTE_STREAM_SPLIT");
    expect(encodings[3]).toContain("DELTA_BINARY_PACKED");
  });

  it("holds the digest of each row group's t and v", () => {
    metadata.row_groups.forEach(({ columns }, group) => {
      const [t, v] = columns.slice(1).map(({ meta_data }) => meta_data!) as [ColumnMetaData, ColumnMetaData];
      const start = Number(t.data_page_offset);
      expect(Number(v.data_page_offset)).toBe(start + Number(t.total_compressed_size));
      const bytes = file.subarray(start, start + Number(t.total_compressed_size + v.total_compressed_size));
      const digest = createHash("sha256").update(bytes).digest("hex").slice(0, DIGEST_DIGITS);
      expect(info.digests.slice(group * DIGEST_DIGITS, (group + 1) * DIGEST_DIGITS)).toBe(digest);
    });
  });

  it("stores counts as plain doubles", () => {
    const counts = encodeSeries({ ...identity, unit: "count" }, runs);
    const column = parquetMetadata(counts).row_groups[0]!.columns.find(({ meta_data }) =>
      meta_data?.path_in_schema.includes("v"),
    );
    expect(column?.meta_data?.encodings).not.toContain("BYTE_STREAM_SPLIT");
  });
});
