/**
 * What is kept of a row's further cells while rows are compared with each other: a number for each, 0 where the cell says
 * nothing. Two hashes that differ have different numbers, but for one pair in four billion.
 */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import type { WordDecoder } from "../cells/words.ts";
import type { Column, Table } from "../duckdb/input-table.ts";
import { type Texts, textBuffer, texts } from "../duckdb/vectors.ts";
import { columnNamed, type Sign, speaksSql } from "./signs.ts";

/** The hashes of its block and transaction, and whether a reorganisation has removed the row. */
export type Mark = "blockHash" | "transactionHash" | "removed";

export interface MarkColumn {
  column: Column;
  /** One word a cell; it refuses none. */
  decoder: WordDecoder;
}

export type Marks<T> = Partial<Record<Mark, T>>;

/** The same of each mark; `place` is its place among them. */
export function eachMark<T, R>(marks: Marks<T>, of: (item: T, place: number) => R): Marks<R> {
  return Object.fromEntries(Object.entries(marks).map(([mark, item], place) => [mark, of(item, place)]));
}

const BLOCK_HASHES = ["block_hash"];
const TRANSACTION_HASHES = ["transaction_hash", "tx_hash", "txn_hash", "hash"];

/** The columns of a file that mark rows. */
export function marksOf(table: Table, signs: readonly Sign[]): Marks<MarkColumn> {
  const hash = (names: readonly string[]) => {
    const column = columnNamed(table, names);
    const decoder = column && HASHES[column.type];
    return decoder && { column, decoder };
  };
  const blockHash = hash(BLOCK_HASHES);
  const transactionHash = hash(TRANSACTION_HASHES);
  const removed = signs.find(({ of }) => of === "removed");
  return {
    ...(blockHash && { blockHash }),
    ...(transactionHash && { transactionHash }),
    ...(removed && { removed: { column: removed.column, decoder: flag(speaksSql(removed)) } }),
  };
}

type Read = (bytes: DataView, start: number, length: number) => number;

function fromTexts(sql: WordDecoder["sql"], read: Read) {
  const buffer = textBuffer();
  const decodeTexts = ({ rows, view, starts, lengths }: Texts, words: Uint32Array) => {
    for (let row = 0; row < rows; row++) words[row] = read(view, starts[row]!, lengths[row]!);
  };
  const decode = (chunk: DuckDBDataChunk, column: number, words: Uint32Array) =>
    decodeTexts(texts(chunk, column, buffer), words);
  return { sql, decode, decodeTexts };
}

const [ZERO, SMALL_X, BACKSLASH, CASE_BITS] = [0x30, 0x78, 0x5c, 0x20202020];

/** The two digits of a byte, as the little-endian number of their characters. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const [high, low] = byte.toString(16).padStart(2, "0");
  return high!.charCodeAt(0) | (low!.charCodeAt(0) << 8);
});

/** Hexadecimal digits of a hash: with or without 0x, of either case. */
function readDigits(bytes: DataView, start: number, length: number): number {
  let [at, left] = [start, length];
  if (left >= 2) {
    const [first, second] = [bytes.getUint8(at), bytes.getUint8(at + 1) | 0x20];
    if (second === SMALL_X && (first === ZERO || first === BACKSLASH)) [at, left] = [at + 2, left - 2];
  }
  // No word for a cell without a value is as long as a hash.
  if (left !== HASH_DIGITS && !areDigits(bytes, at, left)) return 0;
  let [hash, others] = [SEED, 0];
  for (; left >= 4; left -= 4, at += 4) {
    const four = bytes.getUint32(at, true) | CASE_BITS;
    others |= four ^ FOUR_ZEROS;
    hash = mix(hash, four);
  }
  for (; left > 0; left--, at++) {
    const digit = bytes.getUint8(at) | 0x20;
    others |= digit ^ ZERO;
    hash = mix(hash, digit);
  }
  return others === 0 ? 0 : spread(hash);
}

const HASH_DIGITS = 64;
const SEED = 1;
const FOUR_ZEROS = 0x30303030;

function areDigits(bytes: DataView, start: number, length: number): boolean {
  for (let at = start; at < start + length; at++) {
    const letter = bytes.getUint8(at) | 0x20;
    if (!((letter >= 0x30 && letter <= 0x39) || (letter >= 0x61 && letter <= 0x66))) return false;
  }
  return true;
}

/** Bytes of a hash: as their digits. */
function readBytes(bytes: DataView, start: number, length: number): number {
  let [hash, others, at] = [SEED, 0, start];
  const take = (byte: number) => {
    others |= byte;
    return DIGITS[byte]!;
  };
  for (let left = length; left >= 2; left -= 2, at += 2) {
    hash = mix(hash, take(bytes.getUint8(at)) | (take(bytes.getUint8(at + 1)) << 16));
  }
  if (length % 2 === 1) {
    const last = take(bytes.getUint8(at));
    hash = mix(mix(hash, last & 255), last >>> 8);
  }
  return others === 0 ? 0 : spread(hash);
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** Never 0. */
const spread = (hash: number) => Math.imul(hash ^ (hash >>> 13), 0x2c1b3c6d) >>> 0 || 1;

/** By DuckDB's type of a column. In any other, hashes would be in a form that is not known here. */
const HASHES: Record<string, WordDecoder> = {
  VARCHAR: fromTexts((column) => `coalesce(${column}, '')`, readDigits),
  BLOB: fromTexts((column) => `coalesce(${column}, ''::BLOB)`, readBytes),
};

/** Decodes what SQL makes of a cell: without DuckDB, the column can't be read. */
function flag(condition: string): WordDecoder {
  const { sql, decode } = fromTexts(() => `CASE WHEN ${condition} THEN '1' ELSE '' END`, readDigits);
  return { sql, decode };
}
