/** Decodes addresses and values in bulk to 32-bit words, by the rules of rules.ts. */

import { readFileSync } from "node:fs";
import type { DuckDBDataChunk } from "@duckdb/node-api";
import { ADDRESS_WORDS } from "../addresses.ts";
import { pointedTo, quads, release, type Texts, textBuffer, texts, VECTOR_ROWS } from "../duckdb/vectors.ts";
import type { ByFamily } from "./cell-columns.ts";
import { HEX_VALUE } from "./rules.ts";

/** 32-bit words of a value while it is decoded. */
export const VALUE_WORDS = 8;

export interface WordDecoder {
  /** SQL for a cell, never NULL. */
  sql(column: string): string;
  /** Decodes a column of a chunk into `words`, row after row. Sets `refused` to 1 for each row whose cell the rule refuses. */
  decode(chunk: DuckDBDataChunk, column: number, words: Uint32Array, refused: Uint8Array): void;
  /** Decodes at most CHUNK_ROWS texts or byte strings, in the order of their bytes. Left out if cells are numbers. */
  decodeTexts?(texts: Texts, words: Uint32Array, refused: Uint8Array): void;
}

const compiled = new WebAssembly.Module(readFileSync(new URL("../assembly/cells.wasm", import.meta.url)));

/** Exports of assembly/cells.ts. The globals hold the memory addresses of its columns. */
interface Kernel extends Record<"items" | "bytes" | "stretches" | "starts" | "words" | "refused", { value: number }> {
  memory: { buffer: ArrayBuffer };
  setup(rows: number): void;
  findStretches(rows: number): number;
  decodeAddresses(rows: number): number;
  decodeValues(rows: number): number;
}

const kernel = startKernel();

function startKernel() {
  const outOfMemory = () => {
    throw new Error("no memory for a chunk");
  };
  const exports = new WebAssembly.Instance(compiled, { memory: { outOfMemory } }).exports as unknown as Kernel;
  exports.setup(VECTOR_ROWS);
  const { memory, items, bytes, stretches, starts, words, refused } = exports;
  return {
    exports,
    items: new Uint32Array(memory.buffer, items.value, 4 * VECTOR_ROWS),
    bytes: new Uint8Array(memory.buffer, bytes.value, stretches.value - bytes.value),
    stretches: new Uint32Array(memory.buffer, stretches.value, 2 * VECTOR_ROWS),
    starts: new Uint32Array(memory.buffer, starts.value, VECTOR_ROWS),
    words: new Uint32Array(memory.buffer, words.value, VALUE_WORDS * VECTOR_ROWS),
    refused: new Uint8Array(memory.buffer, refused.value, VECTOR_ROWS),
  };
}

/** A decoder of texts in the kernel. */
function fromKernel(name: "decodeAddresses" | "decodeValues", width: number): WordDecoder {
  const run = (rows: number, words: Uint32Array, refused: Uint8Array) => {
    const wrong = kernel.exports[name](rows);
    words.set(kernel.words.subarray(0, rows * width));
    if (wrong > 0) for (let row = 0; row < rows; row++) refused[row]! |= kernel.refused[row]!;
  };
  return {
    sql: (column) => `coalesce(${column}, ${EMPTY_TEXT})`,
    decode(chunk, column, words, refused) {
      const rows = chunk.rowCount;
      const items = quads(chunk, column);
      kernel.items.set(items);
      const stretches = kernel.exports.findStretches(rows);
      for (let stretch = 0, end = 0; stretch < stretches; stretch++) {
        const bytes = pointedTo(items, kernel.stretches[2 * stretch]!, kernel.stretches[2 * stretch + 1]!);
        kernel.bytes.set(bytes, end);
        end += bytes.length;
        release(bytes);
      }
      release(items);
      run(rows, words, refused);
    },
    decodeTexts({ rows, bytes, starts, lengths }, words, refused) {
      const from = starts[0] ?? 0;
      const all = bytes.subarray(from, rows === 0 ? from : starts[rows - 1]! + lengths[rows - 1]!);
      if (all.length > kernel.bytes.length) {
        // No cell that a rule accepts is so long.
        refused.fill(1, 0, rows);
        return;
      }
      kernel.bytes.set(all);
      const moved = kernel.bytes.byteOffset - from;
      for (let row = 0; row < rows; row++) {
        kernel.items[4 * row] = lengths[row]!;
        kernel.starts[row] = starts[row]! + moved;
      }
      run(rows, words, refused);
    },
  };
}

/**
 * A decoder of texts or byte strings, one by one. `read` decodes the `length` bytes from `start` to words, and returns
 * false for a cell that is refused.
 */
function fromTexts(
  empty: string,
  width: number,
  read: (bytes: DataView, start: number, length: number, words: Uint32Array, at: number) => boolean,
): WordDecoder {
  const buffer = textBuffer();
  const decodeTexts = ({ rows, view, starts, lengths }: Texts, words: Uint32Array, refused: Uint8Array) => {
    for (let row = 0; row < rows; row++) {
      if (!read(view, starts[row]!, lengths[row]!, words, row * width)) refused[row] = 1;
    }
  };
  return {
    sql: (column) => `coalesce(${column}, ${empty})`,
    decode: (chunk, column, words, refused) => decodeTexts(texts(chunk, column, buffer), words, refused),
    decodeTexts,
  };
}

const EMPTY_TEXT = "''";
const EMPTY_BYTES = "''::BLOB";

/**
 * Values of pairs of hexadecimal digits, by the pair's two characters as a little-endian number; −1 for all other pairs.
 * OR several of them together: the result is negative if one of them was no pair of digits.
 */
const HEX_PAIRS = new Int16Array(1 << 16).fill(-1);
for (const first of "0123456789abcdefABCDEF") {
  for (const second of "0123456789abcdefABCDEF") {
    HEX_PAIRS[first.charCodeAt(0) | (second.charCodeAt(0) << 8)] = Number.parseInt(first + second, 16);
  }
}

const [ZERO, SMALL_X, CASE_BIT] = [0x30, 0x78, 0x20];

function startsWith0x(bytes: DataView, start: number): boolean {
  return bytes.getUint8(start) === ZERO && (bytes.getUint8(start + 1) | CASE_BIT) === SMALL_X;
}

/** The value of two hexadecimal digits; −1 for other characters. */
const hexByte = (bytes: DataView, at: number) => HEX_PAIRS[bytes.getUint16(at, true)];

/** Addresses, to their bytes in order as little-endian words. */
export const ADDRESSES: ByFamily<WordDecoder> = {
  text: fromKernel("decodeAddresses", ADDRESS_WORDS),
  bytes: fromTexts(EMPTY_BYTES, ADDRESS_WORDS, (bytes, start, length, words, at) => {
    if (length !== 20) return false;
    for (let word = 0; word < ADDRESS_WORDS; word++) words[at + word] = bytes.getUint32(start + 4 * word, true);
    return true;
  }),
};

/** 2^128 − 1 stands for a negative or fractional number; columns of integers and decimals never reach it. */
const INVALID = "340282366920938463463374607431768211455::UHUGEINT";

function fromUnsigned(sql: (column: string) => string): WordDecoder {
  return {
    sql: (column) => `coalesce(${sql(column)}, ${INVALID})`,
    decode(chunk, column, words, refused) {
      const numbers = quads(chunk, column);
      for (let row = 0; 4 * row < numbers.length; row++) {
        const at = row * VALUE_WORDS;
        const from = 4 * row;
        if ((numbers[from]! & numbers[from + 1]! & numbers[from + 2]! & numbers[from + 3]!) === -1) refused[row] = 1;
        for (let word = 0; word < VALUE_WORDS; word++) words[at + word] = word < 4 ? numbers[from + word]! : 0;
      }
      release(numbers);
    },
  };
}

/** Values from decimal digits or numbers, to little-endian words. */
export const VALUES: ByFamily<WordDecoder> = {
  text: fromKernel("decodeValues", VALUE_WORDS),
  integer: fromUnsigned((column) => `TRY_CAST(${column} AS UHUGEINT)`),
  decimal: fromUnsigned((column) => `CASE WHEN ${column} = trunc(${column}) THEN TRY_CAST(${column} AS UHUGEINT) END`),
};

/** Values from hexadecimal digits after 0x, or decimal ones, to little-endian words. */
export const HEX_VALUES: ByFamily<WordDecoder> = {
  ...VALUES,
  text: fromTexts(EMPTY_TEXT, VALUE_WORDS, (bytes, start, length, words, at) => {
    if (length > MOST_DIGITS) return false;
    let text = "";
    for (let place = start; place < start + length; place++) text += String.fromCharCode(bytes.getUint8(place));
    let value = HEX_VALUE.parse(text);
    if (value === undefined) return false;
    for (let word = 0; word < VALUE_WORDS; word++, value >>= 32n) words[at + word] = Number(value & WORD_MASK);
    return true;
  }),
};

/** The longest text that `HEX_VALUE` may accept. */
const MOST_DIGITS = 78;
const WORD_MASK = 0xffff_ffffn;

/** Values from 32 big-endian bytes or their hexadecimal digits, to little-endian words. */
export const BINARY_VALUES: ByFamily<WordDecoder> = {
  text: fromTexts(EMPTY_TEXT, VALUE_WORDS, (bytes, start, length, words, at) => {
    if (length !== 66 || !startsWith0x(bytes, start)) return false;
    let all = 0;
    for (let word = 0; word < VALUE_WORDS; word++) {
      const from = start + 2 + 8 * (VALUE_WORDS - 1 - word);
      let value = 0;
      for (let at = from; at < from + 8; at += 2) {
        const byte = hexByte(bytes, at)!;
        all |= byte;
        value = (value << 8) | byte;
      }
      words[at + word] = value;
    }
    return all >= 0;
  }),
  bytes: fromTexts(EMPTY_BYTES, VALUE_WORDS, (bytes, start, length, words, at) => {
    if (length !== 32) return false;
    for (let word = 0; word < VALUE_WORDS; word++) {
      words[at + word] = bytes.getUint32(start + 4 * (VALUE_WORDS - 1 - word));
    }
    return true;
  }),
};
