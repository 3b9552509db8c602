/**
 * The columns of a series object → arrays of numbers, without a Parquet library: pages as encode-series.ts of the builder
 * writes them, decompressed by Node's zstd. Workers decode the same pages by a kernel (worker/read/objects/decode-rows.ts).
 */

import { ENCODINGS } from "./file-metadata.ts";
import { readPageHeader, unpackByNode } from "./plain-pages.ts";
import type { RowGroup } from "./series-object.ts";
import { unsplitBytes } from "./split-bytes.ts";

type Chunk = RowGroup["chunks"]["t"];

/** Where decoded rows go: arrays of equal length. t is in Unix seconds. */
export interface Columns {
  t: Float64Array;
  v: Float64Array;
  block?: Float64Array;
}

/**
 * Decodes row groups, of which the first begins with the first row of the columns.
 *
 * @param bytes of the whole object
 * @throws {Error} a page is cut off, is not of the form that the builder writes, or has other rows than its footer says
 */
export function decodeColumns(bytes: Uint8Array, groups: readonly RowGroup[], into: Partial<Columns>): void {
  let row = 0;
  for (const { rows, chunks } of groups) {
    const end = row + rows;
    if (into.t) readIntegers(valuesOf(bytes, chunks.t, rows, INTEGERS), MILLISECONDS, into.t.subarray(row, end));
    if (into.v) readDoubles(valuesOf(bytes, chunks.v, rows, DOUBLES), into.v.subarray(row, end));
    if (into.block) readIntegers(valuesOf(bytes, chunks.block!, rows, INTEGERS), 1, into.block.subarray(row, end));
    row = end;
  }
}

/** Times are stored in milliseconds. */
export const MILLISECONDS = 1000;

/** The encodings that columns may have, by their numbers. */
export const INTEGERS: readonly number[] = [ENCODINGS.DELTA_BINARY_PACKED];
export const DOUBLES: readonly number[] = [ENCODINGS.PLAIN, ENCODINGS.BYTE_STREAM_SPLIT];

interface Values {
  encoding: number;
  values: Uint8Array;
}

function valuesOf(bytes: Uint8Array, chunk: Chunk, rows: number, encodings: readonly number[]): Values {
  const { encoding, stored, length } = pageOf(bytes, 0, chunk, rows, encodings);
  const values = unpackByNode(stored, length);
  if (values.length !== length) throw new Error("a page has other bytes than its header says");
  return { encoding, values };
}

/**
 * The only page of a column of a row group, as it is stored.
 *
 * @param bytes a range of the object that has the column
 * @param start where that range starts in the object
 * @returns also the bytes that it has decompressed
 * @throws {Error} it is cut off, is not of the form that the builder writes, or has other rows than its footer says
 */
export function pageOf(
  bytes: Uint8Array,
  start: number,
  { offset, dataOffset, compressedBytes }: Chunk,
  rows: number,
  encodings: readonly number[],
): { encoding: number; stored: Uint8Array; length: number } {
  const header = readPageHeader(bytes, dataOffset - start);
  const end = header.end + header.stored;
  if (end !== offset - start + compressedBytes || end > bytes.length || header.rows !== rows) {
    throw new Error("a column has other pages than its footer says");
  }
  const { encoding = -1 } = header;
  if (!encodings.includes(encoding)) throw new Error(`a page has the encoding ${encoding}`);
  return { encoding, stored: bytes.subarray(header.end, end), length: header.length };
}

/** PLAIN or BYTE_STREAM_SPLIT. Fills `into`. */
function readDoubles({ encoding, values }: Values, into: Float64Array): void {
  if (values.length !== into.byteLength) throw new Error("a page has fewer or more values than rows");
  const plain = encoding === ENCODINGS.PLAIN ? values : unsplitBytes(values, 8);
  new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(plain);
}

/** DELTA_BINARY_PACKED whole numbers. Fills `into` with them, divided. */
function readIntegers({ values: bytes }: Values, divisor: number, into: Float64Array): void {
  let at = 0;
  const byte = () => {
    const next = bytes[at++];
    if (next === undefined) throw new Error("a page ends too early");
    return next;
  };
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const next = byte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
    }
  };
  const zigzag = () => {
    // By halves, since a double may not hold twice the number exactly.
    const low = byte();
    const rest = low < 0x80 ? 0 : varint();
    const magnitude = rest * 0x40 + ((low & 0x7f) >>> 1);
    return low % 2 === 0 ? magnitude : -magnitude - 1;
  };
  const [blockValues, miniblocks] = [varint(), varint()];
  const size = blockValues / miniblocks;
  if (varint() !== into.length || !(size > 0 && size <= MOST_VALUES && size % 8 === 0)) {
    throw new Error("a page has fewer or more values than rows");
  }
  let value = zigzag();
  if (into.length > 0) into[0] = value;
  for (let row = 1; row < into.length; ) {
    const least = zigzag();
    const widths = at;
    at += miniblocks;
    for (let miniblock = 0; miniblock < miniblocks && row < into.length; miniblock++) {
      const bits = bytes[widths + miniblock] ?? 1;
      const begin = at;
      const end = Math.min(row + size, into.length);
      at += (size / 8) * bits;
      if (bits % 8 !== 0 || bits > 64 || at > bytes.length) throw new Error(`a page has values of ${bits} bits`);
      value = addDeltas(bytes, begin, bits / 8, least, value, into.subarray(row, end));
      row = end;
    }
  }
  if (divisor !== 1) for (let row = 0; row < into.length; row++) into[row]! /= divisor;
}

/** The most values that a miniblock may have. */
const MOST_VALUES = 4096;

/**
 * Adds up differences of `width` bytes each, and the least of them. Fills `into`.
 *
 * @returns the last number
 */
function addDeltas(
  bytes: Uint8Array,
  begin: number,
  width: number,
  least: number,
  before: number,
  into: Float64Array,
): number {
  let [value, at] = [before, begin];
  if (width === 8) {
    // Differences that doubles can't hold exactly: they wrap around.
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    for (let i = 0; i < into.length; i++, at += 8) {
      value = Number(BigInt.asIntN(64, BigInt(value) + BigInt(least) + view.getBigInt64(at, true)));
      into[i] = value;
    }
    return value;
  }
  for (let i = 0; i < into.length; i++, at += width) {
    let low = 0;
    let high = 0;
    for (let k = 0; k < width; k++) {
      if (k < 4) low |= bytes[at + k]! << (8 * k);
      else high |= bytes[at + k]! << (8 * k - 32);
    }
    value += least + (high * 4_294_967_296 + (low >>> 0));
    into[i] = value;
  }
  return value;
}
