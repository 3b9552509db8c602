/** Parquet → series: `encodeSeries` (encode.ts) the other way round, by parquet-wasm. */

import { createHash } from "node:crypto";
import { parquetMetadata } from "hyparquet";
import { readParquet, wasmMemory } from "parquet-wasm";
import * as v from "valibot";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet.ts";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { DIGEST_DIGITS, SCHEMA_VERSION, SERIES_INFO_KEY, type SeriesInfo } from "../../data-schema/series.ts";
import type { SeriesRun } from "../engine/series.ts";

/** Rows decoded at once, at the least: WASM's memory never shrinks, and an object may have millions. */
const STRETCH_ROWS = 524_288;

/** Rows of a record batch; parquet-wasm allocates them ahead. */
const BATCH_ROWS = 16_384;

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
  const columns: Columns = {
    t: new Float64Array(rows),
    v: new Float64Array(rows),
    ...(info.resolution === "block" && { block: new Float64Array(rows) }),
  };
  const places = placesOf(info, rows);
  checkDigests(bytes, footer, info);
  let row = 0;
  for (const rowGroups of stretches(footer)) row = readRows(bytes, rowGroups, row, columns, places);
  if (row !== rows) throw new Error(`it has ${row} rows, and ${rows} by its footer`);

  const runs = places.map(({ selector, first, end }) => ({
    selector,
    t: columns.t.subarray(first, end),
    v: columns.v.subarray(first, end),
    ...(columns.block && { block: columns.block.subarray(first, end) }),
  }));
  return { info, runs };
}

type Footer = ReturnType<typeof parquetMetadata>;

function readFooter(bytes: Uint8Array): Footer {
  try {
    const { length } = bytes;
    const footer = new DataView(bytes.buffer, bytes.byteOffset + length - PARQUET_TRAILER_BYTES).getUint32(0, true);
    return parquetMetadata(bytes.slice(-PARQUET_TRAILER_BYTES - footer).buffer);
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

/** Row groups that are read at once. */
function* stretches({ row_groups }: Footer): Generator<number[]> {
  let stretch: number[] = [];
  let rows = 0;
  for (const [index, { num_rows }] of row_groups.entries()) {
    stretch.push(index);
    rows += Number(num_rows);
    if (rows < STRETCH_ROWS && index < row_groups.length - 1) continue;
    yield stretch;
    stretch = [];
    rows = 0;
  }
}

/** Rows [first, end) are one selector's. */
interface Place {
  selector: string;
  text: Uint8Array;
  first: number;
  end: number;
}

function placesOf({ cohorts }: SeriesInfo, rows: number): Place[] {
  let next = 0;
  const places = Object.entries(cohorts)
    // Keys that look like numbers come first in an object, wherever they stood.
    .sort(([, [a]], [, [b]]) => a - b)
    .map(([selector, [first, rows]]) => {
      if (first !== next) throw new Error(`its entry has ${selector} at row ${first} instead of ${next}`);
      next += rows;
      return { selector, text: new TextEncoder().encode(selector), first, end: next };
    });
  if (next !== rows) throw new Error(`it has ${rows} rows, and ${next} by its entry`);
  return places;
}

/** The columns of all rows. */
interface Columns {
  t: Float64Array;
  v: Float64Array;
  block?: Float64Array;
}

/**
 * Decodes row groups to their place in the columns.
 *
 * @param row index of their first row
 * @returns index of the row after them
 */
function readRows(
  bytes: Uint8Array,
  rowGroups: number[],
  row: number,
  columns: Columns,
  places: readonly Place[],
): number {
  const stream = openStream(bytes, rowGroups);
  try {
    let next = row;
    for (let i = 0; i < stream.numArrays(); i++) {
      next = copyBatch(stream.schemaAddr(), stream.arrayAddr(i), next, columns, places);
    }
    return next;
  } finally {
    stream.free();
  }
}

function openStream(bytes: Uint8Array, rowGroups: number[]) {
  try {
    return readParquet(bytes, { batchSize: BATCH_ROWS, rowGroups }).intoFFI();
  } catch (error) {
    throw new Error(`its rows can't be decoded (${String((error as Error).message ?? error).split("\n")[0]})`);
  }
}

/** The columns as Arrow's C data interface names their types. */
const FORMATS = { cohort: "u", t: "tsm:UTC", v: "g", block: "l" } as const;

/**
 * Copies a record batch out of WASM's memory.
 *
 * The layout of what lies at the addresses is that of Arrow's C data interface, with pointers of 32 bits.
 */
function copyBatch(schema: number, array: number, row: number, columns: Columns, places: readonly Place[]): number {
  const { buffer } = wasmMemory();
  const view = new DataView(buffer);
  const rows = Number(view.getBigInt64(array, true));
  const formats = Number(view.getBigInt64(schema + 24, true));
  const names = ["cohort", "t", "v", ...(columns.block ? ["block" as const] : [])] as (keyof typeof FORMATS)[];
  if (formats !== names.length) throw new Error(`it has ${formats} columns instead of ${names.length}`);
  if (row + rows > columns.t.length) throw new Error("it has more rows than its footer says");

  const children = view.getUint32(array + 44, true);
  names.forEach((name, index) => {
    const type = view.getUint32(view.getUint32(schema + 32, true) + 4 * index, true);
    const [format, called] = [0, 4].map((at) => cString(buffer, view.getUint32(type + at, true)));
    if (called !== name || format !== FORMATS[name])
      throw new Error(`its column ${called} is not ${name}, or of another type`);
    const child = view.getUint32(children + 4 * index, true);
    if (view.getBigInt64(child + 8, true) !== 0n) throw new Error(`it has nulls in ${name}`);
    const offset = Number(view.getBigInt64(child + 16, true));
    // The first buffer is the validity bitmap.
    const [values, texts] = [4, 8].map((at) => view.getUint32(view.getUint32(child + 40, true) + at, true));
    if (name === "cohort") {
      checkCohorts(new Int32Array(buffer, values + 4 * offset, rows + 1), new Uint8Array(buffer, texts), row, places);
    } else if (name === "v") {
      columns.v.set(new Float64Array(buffer, values + 8 * offset, rows), row);
    } else {
      const target = (name === "t" ? columns.t : columns.block!).subarray(row, row + rows);
      copyIntegers(new Uint32Array(buffer, values + 8 * offset, 2 * rows), name === "t" ? 1000 : 1, target);
    }
  });
  return row + rows;
}

function cString(buffer: ArrayBufferLike, address: number): string {
  const bytes = new Uint8Array(buffer, address);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

/** Halves of 64-bit integers: no BigInt for each row. */
function copyIntegers(words: Uint32Array, divisor: number, target: Float64Array): void {
  for (let i = 0; i < target.length; i++) {
    target[i] = ((words[2 * i + 1] | 0) * 0x1_0000_0000 + words[2 * i]) / divisor;
  }
}

/** The rows from `row` on must have the cohorts that the entry says. */
function checkCohorts(offsets: Int32Array, texts: Uint8Array, row: number, places: readonly Place[]): void {
  const end = row + offsets.length - 1;
  for (const place of places) {
    const { selector, text } = place;
    const [from, to] = [Math.max(place.first, row) - row, Math.min(place.end, end) - row];
    if (from >= to) continue;
    let at = offsets[from];
    for (let i = from; i < to; i++, at += text.length) {
      let same = offsets[i + 1] === at + text.length;
      for (let j = 0; same && j < text.length; j++) same = texts[at + j] === text[j];
      if (!same) throw new Error(`row ${row + i} is not one of ${selector}`);
    }
  }
}
