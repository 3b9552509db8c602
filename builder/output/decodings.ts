/** The bytes of Parquet's encodings → columns: encodings.ts the other way round, and no more general than that is. */

/** Reads the numbers of a header, one after the other. */
class Cursor {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    if (this.at >= this.bytes.length) throw new Error("its numbers end too early");
    return this.bytes[this.at++];
  }

  /** LEB128, up to 2^53. */
  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      if (factor > Number.MAX_SAFE_INTEGER) throw new Error("it has a number that is too large");
    }
  }

  /** A varint with its sign in the lowest bit, up to 2^53 in magnitude. */
  zigzag(): number {
    const low = this.byte();
    const magnitude = ((low & 0x7f) >> 1) + (low < 0x80 ? 0 : this.varint() * 0x40);
    return low & 1 ? -magnitude - 1 : magnitude;
  }

  /** So many bytes from here on, and past them. */
  skip(count: number): number {
    const start = this.at;
    this.at += count;
    if (this.at > this.bytes.length) throw new Error("its numbers end too early");
    return start;
  }
}

/**
 * DELTA_BINARY_PACKED → whole numbers.
 *
 * @param values where they go; as many as there must be
 * @throws {Error} other bytes than `deltaBinaryPacked` makes
 */
export function deltaBinaryUnpacked(bytes: Uint8Array, values: Float64Array): void {
  const { length } = values;
  const cursor = new Cursor(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const blockValues = cursor.varint();
  const miniblocks = cursor.varint();
  const miniblockValues = blockValues / miniblocks;
  if (cursor.varint() !== length) throw new Error("it has another number of numbers");
  if (!(miniblockValues > 0 && miniblockValues % 32 === 0)) throw new Error("it has blocks of a wrong size");
  if (length > 0) values[0] = cursor.zigzag();

  for (let start = 1; start < length; start += blockValues) {
    const base = cursor.zigzag();
    const widths = cursor.skip(miniblocks);
    for (let miniblock = 0; miniblock < miniblocks; miniblock++) {
      const from = start + miniblock * miniblockValues;
      const to = Math.min(from + miniblockValues, length);
      if (from >= to) break;
      const bits = bytes[widths + miniblock];
      if (bits % 8 !== 0 || bits > 64) throw new Error("its numbers take no whole bytes");
      const width = bits / 8;
      const packed = cursor.skip(width * miniblockValues);
      if (width < 8) unpack(bytes, packed, width, base, values, from, to);
      else unpackWide(view, packed, base, values, from, to);
    }
  }
}

/** Deltas of less than 8 bytes above their base → the numbers [from, to), from the one before them. */
function unpack(
  bytes: Uint8Array,
  start: number,
  width: number,
  base: number,
  values: Float64Array,
  from: number,
  to: number,
): void {
  let value = values[from - 1];
  for (let i = from, at = start; i < to; i++, at += width) {
    let excess = 0;
    for (let byte = width - 1; byte >= 0; byte--) excess = excess * 0x100 + bytes[at + byte];
    value += base + excess;
    values[i] = value;
  }
}

/** As `unpack`, of deltas that doubles do not hold: two's complement. */
function unpackWide(view: DataView, start: number, base: number, values: Float64Array, from: number, to: number): void {
  let value = BigInt(values[from - 1]);
  for (let i = from; i < to; i++) {
    value = BigInt.asIntN(64, value + BigInt(base) + view.getBigInt64(start + 8 * (i - from), true));
    values[i] = Number(value);
  }
}

/** BYTE_STREAM_SPLIT → doubles: the inverse of `byteStreamSplit`, a square of bytes at a time likewise. */
export function byteStreamJoined(bytes: Uint8Array, values: Float64Array): void {
  const { length } = values;
  if (bytes.length !== 8 * length) throw new Error("it has another number of values");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * length);
  const fours = length - (length % 4);
  for (let half = 0; half < 2; half++) {
    const [first, second, third, fourth] = [0, 1, 2, 3].map((byte) => (4 * half + byte) * length);
    for (let i = 0; i < fours; i += 4) {
      const at = 2 * i + half;
      const a = view.getUint32(first + i, true);
      const b = view.getUint32(second + i, true);
      const c = view.getUint32(third + i, true);
      const d = view.getUint32(fourth + i, true);
      words[at] = (a & 0xff) | ((b & 0xff) << 8) | ((c & 0xff) << 16) | (d << 24);
      words[at + 2] = ((a >>> 8) & 0xff) | (b & 0xff00) | ((c & 0xff00) << 8) | ((d & 0xff00) << 16);
      words[at + 4] = ((a >>> 16) & 0xff) | ((b >>> 8) & 0xff00) | (c & 0xff0000) | ((d & 0xff0000) << 8);
      words[at + 6] = (a >>> 24) | ((b >>> 16) & 0xff00) | ((c >>> 8) & 0xff0000) | (d & 0xff000000);
    }
    for (let i = fours; i < length; i++) {
      words[2 * i + half] =
        bytes[first + i] | (bytes[second + i] << 8) | (bytes[third + i] << 16) | (bytes[fourth + i] << 24);
    }
  }
}

/** PLAIN → doubles. */
export function plainJoined(bytes: Uint8Array, values: Float64Array): void {
  if (bytes.length !== 8 * values.length) throw new Error("it has another number of values");
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength).set(bytes);
}
