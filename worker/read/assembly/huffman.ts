/** Huffman codes of literals, in one stream or four. Source: RFC 8878, 4.2. */

import { backwardBits, bitsLeft, check, log2, openBackwards, readBackwards } from "./bits";
import { buildTable, describedEnd, describedLog, nextState, readCounts, symbolOf } from "./fse";

const MOST_BITS: u32 = 11;

/** For all values of that many bits: the symbol that they begin with, and the bits of its code. */
const codes: usize = memory.data(2 * 2048, 16);
let codeBits: u64 = 0;

const weights: usize = memory.data(256, 16);
const weightStates: usize = memory.data(4 * 64, 16);
/** Where the codes of each weight go next. */
const places: usize = memory.data(4 * 16, 16);

/** Codes of the frame before are none of this one. */
export function forgetCodes(): void {
  codeBits = 0;
}

/** Reads the weights of symbols. Returns where they end. */
export function readCodes(at: usize, end: usize): usize {
  check(at < end);
  const head = <u32>load<u8>(at++);
  let count: u32;
  if (head >= 128) {
    count = head - 127;
    const from = at;
    at += <usize>((count + 1) >> 1);
    check(at <= end);
    for (let i: u32 = 0; i < count; i++) {
      const two = load<u8>(from + <usize>(i >> 1));
      store<u8>(weights + <usize>i, i & 1 ? two & 15 : two >> 4);
    }
  } else {
    check(at + <usize>head <= end);
    count = readWeights(at, at + <usize>head);
    at += <usize>head;
  }
  assignCodes(count);
  return at;
}

/** Two states take turns, until one of them has no bits left. */
function readWeights(at: usize, end: usize): u32 {
  readCounts(at, end, 6, 16);
  buildTable(weightStates);
  openBackwards(describedEnd, end);
  let state = <u32>readBackwards(describedLog);
  let other = <u32>readBackwards(describedLog);
  let count: u32 = 0;
  while (true) {
    check(count < 254);
    store<u8>(weights + <usize>count, <u8>symbolOf(weightStates, state));
    count++;
    const following = nextState(weightStates, state);
    state = other;
    other = following;
    if (bitsLeft() < 0) {
      store<u8>(weights + <usize>count, <u8>symbolOf(weightStates, state));
      return count + 1;
    }
  }
}

/** The weight of the last symbol makes the sum a power of two. */
function assignCodes(count: u32): void {
  memory.fill(places, 0, 4 * 16);
  let sum: u32 = 0;
  for (let symbol: u32 = 0; symbol < count; symbol++) {
    const weight = <u32>load<u8>(weights + <usize>symbol);
    check(weight <= MOST_BITS);
    if (weight > 0) sum += 1 << (weight - 1);
  }
  check(sum > 0);
  const bits = log2(sum) + 1;
  const left = (1 << bits) - sum;
  check(bits <= MOST_BITS && (left & (left - 1)) === 0);
  store<u8>(weights + <usize>count, <u8>(log2(left) + 1));
  count++;

  for (let symbol: u32 = 0; symbol < count; symbol++) {
    const place = places + 4 * <usize>load<u8>(weights + <usize>symbol);
    store<u32>(place, load<u32>(place) + 1);
  }
  let next: u32 = 0;
  for (let weight: u32 = 1; weight <= bits; weight++) {
    const place = places + 4 * <usize>weight;
    const from = next;
    next += load<u32>(place) << (weight - 1);
    store<u32>(place, from);
  }
  for (let symbol: u32 = 0; symbol < count; symbol++) {
    const weight = <u32>load<u8>(weights + <usize>symbol);
    if (weight === 0) continue;
    const place = places + 4 * <usize>weight;
    const from = load<u32>(place);
    const to = from + (1 << (weight - 1));
    for (let i = from; i < to; i++) store<u16>(codes + 2 * <usize>i, <u16>(symbol | ((bits + 1 - weight) << 8)));
    store<u32>(place, to);
  }
  codeBits = <u64>bits;
}

/** Decodes literals. A stream must end where its bits do. */
export function decodeLiterals(at: usize, end: usize, into: usize, count: usize, isFour: bool): void {
  check(codeBits > 0);
  if (!isFour) {
    decodeRest(at, backwardBits(at, end), into, into + count);
    return;
  }
  check(at + 6 <= end);
  const begin0 = at + 6;
  const begin1 = begin0 + <usize>load<u16>(at);
  const begin2 = begin1 + <usize>load<u16>(at, 2);
  const begin3 = begin2 + <usize>load<u16>(at, 4);
  check(begin3 < end);
  let bits0 = backwardBits(begin0, begin1);
  let bits1 = backwardBits(begin1, begin2);
  let bits2 = backwardBits(begin2, begin3);
  let bits3 = backwardBits(begin3, end);
  const each: usize = (count + 3) >> 2;
  let to = into;
  check(count >= 3 * each);
  // The last stream has no more symbols than the others.
  const steps = (count - 3 * each) / SYMBOLS;
  const rest = 64 - codeBits;
  for (let step: usize = 0; step < steps; step++) {
    if (min(min(bits0, bits1), min(bits2, bits3)) < WINDOW) break;
    let window0 = window(begin0, bits0);
    let window1 = window(begin1, bits1);
    let window2 = window(begin2, bits2);
    let window3 = window(begin3, bits3);
    for (let i: usize = 0; i < SYMBOLS; i++) {
      const code0 = <u64>load<u16>(codes + <usize>((window0 >> rest) << 1));
      const code1 = <u64>load<u16>(codes + <usize>((window1 >> rest) << 1));
      const code2 = <u64>load<u16>(codes + <usize>((window2 >> rest) << 1));
      const code3 = <u64>load<u16>(codes + <usize>((window3 >> rest) << 1));
      store<u8>(to, <u8>code0);
      store<u8>(to + each, <u8>code1);
      store<u8>(to + 2 * each, <u8>code2);
      store<u8>(to + 3 * each, <u8>code3);
      window0 <<= code0 >> 8;
      window1 <<= code1 >> 8;
      window2 <<= code2 >> 8;
      window3 <<= code3 >> 8;
      bits0 -= <i64>(code0 >> 8);
      bits1 -= <i64>(code1 >> 8);
      bits2 -= <i64>(code2 >> 8);
      bits3 -= <i64>(code3 >> 8);
      to++;
    }
  }
  decodeRest(begin0, bits0, to, into + each);
  decodeRest(begin1, bits1, to + each, into + 2 * each);
  decodeRest(begin2, bits2, to + 2 * each, into + 3 * each);
  decodeRest(begin3, bits3, to + 3 * each, into + count);
}

/** Symbols that are decoded of the same bits at least. */
const SYMBOLS: usize = 5;
const WINDOW: i64 = 57;

/** The last 57 bits or more that are left, with the last one on top. */
function window(begin: usize, bits: i64): u64 {
  const from = bits - WINDOW;
  return load<u64>(begin + <usize>(from >> 3)) << (7 - (<u64>from & 7));
}

/** Decodes symbols one by one. */
function decodeRest(begin: usize, bits: i64, to: usize, end: usize): void {
  for (; to < end; to++) {
    const from = bits - <i64>codeBits;
    const value =
      from >= 0 ? load<u64>(begin + <usize>(from >> 3)) >> (<u64>from & 7) : load<u64>(begin) << (<u64>-from);
    const code = <u64>load<u16>(codes + <usize>((value & (((<u64>1) << codeBits) - 1)) << 1));
    store<u8>(to, <u8>code);
    bits -= <i64>(code >> 8);
    check(bits >= 0);
  }
  check(bits === 0);
}
