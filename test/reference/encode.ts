/**
 * Series objects by parquet-wasm's writer: what the builder's own encoder is held against. The two differ in how the
 * columns' bytes are packed, and in nothing that a reader sees.
 */

import { createHash } from "node:crypto";
import * as arrow from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import * as parquet from "parquet-wasm";
import type { Series } from "../../builder/engine/series.ts";
import type { SeriesIdentity } from "../../builder/published/objects/encode-series.ts";
import {
  DIGEST_DIGITS,
  SCHEMA_VERSION,
  SERIES_INFO_KEY,
  type SeriesInfo,
} from "../../data-schema/parquet/series-object.ts";
import { SERIES_GROUP_ROWS } from "../../data-schema/registry/row-group-sizes.ts";

/** Encodes as `encodeSeries` of the builder does, if only the first series is long enough to begin a row group. */
export function encodeByParquetWasm(identity: SeriesIdentity, series: readonly Series[]): Uint8Array {
  const rows = series.reduce((sum, run) => sum + run.v.length, 0);
  const cohort = new Int8Array(rows);
  const t = new Int64Column(rows);
  const v = new Float64Array(rows);
  const block = identity.resolution === "block" ? new Int64Column(rows) : undefined;
  const cohorts: Record<string, [firstRow: number, rows: number]> = {};

  let row = 0;
  series.forEach((run, index) => {
    const count = run.v.length;
    cohorts[run.selector] = [row, count];
    cohort.fill(index, row, row + count);
    t.set(run.t, row, 1000);
    v.set(run.v, row);
    if (block && run.block) block.set(run.block, row, 1);
    row += count;
  });

  const groups = Math.ceil(rows / SERIES_GROUP_ROWS[identity.resolution]);
  const groupRows = Math.ceil(rows / groups);
  const info: SeriesInfo = { schema: SCHEMA_VERSION, ...identity, cohorts, digests: unknownDigests(groups) };
  const table = recordBatchTable([
    [
      "cohort",
      dictionaryData(
        cohort,
        series.map((run) => run.selector),
      ),
    ],
    ["t", arrow.makeData({ type: new arrow.TimestampMillisecond("UTC"), length: rows, nullCount: 0, data: t.values })],
    ["v", arrow.makeData({ type: new arrow.Float64(), length: rows, nullCount: 0, data: v })],
    ...(block
      ? [
          [
            "block",
            arrow.makeData({ type: new arrow.Int64(), length: rows, nullCount: 0, data: block.values }),
          ] as const,
        ]
      : []),
  ]);
  const file = parquet.writeParquet(
    parquet.Table.fromIPCStream(arrow.tableToIPC(table, "stream")),
    writerProperties(identity, JSON.stringify(info), groupRows),
  );
  fillDigests(file, groups);
  return file;
}

function writerProperties(
  { resolution, unit }: SeriesIdentity,
  info: string,
  groupRows: number,
): parquet.WriterProperties {
  const builder = new parquet.WriterPropertiesBuilder()
    .setDictionaryEnabled(false)
    .setColumnDictionaryEnabled("cohort", true)
    .setCompression(parquet.Compression.ZSTD)
    .setMaxRowGroupSize(groupRows)
    // Readers skip row groups by cohort and t; nobody skips pages, or looks for values.
    .setStatisticsEnabled(parquet.EnabledStatistics.Chunk)
    .setColumnStatisticsEnabled("v", parquet.EnabledStatistics.None)
    .setColumnEncoding("t", parquet.Encoding.DELTA_BINARY_PACKED)
    // Counts are small whole numbers, which zstd packs better as they are.
    .setColumnEncoding("v", unit === "count" ? parquet.Encoding.PLAIN : parquet.Encoding.BYTE_STREAM_SPLIT)
    .setKeyValueMetadata(new Map([[SERIES_INFO_KEY, info]]));
  return (
    resolution === "block" ? builder.setColumnEncoding("block", parquet.Encoding.DELTA_BINARY_PACKED) : builder
  ).build();
}

/** A column of 64-bit integers filled from doubles: BigInts, one an element, would cost more than the encoding. */
class Int64Column {
  readonly values: BigInt64Array;
  readonly #words: Int32Array;

  constructor(rows: number) {
    this.values = new BigInt64Array(rows);
    this.#words = new Int32Array(this.values.buffer);
  }

  /** Writes `source · factor` from `row` on; whole numbers below 2^53 in magnitude. */
  set(source: Float64Array, row: number, factor: number): void {
    for (let i = 0, word = 2 * row; i < source.length; i++, word += 2) {
      const value = source[i]! * factor;
      this.#words[word] = value;
      this.#words[word + 1] = Math.floor(value / 0x1_0000_0000);
    }
  }
}

function dictionaryData(indices: Int8Array, selectors: string[]): arrow.Data<arrow.Dictionary<arrow.Utf8, arrow.Int8>> {
  // A fixed dictionary id: the library's own counts up and would get into the bytes.
  const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8(), 0);
  const dictionary = arrow.vectorFromArray(selectors, new arrow.Utf8());
  return arrow.makeData({ type, length: indices.length, nullCount: 0, data: indices, dictionary });
}

function recordBatchTable(columns: readonly (readonly [name: string, data: arrow.Data])[]): arrow.Table {
  const schema = new arrow.Schema(columns.map(([name, data]) => new arrow.Field(name, data.type, false)));
  const struct = arrow.makeData({
    type: new arrow.Struct(schema.fields),
    length: columns[0]![1].length,
    nullCount: 0,
    children: columns.map(([, data]) => data),
  });
  return new arrow.Table(schema, [new arrow.RecordBatch(schema, struct)]);
}

/** What stands for the digests until they are known: the writer takes the entry before there are bytes to digest. */
function unknownDigests(rowGroups: number): string {
  return "0".repeat(DIGEST_DIGITS * rowGroups);
}

/** Writes the digests of a file's row groups over `unknownDigests` in its footer. */
function fillDigests(file: Uint8Array, rowGroups: number): void {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.length);
  const metadata = parquetMetadata(file);
  const digests = metadata.row_groups.map(({ columns }) => {
    const chunks = columns.flatMap(({ meta_data }) =>
      meta_data && ["t", "v"].includes(meta_data.path_in_schema.join()) ? [meta_data] : [],
    );
    const start = Math.min(...chunks.map((chunk) => Number(chunk.data_page_offset)));
    const end = Math.max(...chunks.map((chunk) => Number(chunk.data_page_offset + chunk.total_compressed_size)));
    return createHash("sha256").update(file.subarray(start, end)).digest("hex").slice(0, DIGEST_DIGITS);
  });
  // With its name: a symbol may be nothing but zeros, too.
  const name = '"digests":"';
  const entry = buffer.indexOf(name + unknownDigests(rowGroups), buffer.length - 8 - metadata.metadata_length);
  buffer.write(digests.join(""), entry + name.length, "ascii");
}
