import { createHash } from "node:crypto";
import { type ColumnMetaData, parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { Series } from "../../../builder/engine/series.ts";
import { encodeSeries, type SeriesIdentity } from "../../../builder/published/objects/encode-series.ts";
import { DIGEST_DIGITS, type SeriesInfo } from "../../../data-schema/parquet/series-object.ts";

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
    expect(digests).toHaveLength(3 * DIGEST_DIGITS);
  });

  it("has row groups that begin with a series, encoded as documented", () => {
    // 20,000 rows are more than a row group has, and both series have a quarter of that.
    expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([10_000, 10_000, 5_000]);
    const columns = metadata.row_groups[0]!.columns.map(({ meta_data }) => meta_data!);
    expect(columns.map(({ path_in_schema }) => path_in_schema.join())).toEqual(["cohort", "t", "v", "block"]);
    expect(columns.map(({ codec }) => codec)).toEqual(["UNCOMPRESSED", "ZSTD", "ZSTD", "ZSTD"]);
    const encodings = columns.map((column) => column.encodings);
    expect(encodings[0]).toContain("RLE_DICTIONARY");
    expect(encodings[1]).toContain("DELTA_BINARY_PACKED");
    expect(encodings[2]).toContain("BYTE_STREAM_SPLIT");
    expect(encodings[3]).toContain("DELTA_BINARY_PACKED");
  });

  it.each([
    ["short neighbours share a group", [100, 50, 4_000], [4_150]],
    ["a series begins one after a quarter of a full group", [4_095, 1, 5_000], [4_096, 5_000]],
    ["unless less than that would follow", [5_000, 4_095], [9_095]],
    ["long series are divided evenly", [4_096, 40_000, 4_096], [4_096, 13_334, 13_334, 13_332, 4_096]],
  ])("cuts its rows so that %s", (_, lengths, groups) => {
    const object = encodeSeries(
      identity,
      lengths.map((rows, index) => run(`cohort ${index}`, rows)),
    );
    expect(parquetMetadata(object).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual(groups);
  });

  it("does not cut a distribution at its series, which are read together", () => {
    const object = encodeSeries({ ...identity, metric: "cost_basis", unit: "various", resolution: "day" }, [
      run("balance:total:k0", 20_000),
      run("balance:total:k1", 20_000),
    ]);
    expect(parquetMetadata(object).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([20_000, 20_000]);
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
