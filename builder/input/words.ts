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

/** A decoder of texts or byte strings, one by one. `read` answers false for a cell that is refused. */
function fromTexts(
  empty: string,
  read: (bytes: Uint8Array, start: number, length: number, words: Uint32Array, at: number) => boolean,
): WordDecoder {
  const room = textRoom();
  return {
    sql: (column) => `coalesce(${column}, ${empty})`,
    decode(chunk, column, { words, offset, stride }, refused) {
      const { rows, bytes, starts, lengths } = texts(chunk, column, room);
      for (let row = 0; row < rows; row++) {
        if (!read(bytes, starts[row], lengths[row], words, offset + row * stride)) refused[row] = 1;
      }
    },
  };
}

const EMPTY_TEXT = "''";
const EMPTY_BYTES = "''::BLOB";

/** Value of a hexadecimal digit by its character; −1 for all others, so that one shows in the sign of several ORed together. */
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_, character) =>
  /[0-9a-f]/i.test(String.fromCharCode(character)) ? Number.parseInt(String.fromCharCode(character), 16) : -1,
);
const [ZERO, SMALL_X, CASE_BIT] = [0x30, 0x78, 0x20];

function startsWith0x(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === ZERO && (bytes[start + 1] | CASE_BIT) === SMALL_X;
}

/** Addresses: their bytes in order, in little-endian words. */
export const ADDRESSES: ByFamily<WordDecoder> = {
  text: fromTexts(EMPTY_TEXT, (bytes, start, length, words, at) => {
    if (length !== 42 || !startsWith0x(bytes, start)) return false;
    const digit = HEX_DIGITS;
    let all = 0;
    for (let word = 0; word < ADDRESS_WORDS; word++) {
      const from = start + 2 + 8 * word;
      const a = (digit[bytes[from]] << 4) | digit[bytes[from + 1]];
      const b = (digit[bytes[from + 2]] << 4) | digit[bytes[from + 3]];
      const c = (digit[bytes[from + 4]] << 4) | digit[bytes[from + 5]];
      const d = (digit[bytes[from + 6]] << 4) | digit[bytes[from + 7]];
      all |= a | b | c | d;
      words[at + word] = a | (b << 8) | (c << 16) | (d << 24);
    }
    return all >= 0;
  }),

  bytes: fromTexts(EMPTY_BYTES, (bytes, start, length, words, at) => {
    if (length !== 20) return false;
    for (let word = 0; word < ADDRESS_WORDS; word++) {
      const from = start + 4 * word;
      words[at + word] = bytes[from] | (bytes[from + 1] << 8) | (bytes[from + 2] << 16) | (bytes[from + 3] << 24);
    }
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

/** The number that digits write; NaN if one is none. */
function digitsNumber(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = bytes[at] - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
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
      for (let at = from; at < from + 8; at++) {
        const digit = HEX_DIGITS[bytes[at]];
        all |= digit;
        value = (value << 4) | digit;
      }
      words[at + word] = value;
    }
    return all >= 0;
  }),
  bytes: fromTexts(EMPTY_BYTES, (bytes, start, length, words, at) => {
    if (length !== 32) return false;
    for (let word = 0; word < VALUE_WORDS; word++) {
      const from = start + 4 * (VALUE_WORDS - 1 - word);
      words[at + word] = (bytes[from] << 24) | (bytes[from + 1] << 16) | (bytes[from + 2] << 8) | bytes[from + 3];
    }
    return true;
  }),
};
