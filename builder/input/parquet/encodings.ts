/**
 * The bytes of Parquet's encodings → columns. Source: the Parquet format's Encodings.md.
 *
 * What is damaged, or too large for doubles, throws an Error.
 */

/** Bytes, and where the next value is in them. */
export class Cursor {
  readonly view: DataView;
  at: number;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array, at = 0) {
    this.view = new DataView(buffer, byteOffset, byteLength);
    this.at = at;
  }

  byte(): number {
    return this.view.getUint8(this.at++);
  }

  word(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  /** A variable-length number below 2^53. */
  varint(): number {
    let number = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      number += (byte & 127) * scale;
      if (byte < 128) return safe(number);
    }
  }

  /** A signed variable-length number, of which positive and negative ones take turns. */
  zigzag(): number {
    const number = this.varint();
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }
}

/** @throws {Error} a double does not hold it exactly */
function safe(number: number): number {
  if (!Number.isSafeInteger(number)) throw new Error("a number is too large");
  return number;
}

/** RLE: runs, and numbers of `width` bits that are packed, in turn. Fills `out`. */
export function runLengths(cursor: Cursor, width: number, out: Uint32Array): void {
  for (let row = 0; row < out.length; ) {
    const header = cursor.varint();
    // The lowest bit tells runs from packed numbers, which come in groups of eight.
    const count = header % 2 === 0 ? header / 2 : ((header - 1) / 2) * 8;
    if (count === 0) throw new Error("an empty run");
    const end = Math.min(row + count, out.length);
    if (header % 2 === 0) {
      let value = 0;
      for (let shift = 0; shift < width; shift += 8) value |= cursor.byte() << shift;
      out.fill(value, row, end);
    } else {
      unpack(cursor.view, cursor.at, width, out, row, end);
      cursor.at += (count / 8) * width;
    }
    row = end;
  }
}

/** Numbers of `width` bits, the first in the lowest bits, to `out` from `begin` to `end`. */
function unpack(
  view: DataView,
  at: number,
  width: number,
  out: Uint32Array | Float64Array,
  begin: number,
  end: number,
): void {
  if (width === 0) {
    out.fill(0, begin, end);
    return;
  }
  let bit = 0;
  let row = begin;
  // The last numbers may have fewer than eight bytes behind them, and wide ones are rare.
  const words = width > 32 ? 0 : Math.max(0, Math.floor((8 * (view.byteLength - at - 8)) / width));
  const last = begin + Math.min(words, end - begin);
  const unused = 32 - width;
  for (; row < last; row++, bit += width) {
    const byte = at + (bit >>> 3);
    const shift = bit & 7;
    let word = view.getUint32(byte, true) >>> shift;
    if (shift > unused) word |= view.getUint32(byte + 4, true) << (32 - shift);
    out[row] = (word << unused) >>> unused;
  }
  for (; row < end; row++, bit += width) out[row] = bits(view, at, bit, width);
}

/** The number of `width` bits from a bit on. */
function bits(view: DataView, at: number, bit: number, width: number): number {
  let number = 0;
  for (let done = 0, scale = 1; done < width; ) {
    const begin = (bit + done) & 7;
    const count = Math.min(8 - begin, width - done);
    number += ((view.getUint8(at + ((bit + done) >>> 3)) >>> begin) & (2 ** count - 1)) * scale;
    done += count;
    scale *= 2 ** count;
  }
  return safe(number);
}

/** DELTA_BINARY_PACKED: differences, less the least of their block. Fills `out`. */
export function deltas(cursor: Cursor, out: Float64Array): void {
  const blockValues = cursor.varint();
  const miniblocks = cursor.varint();
  const size = blockValues / miniblocks;
  if (cursor.varint() < out.length || !(size > 0 && size <= MOST_VALUES && size % 8 === 0)) {
    throw new Error(`miniblocks of ${size} values`);
  }
  const excess = new Float64Array(size);
  let value = cursor.zigzag();
  if (out.length > 0) out[0] = value;
  for (let row = 1; row < out.length; ) {
    const least = cursor.zigzag();
    const widths = cursor.at;
    cursor.at += miniblocks;
    for (let miniblock = 0; miniblock < miniblocks && row < out.length; miniblock++) {
      const width = cursor.view.getUint8(widths + miniblock);
      const count = Math.min(size, out.length - row);
      unpack(cursor.view, cursor.at, width, excess, 0, count);
      cursor.at += (size / 8) * width;
      for (let i = 0; i < count; i++) {
        value += least + excess[i]!;
        if (!(value >= -Number.MAX_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER)) throw new Error("large numbers");
        out[row++] = value;
      }
    }
  }
}

/** The most values that a miniblock may have. Writers make it 32 or 64. */
const MOST_VALUES = 4096;

/** How PLAIN whole numbers are stored. */
export interface IntegerType {
  bytes: 4 | 8;
  isSigned: boolean;
}

/** PLAIN whole numbers. Fills `out`. */
export function plainIntegers(cursor: Cursor, { bytes, isSigned }: IntegerType, out: Float64Array): void {
  const { view } = cursor;
  const high = (at: number) => (isSigned ? view.getInt32(at, true) : view.getUint32(at, true));
  for (let row = 0; row < out.length; row++, cursor.at += bytes) {
    out[row] = bytes === 4 ? high(cursor.at) : safe(high(cursor.at + 4) * 2 ** 32 + view.getUint32(cursor.at, true));
  }
}

/**
 * PLAIN texts or byte strings: where each begins, and its length in bytes.
 *
 * @param width the length of all, if they have no lengths of their own
 */
export function readPlainTexts(
  { view, at }: Cursor,
  count: number,
  width: number | undefined,
  starts: Uint32Array,
  lengths: Uint32Array,
): void {
  let start = at;
  for (let row = 0; row < count; row++) {
    const length = width ?? view.getUint32(start, true);
    if (width === undefined) start += 4;
    starts[row] = start;
    lengths[row] = length;
    start += length;
  }
  if (start > view.byteLength) throw new Error("it is cut off");
}
