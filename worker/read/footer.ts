/** The footer of a series object → where each cohort's rows and each row group's bytes lie. */

import { type ColumnMetaData, parquetMetadata } from "hyparquet";
import * as v from "valibot";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet.ts";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { DIGEST_DIGITS, SCHEMA_VERSION, SERIES_INFO_KEY, type SelectorRows } from "../../data-schema/series.ts";
import { damaged } from "../problems.ts";
import { type Chunk, COLUMNS, type ExcerptGroup } from "./excerpt.ts";
import type { SeriesFile } from "./files.ts";

/** A row group's t and v chunks, and what is known of its times. */
export interface RowGroup extends ExcerptGroup {
  firstRow: number;
  /** Least and greatest t, Unix seconds, whatever the cohort. */
  since: number;
  until: number;
  /** First hex digits of the SHA-256 of its t and v chunks. */
  digest: string;
}

export interface Footer {
  cohorts: SelectorRows;
  groups: readonly RowGroup[];
  /** What it takes in memory, roughly. */
  bytes: number;
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const infoSchema = v.object({
  schema: v.literal(SCHEMA_VERSION),
  symbol: v.string(),
  metric: v.string(),
  resolution: v.picklist(RESOLUTIONS),
  period: v.string(),
  cohorts: v.record(v.string(), v.tuple([count, count])),
  digests: v.pipe(v.string(), v.regex(/^[0-9a-f]*$/)),
});

/**
 * Reads a footer.
 *
 * @param tail the end of the object: at least the footer and the 8 bytes after it
 * @throws {Problem} 500 not a footer, or one that contradicts the manifest
 */
export function parseFooter(tail: Uint8Array, file: SeriesFile): Footer {
  try {
    return read(tail, file);
  } catch (cause) {
    throw damaged(`the footer of ${file.key} cannot be used`, cause);
  }
}

function read(tail: Uint8Array, file: SeriesFile): Footer {
  const metadata = parquetMetadata(tail, { geoparquet: false });
  assert(metadata.metadata_length === file.footer, "length");
  assert(Number(metadata.num_rows) === file.rows, "number of rows");

  const entry = metadata.key_value_metadata?.find(({ key }) => key === SERIES_INFO_KEY)?.value;
  const info = v.parse(infoSchema, JSON.parse(entry ?? "null"));
  assert(info.symbol === file.symbol && info.metric === file.metric, "series");
  assert(info.resolution === file.resolution && info.period === file.period.name, "resolution or period");
  for (const [firstRow, rows] of Object.values(info.cohorts)) assert(firstRow + rows <= file.rows, "cohort rows");

  for (const { name, type } of COLUMNS) {
    const element = metadata.schema.find((candidate) => candidate.name === name);
    assert(element?.type === type, `type of ${name}`);
    assert(element.repetition_type === "REQUIRED", `repetition of ${name}`);
  }

  let firstRow = 0;
  assert(info.digests.length === DIGEST_DIGITS * metadata.row_groups.length, "digests");
  const groups = metadata.row_groups.map(({ columns: all, num_rows }, index): RowGroup => {
    const rows = Number(num_rows);
    const [t, values] = COLUMNS.map(({ name }) => {
      const meta = all.find((column) => column.meta_data?.path_in_schema.join() === name)?.meta_data;
      assert(meta !== undefined && Number(meta.num_values) === rows, `column ${name}`);
      return meta;
    }) as [ColumnMetaData, ColumnMetaData];
    const group: RowGroup = {
      rows,
      firstRow,
      chunks: [chunk(t, file), chunk(values, file)],
      since: seconds(t.statistics?.min_value, Number.NEGATIVE_INFINITY),
      until: seconds(t.statistics?.max_value, Number.POSITIVE_INFINITY),
      digest: info.digests.slice(index * DIGEST_DIGITS, (index + 1) * DIGEST_DIGITS),
    };
    firstRow += rows;
    return group;
  });
  assert(firstRow === file.rows, "rows of the row groups");
  return {
    cohorts: info.cohorts,
    groups,
    bytes: 400 * groups.length + 200 * Object.keys(info.cohorts).length,
  };
}

function chunk(meta: ColumnMetaData, file: SeriesFile): Chunk {
  assert(meta.codec === "ZSTD", "codec");
  const offset = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
  const compressedBytes = Number(meta.total_compressed_size);
  assert(offset >= 0 && compressedBytes > 0, "chunk");
  assert(offset + compressedBytes <= file.size - file.footer - PARQUET_TRAILER_BYTES, "end of a chunk");
  return {
    offset,
    compressedBytes,
    uncompressedBytes: Number(meta.total_uncompressed_size),
    dataOffset: Number(meta.data_page_offset),
  };
}

function seconds(statistic: unknown, unknown: number): number {
  return statistic instanceof Date ? statistic.getTime() / 1000 : unknown;
}

function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`unexpected ${what}`);
}
