/**
 * A series object: one metric, one resolution, one period, every cohort, as Parquet. Its columns are in
 * parquet/columns.ts; rows are sorted by cohort in registry order, then by t (and block), so that one series is one
 * contiguous run of rows. Sums hold no zeros. Its footer says where the rows of each selector and the bytes of each row
 * group lie; the messages of its errors are clauses that follow the name of the object.
 * Source: docs/formats.md#series-objects.
 */

import * as v from "valibot";
import { type MetricUnit, UNITS } from "../registry/metrics.ts";
import { RESOLUTIONS } from "../registry/resolutions.ts";
import { seriesColumns } from "./columns.ts";
import { PARQUET_TRAILER_BYTES, type SchemaColumn } from "./file-metadata.ts";
import { type FooterGroup, readFooter, type StoredFooter } from "./read-footer.ts";

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

/** Looked at by hand, as there are many in every footer. */
const areRows = (cohorts: unknown) =>
  typeof cohorts === "object" &&
  cohorts !== null &&
  Object.values(cohorts).every(
    (rows) => Array.isArray(rows) && rows.length === 2 && rows.every(Number.isInteger) && rows[0] >= 0 && rows[1] > 0,
  );

const infoSchema = v.object({
  schema: v.literal(SCHEMA_VERSION),
  symbol: v.string(),
  /** The metric; in an object of an own cohort, the cohort. */
  metric: v.string(),
  resolution: v.picklist(RESOLUTIONS),
  unit: v.picklist([...UNITS, VARIOUS_UNITS]),
  period: v.string(),
  /** Where the rows of each selector, or of each metric of an own cohort, lie: its first row, and how many it has. A selector without a row has no entry. */
  cohorts: v.custom<Record<string, [first: number, count: number]>>(areRows),
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
  const footer = storedFooter(tail);
  const entry = footer.entries.get(SERIES_INFO_KEY);
  if (entry === undefined) throw new Error(`it has no entry "${SERIES_INFO_KEY}"`);
  const info = parseSeriesInfo(entry);
  const { rows, length } = footer;
  checkRuns(info, rows);
  const columns = seriesColumns(info.resolution);
  checkColumns(footer, columns);
  const end = size - PARQUET_TRAILER_BYTES - length;
  return { info, rows, length, groups: readGroups(footer, columns, info, end) };
}

function storedFooter(tail: Uint8Array): StoredFooter {
  try {
    return readFooter(tail);
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

function checkColumns({ columns: found }: StoredFooter, columns: readonly SchemaColumn[]): void {
  const expected = columns.map(({ name, type }) => `${name} ${type} REQUIRED`).join(", ");
  const actual = found.map(({ name, type, repetition }) => `${name} ${type} ${repetition}`).join(", ");
  if (actual !== expected) throw new Error(`its columns are ${actual} instead of ${expected}`);
}

function readGroups(
  { groups: found, rows }: StoredFooter,
  columns: readonly SchemaColumn[],
  { digests }: SeriesInfo,
  end: number,
): RowGroup[] {
  if (digests.length !== DIGEST_DIGITS * found.length) {
    throw new Error("its entry does not hold one digest for each row group");
  }
  let firstRow = 0;
  const groups = found.map((stored, index): RowGroup => {
    const group = {
      firstRow,
      rows: stored.rows,
      ...boundsOf(stored),
      digest: digests.slice(index * DIGEST_DIGITS, (index + 1) * DIGEST_DIGITS),
      chunks: chunksOf(stored, columns, end),
    };
    firstRow += group.rows;
    return group;
  });
  if (firstRow !== rows) throw new Error(`its row groups have ${firstRow} rows instead of ${rows}`);
  return groups;
}

/** Everything is possible for a row group without statistics. */
function boundsOf({ columns }: FooterGroup) {
  const bounds = (name: "t" | "block", divisor: number) => {
    const { min, max } = columns.find((column) => column.name === name) ?? {};
    const least = min ? numberOf(min) / divisor : Number.NEGATIVE_INFINITY;
    return [least, max ? numberOf(max) / divisor : Number.POSITIVE_INFINITY] as const;
  };
  const [since, until] = bounds("t", MILLISECONDS);
  const [sinceBlock, untilBlock] = bounds("block", 1);
  return { since, until, sinceBlock, untilBlock };
}

/** Times are stored in milliseconds. */
const MILLISECONDS = 1000;

/** A PLAIN 64-bit integer. */
const numberOf = ({ buffer, byteOffset }: Uint8Array) => Number(new DataView(buffer, byteOffset).getBigInt64(0, true));

function chunksOf({ columns: found, rows }: FooterGroup, columns: readonly SchemaColumn[], end: number) {
  const chunks = columns.map(({ name, type }, index): [string, Chunk] => {
    const chunk = found[index];
    if (chunk?.name !== name || chunk.values !== rows) {
      throw new Error(`its column ${name} does not have a value for each row`);
    }
    if (type !== "BYTE_ARRAY" && chunk.codec !== "ZSTD") throw new Error(`its column ${name} is not zstd`);
    if (!(chunk.offset >= 0 && chunk.compressedBytes > 0 && chunk.offset + chunk.compressedBytes <= end)) {
      throw new Error(`its column ${name} lies outside the file`);
    }
    const { offset, compressedBytes, uncompressedBytes, dataOffset } = chunk;
    return [name, { offset, compressedBytes, uncompressedBytes, dataOffset }];
  });
  return Object.fromEntries(chunks) as unknown as RowGroup["chunks"];
}
