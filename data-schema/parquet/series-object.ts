/**
 * A series object: one metric, one resolution, one period, every cohort, as Parquet. Its columns are in
 * parquet/columns.ts; rows are sorted by cohort in registry order, then by t (and block), so that one series is one
 * contiguous run of rows. Sums hold no zeros. Its footer says where the rows of each selector and the bytes of each row
 * group lie; the messages of its errors are clauses that follow the name of the object.
 * Source: docs/formats.md#series-objects.
 */

import { type FileMetaData, parquetMetadata, type RowGroup as RowGroupMetadata } from "hyparquet";
import * as v from "valibot";
import { type MetricUnit, UNITS } from "../registry/metrics.ts";
import { RESOLUTIONS } from "../registry/resolutions.ts";
import { seriesColumns } from "./columns.ts";
import { PARQUET_TRAILER_BYTES, type SchemaColumn } from "./file-metadata.ts";

/** Version of the format of series objects: a reader refuses another one. */
export const SCHEMA_VERSION = 1;

/** Points of one series, ascending in t. */
export interface Slice {
  /** Unix seconds. */
  readonly t: Float64Array;
  readonly v: Float64Array;
}

/** The unit of an object of an own cohort: its series are of different metrics. */
export const VARIOUS_UNITS = "various";
export type SeriesUnit = MetricUnit | typeof VARIOUS_UNITS;

/** The Parquet key-value entry that holds `SeriesInfo` as JSON. */
export const SERIES_INFO_KEY = "soprano";

/** Hex digits of a row group's digest. */
export const DIGEST_DIGITS = 16;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const infoSchema = v.object({
  schema: v.literal(SCHEMA_VERSION),
  symbol: v.string(),
  /** The metric; in an object of an own cohort, the cohort. */
  metric: v.string(),
  resolution: v.picklist(RESOLUTIONS),
  unit: v.picklist([...UNITS, VARIOUS_UNITS]),
  period: v.string(),
  /** Where the rows of each selector, or of each metric of an own cohort, lie: its first row, and how many it has. A selector without a row has no entry. */
  cohorts: v.record(v.string(), v.tuple([count, v.pipe(count, v.minValue(1))])),
  /**
   * `DIGEST_DIGITS` hex digits for each row group: the start of the SHA-256 of its t and v chunks, which lie side by
   * side. With it, a reader of a range can check that it has the bytes that were written.
   */
  digests: v.pipe(v.string(), v.regex(/^[0-9a-f]*$/)),
});

/** What an object says of itself. It holds no build id and no clock, so the same input gives the same bytes. */
export type SeriesInfo = v.InferOutput<typeof infoSchema>;

/** The rows of one selector: from `firstRow` up to `endRow`, exclusive. */
export interface SelectorRun {
  selector: string;
  firstRow: number;
  endRow: number;
}

/** The runs of an object, in the order of its rows. */
export function runsOf({ cohorts }: Pick<SeriesInfo, "cohorts">): SelectorRun[] {
  const runs = Object.entries(cohorts).map(([selector, [firstRow, rows]]) => ({
    selector,
    firstRow,
    endRow: firstRow + rows,
  }));
  // An object lists keys that look like numbers first, wherever they were written.
  return runs.sort((a, b) => a.firstRow - b.firstRow);
}

/**
 * Reads the entry `SERIES_INFO_KEY` of an object.
 *
 * @throws {Error} not JSON, another schema version, or a field that is missing or malformed
 */
function parseSeriesInfo(text: string): SeriesInfo {
  try {
    return v.parse(infoSchema, JSON.parse(text));
  } catch {
    throw new Error(
      `its entry "${SERIES_INFO_KEY}" has another schema version, or a field that is missing or malformed`,
    );
  }
}

/** A column of a row group; `offset` counts from the start of the object, sizes are in bytes. */
interface Chunk {
  offset: number;
  compressedBytes: number;
  uncompressedBytes: number;
  /** Where the data page begins: after the dictionary page, if there is one. */
  dataOffset: number;
}

export interface RowGroup {
  firstRow: number;
  rows: number;
  /** Least and greatest t of all its cohorts, Unix seconds. */
  since: number;
  until: number;
  /** Least and greatest block of all its cohorts; everything where the object has no blocks. */
  sinceBlock: number;
  untilBlock: number;
  /** First hex digits of the SHA-256 of its t and v chunks. */
  digest: string;
  chunks: { cohort: Chunk; t: Chunk; v: Chunk; block?: Chunk };
}

export interface SeriesFooter {
  info: SeriesInfo;
  rows: number;
  /** Length in bytes, without the trailer. */
  length: number;
  groups: readonly RowGroup[];
}

/**
 * Reads the footer of a series object.
 *
 * @param tail the end of the object: at least its footer and trailer
 * @param size of the whole object, in bytes
 * @throws {Error} not the footer of a series object, or one that contradicts itself
 */
export function parseFooter(tail: Uint8Array, size: number): SeriesFooter {
  const metadata = parseMetadata(tail);
  const entry = metadata.key_value_metadata?.find(({ key }) => key === SERIES_INFO_KEY)?.value;
  if (entry === undefined) throw new Error(`it has no entry "${SERIES_INFO_KEY}"`);
  const info = parseSeriesInfo(entry);
  const rows = Number(metadata.num_rows);
  checkRuns(info, rows);
  const columns = seriesColumns(info.resolution);
  checkColumns(metadata, columns);
  const end = size - PARQUET_TRAILER_BYTES - metadata.metadata_length;
  return { info, rows, length: metadata.metadata_length, groups: readGroups(metadata, columns, info, rows, end) };
}

function parseMetadata(tail: Uint8Array): FileMetaData {
  try {
    return parquetMetadata(tail, { geoparquet: false });
  } catch {
    throw new Error("it is not a Parquet file");
  }
}

/** The runs must follow each other without a gap and make up all rows. */
function checkRuns(info: SeriesInfo, rows: number): void {
  let next = 0;
  for (const { selector, firstRow, endRow } of runsOf(info)) {
    if (firstRow !== next) throw new Error(`its entry places ${selector} at row ${firstRow} instead of ${next}`);
    next = endRow;
  }
  if (next !== rows) throw new Error(`its entry lists ${next} rows instead of ${rows}`);
}

function checkColumns({ schema: [, ...found] }: FileMetaData, columns: readonly SchemaColumn[]): void {
  const expected = columns.map(({ name, type }) => `${name} ${type} REQUIRED`).join(", ");
  const actual = found.map(({ name, type, repetition_type }) => `${name} ${type} ${repetition_type}`).join(", ");
  if (actual !== expected) throw new Error(`its columns are ${actual} instead of ${expected}`);
}

function readGroups(
  { row_groups }: FileMetaData,
  columns: readonly SchemaColumn[],
  { digests }: SeriesInfo,
  rows: number,
  end: number,
): RowGroup[] {
  if (digests.length !== DIGEST_DIGITS * row_groups.length) {
    throw new Error("its entry does not hold one digest for each row group");
  }
  let firstRow = 0;
  const groups = row_groups.map((metadata, index): RowGroup => {
    const group = {
      firstRow,
      rows: Number(metadata.num_rows),
      ...boundsOf(metadata),
      digest: digests.slice(index * DIGEST_DIGITS, (index + 1) * DIGEST_DIGITS),
      chunks: chunksOf(metadata, columns, end),
    };
    firstRow += group.rows;
    return group;
  });
  if (firstRow !== rows) throw new Error(`its row groups have ${firstRow} rows instead of ${rows}`);
  return groups;
}

/** Everything is possible for a row group without statistics. */
function boundsOf({ columns }: RowGroupMetadata) {
  const bounds = (name: "t" | "block") => {
    const column = columns.find(({ meta_data }) => meta_data?.path_in_schema.join() === name);
    const { min_value, max_value } = column?.meta_data?.statistics ?? {};
    return [numberOf(min_value) ?? Number.NEGATIVE_INFINITY, numberOf(max_value) ?? Number.POSITIVE_INFINITY] as const;
  };
  const [since, until] = bounds("t");
  const [sinceBlock, untilBlock] = bounds("block");
  return { since, until, sinceBlock, untilBlock };
}

/** Unix seconds of a time, or a block number. */
function numberOf(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime() / 1000;
  return typeof value === "bigint" ? Number(value) : undefined;
}

function chunksOf({ columns: found, num_rows }: RowGroupMetadata, columns: readonly SchemaColumn[], end: number) {
  const chunks = columns.map(({ name, type }, index): [string, Chunk] => {
    const metadata = found[index]?.meta_data;
    if (metadata?.path_in_schema.join() !== name || metadata.num_values !== num_rows) {
      throw new Error(`its column ${name} does not have a value for each row`);
    }
    if (type !== "BYTE_ARRAY" && metadata.codec !== "ZSTD") throw new Error(`its column ${name} is not zstd`);
    const chunk = {
      offset: Number(metadata.dictionary_page_offset ?? metadata.data_page_offset),
      compressedBytes: Number(metadata.total_compressed_size),
      uncompressedBytes: Number(metadata.total_uncompressed_size),
      dataOffset: Number(metadata.data_page_offset),
    };
    if (!(chunk.offset >= 0 && chunk.compressedBytes > 0 && chunk.offset + chunk.compressedBytes <= end)) {
      throw new Error(`its column ${name} lies outside the file`);
    }
    return [name, chunk];
  });
  return Object.fromEntries(chunks) as unknown as RowGroup["chunks"];
}
