/**
 * Columns → the bytes of Parquet's encodings. Source: the Parquet format's Encodings.md.
 *
 * The first two see every point of every series. They return a view of memory that their next call overwrites:
 * allocating memory for every row group would cost more than filling it.
 */

import { ByteSink, writtenBytes } from "../text/bytes.ts";
import type { PageValues } from "./chunk.ts";
import type { SeriesUnit } from "./series-object.ts";

const differences = new ByteSink();
let streams = new Uint8Array(0);

/** Deltas that share a base. The format asks for a multiple of 128. */
const BLOCK_VALUES = 128;
/** Miniblocks of a block: as many as parquet-rs writes. All have one width, though, for it can skip no others. */
const MINIBLOCKS = 4;
const MINIBLOCK_VALUES = BLOCK_VALUES / MINIBLOCKS;

/** The packed deltas of one block, with room for one that is written wider than it is. */
const packed = new Uint8Array(8 * BLOCK_VALUES + 8);
const packedView = new DataView(packed.buffer);

/**
 * DELTA_BINARY_PACKED: differences, less the least of their block. Each takes whole bytes, although the format allows
 * any number of bits: zstd finds repeated differences more easily, and there are no bits to shift.
 *
 * @param values whole numbers below 2^53 in magnitude; at least one
 */
export function deltaBinaryPacked(values: Float64Array): Uint8Array {
  const { length } = values;
  const sink = differences;
  sink.clear();
  sink.varint(BLOCK_VALUES);
  sink.varint(MINIBLOCKS);
  sink.varint(length);
  sink.zigzag(values[0]!);
  for (let start = 1; start < length; start += BLOCK_VALUES) {
    const end = Math.min(start + BLOCK_VALUES, length);
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    for (let i = start; i < end; i++) {
      const delta = values[i]! - values[i - 1]!;
      if (delta < least) least = delta;
      if (delta > greatest) greatest = delta;
    }
    const isExact = Math.max(greatest, -least, greatest - least) <= Number.MAX_SAFE_INTEGER;
    const base = isExact ? least : 0;
    const bytes = isExact ? byteWidth(greatest - least) : 8;
    if (isExact) pack(values, start, end, base, bytes);
    else packWide(values, start, end);
    // The last block leaves out miniblocks without a value; all others are written whole.
    const used = Math.ceil((end - start) / MINIBLOCK_VALUES);
    const packedBytes = used * MINIBLOCK_VALUES * bytes;
    packed.fill(0, (end - start) * bytes, packedBytes);
    sink.zigzag(base);
    for (let miniblock = 0; miniblock < MINIBLOCKS; miniblock++) sink.byte(miniblock < used ? 8 * bytes : 0);
    sink.bytes(packed.subarray(0, packedBytes));
  }
  return sink.view();
}

/** Deltas less their base, little-endian. Bytes written beyond a delta's width are zero, and the next one overwrites them. */
function pack(values: Float64Array, start: number, end: number, base: number, bytes: number): void {
  if (bytes === 0) return;
  for (let i = start, at = 0; i < end; i++, at += bytes) {
    const excess = values[i]! - values[i - 1]! - base;
    packedView.setUint32(at, excess, true);
    if (bytes > 4) packedView.setUint32(at + 4, excess / 0x1_0000_0000, true);
  }
}

/** Deltas that doubles cannot hold exactly, without a base: in two's complement, as the format adds them. */
function packWide(values: Float64Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    packedView.setBigInt64(8 * (i - start), BigInt(values[i]!) - BigInt(values[i - 1]!), true);
  }
}

/** Bytes that hold a whole number from 0 to 2^53. */
function byteWidth(value: number): number {
  let bytes = 0;
  for (let rest = value; rest >= 1; rest /= 0x100) bytes++;
  return bytes;
}

/** BYTE_STREAM_SPLIT: the first bytes of all values, then the second bytes, and so on. */
export function byteStreamSplit(values: Float64Array): Uint8Array {
  const { length } = values;
  if (streams.length < 8 * length) streams = new Uint8Array(8 * length);
  const split = streams.subarray(0, 8 * length);
  const view = new DataView(streams.buffer);
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * length);
  const fours = length - (length % 4);
  for (let half = 0; half < 2; half++) {
    const first = 4 * half * length;
    const second = first + length;
    const third = second + length;
    const fourth = third + length;
    // Four values at a time, four bytes of each: a transposed square of bytes.
    for (let i = 0; i < fours; i += 4) {
      const at = 2 * i + half;
      const a = words[at]!;
      const b = words[at + 2]!;
      const c = words[at + 4]!;
      const d = words[at + 6]!;
      view.setUint32(first + i, (a & 0xff) | ((b & 0xff) << 8) | ((c & 0xff) << 16) | (d << 24), true);
      view.setUint32(second + i, ((a >>> 8) & 0xff) | (b & 0xff00) | ((c & 0xff00) << 8) | ((d & 0xff00) << 16), true);
      view.setUint32(
        third + i,
        ((a >>> 16) & 0xff) | ((b >>> 8) & 0xff00) | (c & 0xff0000) | ((d & 0xff0000) << 8),
        true,
      );
      view.setUint32(fourth + i, (a >>> 24) | ((b >>> 16) & 0xff00) | ((c >>> 8) & 0xff0000) | (d & 0xff000000), true);
    }
    for (let i = fours; i < length; i++) {
      const word = words[2 * i + half]!;
      split[first + i] = word;
      split[second + i] = word >>> 8;
      split[third + i] = word >>> 16;
      split[fourth + i] = word >>> 24;
    }
  }
  return split;
}

/**
 * Definition levels of a column that may have nulls, where NaN stands for one: RLE behind its length, a single run if
 * there are no nulls, otherwise a bit a row.
 *
 * @param nulls how many there are
 */
export function definitionLevels(values: Float64Array, nulls: number): Uint8Array {
  const { length } = values;
  const groups = Math.ceil(length / 8);
  const sink = new ByteSink(16 + groups);
  sink.bytes([0, 0, 0, 0]);
  if (nulls === 0) {
    sink.varint(2 * length);
    sink.byte(1);
  } else {
    sink.varint(2 * groups + 1);
    for (let from = 0; from < length; from += 8) {
      const to = Math.min(from + 8, length);
      let bits = 0;
      for (let row = from; row < to; row++) if (!Number.isNaN(values[row])) bits |= 1 << (row - from);
      sink.byte(bits);
    }
  }
  const levels = sink.view();
  new DataView(levels.buffer).setUint32(0, levels.length - 4, true);
  return levels;
}

/** Values of a series. Counts are small whole numbers, which zstd compresses better unsplit. */
export function seriesValues(unit: SeriesUnit, values: Float64Array): Pick<PageValues, "encoding" | "data"> {
  return unit === "count"
    ? { encoding: "PLAIN", data: plainDoubles(values) }
    : { encoding: "BYTE_STREAM_SPLIT", data: byteStreamSplit(values) };
}

/** PLAIN doubles: their bytes as they are. */
export function plainDoubles(values: Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** One PLAIN 64-bit integer: a whole number below 2^53 in magnitude. */
export const int64 = (value: number): Uint8Array => new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);

/** PLAIN texts: each after its length in bytes. */
export function writePlainTexts(texts: readonly string[]): Uint8Array {
  return writtenBytes((sink) => {
    for (const text of texts) {
      const bytes = encoder.encode(text);
      for (let shift = 0; shift < 32; shift += 8) sink.byte((bytes.length >>> shift) & 0xff);
      sink.bytes(bytes);
    }
  });
}

const encoder = new TextEncoder();

/** Width of an index into a dictionary: whole bytes, enough for any number of selectors. */
const INDEX_BITS = 16;

/**
 * RLE_DICTIONARY: indices into a dictionary each of whose entries stands for one run of values, in order.
 *
 * @param counts the length of each run
 */
export function dictionaryRuns(counts: readonly number[]): Uint8Array {
  return writtenBytes((sink) => {
    sink.byte(INDEX_BITS);
    counts.forEach((count, index) => {
      // The lowest bit distinguishes a run from packed values.
      sink.varint(2 * count);
      sink.byte(index % 0x100);
      sink.byte(index >>> 8);
    });
  });
}
