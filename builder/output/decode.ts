/**
 * Parquet → series: `encodeSeries` (encode.ts) the other way round. It reads what that writes and refuses the rest, in
 * less than half the time that parquet-wasm takes.
 */

import { createHash } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import { type ColumnMetaData, parquetMetadata } from "hyparquet";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import * as v from "valibot";
import { ENCODINGS, PARQUET_TRAILER_BYTES } from "../../data-schema/parquet.ts";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { DIGEST_DIGITS, SCHEMA_VERSION, SERIES_INFO_KEY, type SeriesInfo } from "../../data-schema/series.ts";
import type { SeriesRun } from "../engine/series.ts";
import { byteStreamJoined, deltaBinaryUnpacked, plainJoined } from "./decodings.ts";
import { dictionaryRuns, plainTexts } from "./encodings.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const infoSchema = v.object({
  schema: v.literal(SCHEMA_VERSION),
  symbol: v.string(),
  metric: v.string(),
  resolution: v.picklist(RESOLUTIONS),
  unit: v.picklist(["token", "usd", "usd_per_token", "ratio", "count"]),
  period: v.string(),
  cohorts: v.record(v.string(), v.tuple([count, v.pipe(count, v.minValue(1))])),
  digests: v.string(),
});

/** What a series object holds. */
export interface DecodedSeries {
  /** What the object says of itself. */
  info: SeriesInfo;
  /** As they were encoded. */
  runs: SeriesRun[];
}

/** The runs of a series object. @throws {Error} as `decodeObject` */
export function decodeSeries(bytes: Uint8Array): SeriesRun[] {
  return decodeObject(bytes).runs;
}

/**
 * What a series object holds, bit for bit what was encoded. Its rows are held against its own entry: every selector
 * must be where that says. What times, blocks and values are is not looked at.
 *
 * @throws {Error} what is wrong with the object, in a few words; it is to be taken for damaged
 */
export function decodeObject(bytes: Uint8Array): DecodedSeries {
  const footer = readFooter(bytes);
  const info = readInfo(footer);
  const rows = Number(footer.num_rows);
  const runs = emptyRuns(info, rows);
  checkDigests(bytes, footer, info);
  const columns = new Columns(rows, info.resolution === "block");
  let first = 0;
  for (const { columns: chunks, num_rows } of footer.row_groups) {
    const end = first + Number(num_rows);
    if (end > rows) throw new Error("it has more rows than its footer says");
    readGroup(bytes, chunks, columns.part(first, end), partsOf(runs, first, end));
    first = end;
  }
  if (first !== rows) throw new Error(`it has ${first} rows, and ${rows} by its footer`);
  return { info, runs: runs.map(({ selector, first, end }) => ({ selector, ...columns.part(first, end) })) };
}

type Footer = ReturnType<typeof parquetMetadata>;

function readFooter(bytes: Uint8Array): Footer {
  try {
    const { length } = bytes;
    const footer = new DataView(bytes.buffer, bytes.byteOffset + length - PARQUET_TRAILER_BYTES).getUint32(0, true);
    return parquetMetadata(bytes.slice(-PARQUET_TRAILER_BYTES - footer).buffer, { geoparquet: false });
  } catch {
    throw new Error("it is not a Parquet file");
  }
}

function readInfo(footer: Footer): SeriesInfo {
  const text = footer.key_value_metadata?.find(({ key }) => key === SERIES_INFO_KEY)?.value;
  if (text === undefined) throw new Error(`it has no entry "${SERIES_INFO_KEY}"`);
  try {
    return v.parse(infoSchema, JSON.parse(text));
  } catch {
    throw new Error(`its entry "${SERIES_INFO_KEY}" is of another schema version, or of a wrong form`);
  }
}

/** Rows [first, end) are one selector's. */
interface Part {
  selector: string;
  first: number;
  end: number;
}

function emptyRuns({ cohorts }: SeriesInfo, rows: number): Part[] {
  let next = 0;
  const runs = Object.entries(cohorts)
    // Keys that look like numbers come first in an object, wherever they stood.
    .sort(([, [a]], [, [b]]) => a - b)
    .map(([selector, [first, rows]]) => {
      if (first !== next) throw new Error(`its entry has ${selector} at row ${first} instead of ${next}`);
      next += rows;
      return { selector, first, end: next };
    });
  if (next !== rows) throw new Error(`it has ${rows} rows, and ${next} by its entry`);
  return runs;
}

/** The parts of runs that lie in some rows. */
function partsOf(runs: readonly Part[], first: number, end: number): Part[] {
  return runs
    .filter((run) => run.first < end && run.end > first)
    .map((run) => ({ ...run, first: Math.max(run.first, first), end: Math.min(run.end, end) }));
}

/** The columns of all rows. */
class Columns {
  readonly t: Float64Array<ArrayBuffer>;
  readonly v: Float64Array<ArrayBuffer>;
  readonly block?: Float64Array<ArrayBuffer>;

  constructor(rows: number, withBlocks: boolean) {
    this.t = new Float64Array(rows);
    this.v = new Float64Array(rows);
    if (withBlocks) this.block = new Float64Array(rows);
  }

  part(first: number, end: number): Omit<SeriesRun, "selector"> {
    const { t, v, block } = this;
    return {
      t: t.subarray(first, end),
      v: v.subarray(first, end),
      ...(block && { block: block.subarray(first, end) }),
    };
  }
}

/** The t and v of each row group, which lie side by side, must be the bytes that the entry says. */
function checkDigests(bytes: Uint8Array, { row_groups }: Footer, { digests }: SeriesInfo): void {
  if (digests.length !== DIGEST_DIGITS * row_groups.length) throw new Error("its entry has not a digest a row group");
  row_groups.forEach(({ columns }, index) => {
    const [t, v] = columns.slice(1).map(({ meta_data }) => meta_data);
    if (!t || !v) throw new Error("its footer lacks t or v");
    const end = Number(v.data_page_offset + v.total_compressed_size);
    const digest = createHash("sha256")
      .update(bytes.subarray(Number(t.data_page_offset), end))
      .digest("hex");
    if (!digests.startsWith(digest.slice(0, DIGEST_DIGITS), index * DIGEST_DIGITS)) {
      throw new Error(`the t and v of its row group ${index} are not the bytes that its entry says`);
    }
  });
}

/**
 * Decodes a row group to its place.
 *
 * @param to where its rows go
 * @param parts whose rows they must be
 */
function readGroup(
  bytes: Uint8Array,
  chunks: Footer["row_groups"][number]["columns"],
  to: Omit<SeriesRun, "selector">,
  parts: readonly Part[],
): void {
  const names = ["cohort", "t", "v", ...(to.block ? ["block"] : [])];
  const found = chunks.map(({ meta_data }) => meta_data?.path_in_schema.join(".")).join(", ");
  if (found !== names.join(", ")) throw new Error(`its columns are ${found} instead of ${names.join(", ")}`);
  const [cohort, t, v, block] = chunks.map(({ meta_data }) => meta_data!);
  checkCohorts(bytes, cohort, parts);
  deltaBinaryUnpacked(readPage(bytes, t, "DELTA_BINARY_PACKED", to.t.length), to.t);
  for (let i = 0; i < to.t.length; i++) to.t[i] /= 1000;
  if (v.encodings.includes("PLAIN")) plainJoined(readPage(bytes, v, "PLAIN", to.v.length), to.v);
  else byteStreamJoined(readPage(bytes, v, "BYTE_STREAM_SPLIT", to.v.length), to.v);
  if (to.block) {
    deltaBinaryUnpacked(readPage(bytes, block, "DELTA_BINARY_PACKED", to.block.length), to.block);
  }
}

/** The cohort column must have the very bytes that the encoder makes of these parts. */
function checkCohorts(bytes: Uint8Array, column: ColumnMetaData, parts: readonly Part[]): void {
  const rows = parts.reduce((sum, { first, end }) => sum + end - first, 0);
  const start = Number(column.dictionary_page_offset ?? column.data_page_offset);
  const { header, values } = pageAt(bytes, start);
  const selectors = plainTexts(parts.map(({ selector }) => selector));
  const isDictionary = header.field_7?.field_1 === parts.length && same(values, selectors);
  const counts = dictionaryRuns(parts.map(({ first, end }) => end - first));
  if (!isDictionary || !same(readPage(bytes, column, "RLE_DICTIONARY", rows), counts)) {
    throw new Error("its cohort column is not what its entry says");
  }
}

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

/** The values of a column's data page, still encoded. */
function readPage(bytes: Uint8Array, column: ColumnMetaData, encoding: keyof typeof ENCODINGS, rows: number) {
  const { header, values } = pageAt(bytes, Number(column.data_page_offset));
  const page = header.field_5;
  if (page?.field_1 !== rows || page.field_2 !== ENCODINGS[encoding]) {
    throw new Error(`a page of ${column.path_in_schema.join()} is not ${rows} values in ${encoding}`);
  }
  return column.codec === "ZSTD" ? decompress(values, header.field_2) : values;
}

/** The page that begins at an offset: its header, as the numbers of Thrift's fields, and its values as stored. */
function pageAt(bytes: Uint8Array, offset: number) {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset };
  try {
    const header = deserializeTCompactProtocol(reader);
    const values = bytes.subarray(reader.offset, reader.offset + header.field_3);
    if (values.length === header.field_3) return { header, values };
  } catch {
    // As a page that is too short.
  }
  throw new Error(`it has no page at byte ${offset}`);
}

function decompress(values: Uint8Array, length: number): Uint8Array {
  try {
    // One byte more than there may be, so that it is noticed.
    const plain = zstdDecompressSync(values, { chunkSize: Math.max(length + 1, 64), maxOutputLength: length + 64 });
    if (plain.length === length) return plain;
  } catch {
    // As a page of another length.
  }
  throw new Error("a page of it can't be decompressed");
}
