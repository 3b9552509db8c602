/** Streams of bits, as zstd and Parquet have them. */

/** Ends in an exception: the bytes are damaged. */
export function check(isRight: bool): void {
  if (!isRight) unreachable();
}

/** Up to 56 bits, the lowest first, that begin at a bit of what lies at `start`. */
export function bitsAt(start: usize, bit: i64, count: u64): u64 {
  return (load<u64>(start + <usize>(bit >> 3)) >> (<u64>bit & 7)) & (((<u64>1) << count) - 1);
}

/** ⌊log₂⌋ of a number from 1. */
export function log2(value: u32): u32 {
  return 31 - clz(value);
}

/** Where a stream that is read backwards lies, and how many of its bits are still to be read: less than none past its start. */
let streamStart: usize = 0;
let streamBits: i64 = 0;

/** Opens a stream that ends with a 1 and zeros, up to `end`. */
export function openBackwards(start: usize, end: usize): void {
  streamStart = start;
  streamBits = backwardBits(start, end);
}

/** The bits of a stream that is read backwards. */
export function backwardBits(start: usize, end: usize): i64 {
  check(start < end);
  const last = <u32>load<u8>(end - 1);
  check(last !== 0);
  return ((<i64>(end - start - 1)) << 3) + log2(last);
}

/** The last bits that have not been read, at most 56; zeros in place of those before the start. */
export function readBackwards(count: u64): u64 {
  streamBits -= <i64>count;
  if (streamBits >= 0) return bitsAt(streamStart, streamBits, count);
  if (streamBits <= -64) return 0;
  return (load<u64>(streamStart) << (<u64>-streamBits)) & (((<u64>1) << count) - 1);
}

export function bitsLeft(): i64 {
  return streamBits;
}
