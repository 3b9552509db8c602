/** Addresses and values in bulk, by the rules of cells.ts: from a column to 32-bit words. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import { ADDRESS_WORDS } from "./addresses.ts";
import type { ByFamily } from "./columns.ts";
import { quads, textRoom, texts } from "./vectors.ts";

/** 32-bit words of a value while it is read. */
export const VALUE_WORDS = 8;

/** Where the words of a chunk's rows go: those of row r from `offset + r · stride`. */
export interface WordTarget {
  words: Uint32Array;
  offset: number;
  stride: number;
}

export interface WordDecoder {
  /** SQL for a cell, never NULL. */
  sql(column: string): string;
  /** Reads the rows of a chunk; `refused` of a row becomes 1 if the rule refuses its cell. */
  decode(chunk: DuckDBDataChunk, column: number, target: WordTarget, refused: Uint8Array): void;
}

/**
 * A decoder of texts or byte strings, one by one. `read` writes the words of the `length` bytes from `start` and answers
 * false for a cell that is refused.
 */
function fromTexts(
  empty: string,
  read: (bytes: DataView, start: number, length: number, words: Uint32Array, at: number) => boolean,
): WordDecoder {
  const room = textRoom();
  return {
    sql: (column) => `coalesce(${column}, ${empty})`,
    decode(chunk, column, { words, offset, stride }, refused) {
      const { rows, view, starts, lengths } = texts(chunk, column, room);
      for (let row = 0; row < rows; row++) {
        if (!read(view, starts[row], lengths[row], words, offset + row * stride)) refused[row] = 1;
      }
    },
  };
}

const EMPTY_TEXT = "''";
const EMPTY_BYTES = "''::BLOB";

/** What two characters write, by the little-endian word that they are; −1 for all others, so that one shows in the sign of several ORed together. */
function pairTable(base: 10 | 16): Int16Array {
  const table = new Int16Array(1 << 16).fill(-1);
  const digits = base === 16 ? "0123456789abcdefABCDEF" : "0123456789";
  for (const first of digits) {
    for (const second of digits) {
      table[first.charCodeAt(0) | (second.charCodeAt(0) << 8)] = Number.parseInt(first + second, base);
    }
  }
  return table;
}

const HEX_PAIRS = pairTable(16);
const [ZERO, SMALL_X, CASE_BIT] = [0x30, 0x78, 0x20];

function startsWith0x(bytes: DataView, start: number): boolean {
  return bytes.getUint8(start) === ZERO && (bytes.getUint8(start + 1) | CASE_BIT) === SMALL_X;
}

/** The byte that two hexadecimal digits write; −1 if they are none. */
const hexByte = (bytes: DataView, at: number) => HEX_PAIRS[bytes.getUint16(at, true)];

/** Addresses: their bytes in order, in little-endian words. */
export const ADDRESSES: ByFamily<WordDecoder> = {
  text: fromTexts(EMPTY_TEXT, (bytes, start, length, words, at) => {
    if (length !== 42 || !startsWith0x(bytes, start)) return false;
    let all = 0;
    for (let word = 0; word < ADDRESS_WORDS; word++) {
      const from = start + 2 + 8 * word;
      const a = hexByte(bytes, from);
      const b = hexByte(bytes, from + 2);
      const c = hexByte(bytes, from + 4);
      const d = hexByte(bytes, from + 6);
      all |= a | b | c | d;
      words[at + word] = a | (b << 8) | (c << 16) | (d << 24);
    }
    return all >= 0;
  }),

  bytes: fromTexts(EMPTY_BYTES, (bytes, start, length, words, at) => {
    if (length !== 20) return false;
    for (let word = 0; word < ADDRESS_WORDS; word++) words[at + word] = bytes.getUint32(start + 4 * word, true);
    return true;
  }),
};

/** 2^128 − 1 marks what is not a whole number from 0: no column of integers or decimals reaches it. */
const NO_NUMBER = "340282366920938463463374607431768211455::UHUGEINT";

function fromUnsigned(sql: (column: string) => string): WordDecoder {
  return {
    sql: (column) => `coalesce(${sql(column)}, ${NO_NUMBER})`,
    decode(chunk, column, { words, offset, stride }, refused) {
      const numbers = quads(chunk, column);
      for (let row = 0; 4 * row < numbers.length; row++) {
        const at = offset + row * stride;
        const from = 4 * row;
        if ((numbers[from] & numbers[from + 1] & numbers[from + 2] & numbers[from + 3]) === -1) refused[row] = 1;
        for (let word = 0; word < VALUE_WORDS; word++) words[at + word] = word < 4 ? numbers[from + word] : 0;
      }
    },
  };
}

/** A group of digits times 2^32 is still exact in a double, and so are the digits that come first. */
const GROUP_DIGITS = 6;
const GROUP = 10 ** GROUP_DIGITS;
const FIRST_DIGITS = 15;
const MAX_DIGITS = 78;
const WORD = 2 ** 32;
const PER_WORD = 1 / WORD;

const DECIMAL_PAIRS = pairTable(10);

/** The number that digits write, up to 15 of them; NaN if one is none. */
function digitsNumber(bytes: DataView, from: number, to: number): number {
  const odd = (to - from) & 1;
  let number = odd === 0 ? 0 : bytes.getUint8(from) - ZERO;
  let all = number | (9 - number);
  for (let at = from + odd; at < to; at += 2) {
    const pair = DECIMAL_PAIRS[bytes.getUint16(at, true)];
    all |= pair;
    number = number * 100 + pair;
  }
  return all < 0 ? Number.NaN : number;
}

/** Values in decimal digits, or numbers: little-endian words. */
export const VALUES: ByFamily<WordDecoder> = {
  text: fromTexts(EMPTY_TEXT, (bytes, start, length, words, at) => {
    if (length === 0 || length > MAX_DIGITS) return false;
    const end = start + length;
    // As many as leave whole groups.
    const groups = Math.max(Math.ceil((length - FIRST_DIGITS) / GROUP_DIGITS), 0);
    let from = end - groups * GROUP_DIGITS;
    const first = digitsNumber(bytes, start, from);
    const high = Math.floor(first * PER_WORD);
    words[at] = first - high * WORD;
    words[at + 1] = high;
    for (let word = 2; word < VALUE_WORDS; word++) words[at + word] = 0;
    let used = 2;
    let valid = !Number.isNaN(first);
    for (; from < end; from += GROUP_DIGITS) {
      let carry = digitsNumber(bytes, from, from + GROUP_DIGITS);
      valid &&= !Number.isNaN(carry);
      for (let word = 0; word < used; word++) {
        const product = words[at + word] * GROUP + carry;
        carry = Math.floor(product * PER_WORD);
        words[at + word] = product - carry * WORD;
      }
      if (carry > 0) {
        if (used === VALUE_WORDS) return false;
        words[at + used++] = carry;
      }
    }
    return valid;
  }),
  integer: fromUnsigned((column) => `TRY_CAST(${column} AS UHUGEINT)`),
  decimal: fromUnsigned((column) => `CASE WHEN ${column} = trunc(${column}) THEN TRY_CAST(${column} AS UHUGEINT) END`),
};

/** Values as 32 big-endian bytes, or those in hexadecimal: little-endian words. */
export const BINARY_VALUES: ByFamily<WordDecoder> = {
  text: fromTexts(EMPTY_TEXT, (bytes, start, length, words, at) => {
    if (length !== 66 || !startsWith0x(bytes, start)) return false;
    let all = 0;
    for (let word = 0; word < VALUE_WORDS; word++) {
      const from = start + 2 + 8 * (VALUE_WORDS - 1 - word);
      let value = 0;
      for (let at = from; at < from + 8; at += 2) {
        const byte = hexByte(bytes, at);
        all |= byte;
        value = (value << 8) | byte;
      }
      words[at + word] = value;
    }
    return all >= 0;
  }),
  bytes: fromTexts(EMPTY_BYTES, (bytes, start, length, words, at) => {
    if (length !== 32) return false;
    for (let word = 0; word < VALUE_WORDS; word++) {
      words[at + word] = bytes.getUint32(start + 4 * (VALUE_WORDS - 1 - word));
    }
    return true;
  }),
};
