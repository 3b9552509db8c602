/** Frames of zstd, without dictionaries. Their checksums are not looked at. Source: RFC 8878, 3.1. */

import { bitsLeft, check, openBackwards, readBackwards } from "./bits";
import {
  buildSingle,
  buildTable,
  describedEnd,
  describedLog,
  nextState,
  readCounts,
  symbolOf,
  takeCounts,
} from "./fse";
import { decodeLiterals, forgetCodes, readCodes } from "./huffman";

const MAGIC: u32 = 0xfd2f_b528;
const BLOCK_BYTES: usize = 131_072;
/** What may be written after the end of the output, 16 bytes at once. */
export const SLACK: usize = 64;

/** The literals of a block that are not there as they are. */
const literalBuffer: usize = memory.data(131_072 + 64, 16);
let literals: usize = 0;
let literalsEnd: usize = 0;

/** The tables of the three codes of a sequence: literals before the match, the match's length, its offset. */
const lengthStates: usize = memory.data(4 * 512, 16);
const matchStates: usize = memory.data(4 * 512, 16);
const offsetStates: usize = memory.data(4 * 256, 16);
let lengthLog: i32 = -1;
let matchLog: i32 = -1;
let offsetLog: i32 = -1;

/** The last three offsets. */
let offset1: u32 = 0;
let offset2: u32 = 0;
let offset3: u32 = 0;

/** Decompresses the frames from `at` to `end` to a place with `length` bytes and slack. */
export function decompress(at: usize, end: usize, into: usize, length: usize): void {
  const limit = into + length;
  let to = into;
  while (at < end) {
    check(end - at >= 6 && load<u32>(at) === MAGIC);
    const descriptor = <u32>load<u8>(at, 4);
    const isSingle = (descriptor >> 5) & 1;
    const sizeFlag = descriptor >> 6;
    // Neither a dictionary nor what is reserved.
    check((descriptor & 0b1011) === 0);
    at += 5 + <usize>(1 - isSingle) + <usize>(sizeFlag === 0 ? isSingle : (<u32>1) << sizeFlag);
    forgetCodes();
    lengthLog = matchLog = offsetLog = -1;
    offset1 = 1;
    offset2 = 4;
    offset3 = 8;
    const start = to;
    for (let isLast = false; !isLast; ) {
      check(at + 3 <= end);
      const header = load<u32>(at) & 0xff_ffff;
      at += 3;
      isLast = (header & 1) !== 0;
      const type = (header >> 1) & 3;
      const size = <usize>(header >> 3);
      if (type === 1) {
        check(at < end && size <= limit - to);
        memory.fill(to, load<u8>(at), size);
        at++;
        to += size;
        continue;
      }
      check(type !== 3 && size <= end - at);
      if (type === 0) {
        check(size <= limit - to);
        memory.copy(to, at, size);
        to += size;
      } else {
        to = decodeBlock(at, at + size, start, to, limit);
      }
      at += size;
    }
    if (descriptor & 4) at += 4;
  }
  check(at === end && to === limit);
}

function decodeBlock(at: usize, end: usize, start: usize, to: usize, limit: usize): usize {
  at = readLiterals(at, end);
  check(at < end);
  let sequences = <u32>load<u8>(at++);
  if (sequences >= 128) {
    if (sequences === 255) {
      sequences = <u32>load<u16>(at) + 0x7f00;
      at += 2;
    } else {
      sequences = ((sequences - 128) << 8) + <u32>load<u8>(at++);
    }
  }
  if (sequences > 0) {
    to = runSequences(readTables(at, end), end, sequences, start, to, limit);
  } else {
    check(at === end);
  }
  const rest = literalsEnd - literals;
  check(rest <= limit - to);
  memory.copy(to, literals, rest);
  return to + rest;
}

/** Returns where the section ends. */
function readLiterals(at: usize, end: usize): usize {
  check(at < end);
  const header = load<u64>(at);
  const type = <u32>header & 3;
  const format = (<u32>header >> 2) & 3;
  if (type < 2) {
    const isShort = (format & 1) === 0;
    const count = <usize>(
      (isShort ? <u32>(header & 0xff) >> 3 : (<u32>header & (format === 1 ? 0xffff : 0xff_ffff)) >> 4)
    );
    at += isShort ? 1 : format === 1 ? 2 : 3;
    check(count <= BLOCK_BYTES && at + (type === 0 ? count : 1) <= end);
    if (type === 0) {
      literals = at;
      at += count;
    } else {
      memory.fill(literalBuffer, load<u8>(at), count);
      literals = literalBuffer;
      at++;
    }
    literalsEnd = literals + count;
    return at;
  }
  const width: u64 = format < 2 ? 10 : format === 2 ? 14 : 18;
  const mask = ((<u64>1) << width) - 1;
  const count = <usize>((header >> 4) & mask);
  const stored = <usize>((header >> (4 + width)) & mask);
  at += format < 2 ? 3 : format === 2 ? 4 : 5;
  check(at <= end && count <= BLOCK_BYTES && stored <= end - at);
  const sectionEnd = at + stored;
  if (type === 2) at = readCodes(at, sectionEnd);
  decodeLiterals(at, sectionEnd, literalBuffer, count, format !== 0);
  literals = literalBuffer;
  literalsEnd = literals + count;
  return sectionEnd;
}

// The distributions of states that need no description. Source: RFC 8878, 3.1.1.3.2.2.
const KNOWN_LENGTHS: usize = memory.data<i16>([
  4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
]);
const KNOWN_MATCHES: usize = memory.data<i16>([
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
]);
const KNOWN_OFFSETS: usize = memory.data<i16>([
  1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
]);

/** Returns where the tables end. */
function readTables(at: usize, end: usize): usize {
  check(at < end);
  const modes = <u32>load<u8>(at++);
  check((modes & 3) === 0);
  if (modes >> 6 !== 3) {
    at = readTable(modes >> 6, at, end, lengthStates, KNOWN_LENGTHS, 36, 6, 9);
    lengthLog = <i32>describedLog;
  }
  if (((modes >> 4) & 3) !== 3) {
    at = readTable((modes >> 4) & 3, at, end, offsetStates, KNOWN_OFFSETS, 29, 5, 8);
    offsetLog = <i32>describedLog;
  }
  if (((modes >> 2) & 3) !== 3) {
    at = readTable((modes >> 2) & 3, at, end, matchStates, KNOWN_MATCHES, 53, 6, 9);
    matchLog = <i32>describedLog;
  }
  check(lengthLog >= 0 && offsetLog >= 0 && matchLog >= 0);
  return at;
}

/** @param symbols that the known distribution has; an offset may have three more */
function readTable(
  mode: u32,
  at: usize,
  end: usize,
  table: usize,
  known: usize,
  symbols: u32,
  knownLog: u32,
  mostLog: u32,
): usize {
  const most: u32 = table === offsetStates ? 32 : symbols;
  if (mode === 0) {
    takeCounts(known, symbols, knownLog);
    buildTable(table);
    return at;
  }
  if (mode === 1) {
    check(at < end && <u32>load<u8>(at) < most);
    buildSingle(table, load<u8>(at));
    return at + 1;
  }
  readCounts(at, end, mostLog, most);
  buildTable(table);
  return describedEnd;
}

// What codes from 16 and 32 on stand for: the least number, and how many bits are added. Source: RFC 8878, 3.1.1.3.2.1.1.
const LENGTHS: usize = memory.data<u32>([
  16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536,
]);
const LENGTH_BITS: usize = memory.data<u8>([1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const MATCHES: usize = memory.data<u32>([
  35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539,
]);
const MATCH_BITS: usize = memory.data<u8>([1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

function runSequences(at: usize, end: usize, sequences: u32, start: usize, to: usize, limit: usize): usize {
  openBackwards(at, end);
  let lengthState = <u32>readBackwards(<u64>lengthLog);
  let offsetState = <u32>readBackwards(<u64>offsetLog);
  let matchState = <u32>readBackwards(<u64>matchLog);
  for (let i: u32 = 0; i < sequences; i++) {
    const offsetCode = symbolOf(offsetStates, offsetState);
    const value = ((<u32>1) << offsetCode) + <u32>readBackwards(offsetCode);
    const matchCode = symbolOf(matchStates, matchState);
    let length: usize = <usize>matchCode + 3;
    if (matchCode >= 32) {
      const place = <usize>matchCode - 32;
      length = <usize>(load<u32>(MATCHES + 4 * place) + <u32>readBackwards(<u64>load<u8>(MATCH_BITS + place)));
    }
    const lengthCode = symbolOf(lengthStates, lengthState);
    let before = <usize>lengthCode;
    if (lengthCode >= 16) {
      const place = <usize>lengthCode - 16;
      before = <usize>(load<u32>(LENGTHS + 4 * place) + <u32>readBackwards(<u64>load<u8>(LENGTH_BITS + place)));
    }
    if (i + 1 < sequences) {
      lengthState = nextState(lengthStates, lengthState);
      matchState = nextState(matchStates, matchState);
      offsetState = nextState(offsetStates, offsetState);
    }

    const offset = <usize>takeOffset(value, before === 0);
    check(before <= literalsEnd - literals && before + length <= limit - to);
    copy(to, literals, before);
    literals += before;
    to += before;
    check(offset <= to - start && offset > 0);
    const from = to - offset;
    if (offset >= 16) {
      copy(to, from, length);
    } else if (offset === 1) {
      memory.fill(to, load<u8>(from), length);
    } else {
      for (let k: usize = 0; k < length; k++) store<u8>(to + k, load<u8>(from + k));
    }
    to += length;
  }
  check(bitsLeft() === 0);
  return to;
}

/** Small values stand for one of the last offsets. */
function takeOffset(value: u32, isNext: bool): u32 {
  if (value > 3) {
    offset3 = offset2;
    offset2 = offset1;
    offset1 = value - 3;
    return offset1;
  }
  const place = value + u32(isNext);
  if (place === 1) return offset1;
  const offset = place === 2 ? offset2 : place === 3 ? offset3 : offset1 - 1;
  if (place > 2) offset3 = offset2;
  offset2 = offset1;
  offset1 = offset;
  return offset;
}

/** Copies 16 bytes at once, of which the last may follow the end. */
function copy(to: usize, from: usize, count: usize): void {
  if (count === 0) return;
  if (count > 256) {
    // Where they overlap, what has been copied is copied again, 16 bytes at once.
    if (from + count <= to || from > to) {
      memory.copy(to, from, count);
      return;
    }
  }
  const end = to + count;
  do {
    v128.store(to, v128.load(from));
    to += 16;
    from += 16;
  } while (to < end);
}
