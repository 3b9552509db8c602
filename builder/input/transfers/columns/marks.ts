/**
 * What is kept of a row's further cells while rows are compared with each other: a number for each, 0 where the cell says
 * nothing. Two hashes that differ have different numbers, but for one pair in four billion.
 */

import type { WordDecoder } from "../../cells/words.ts";
import type { Column, Table } from "../../duckdb/input-table.ts";
import { doubles, release, type Texts, textBuffer, texts } from "../../duckdb/vectors.ts";
import { columnByName, type Sign, speaksSql } from "./signs.ts";

/** The hashes of its block and transaction, and whether a reorganisation has removed the row. */
const MARKS = ["blockHash", "transactionHash", "removed"] as const;
export type Mark = (typeof MARKS)[number];

export interface MarkColumn {
  column: Column;
  /** One word a cell; it refuses none. */
  decoder: WordDecoder;
  /** SQL for the mark as a number: sorted copies have it instead of the cell. */
  sql: string;
  /** Whether the cells are such numbers. */
  isCopy?: true;
}

export type ByMark<T> = Partial<Record<Mark, T>>;

/** Maps the item of each mark; `place` is the mark's place among them. */
export function eachMark<T, R>(marks: ByMark<T>, of: (item: T, place: number) => R): ByMark<R> {
  return Object.fromEntries(Object.entries(marks).map(([mark, item], place) => [mark, of(item, place)]));
}

const BLOCK_HASHES = ["block_hash"];
const TRANSACTION_HASHES = ["transaction_hash", "tx_hash", "txn_hash", "hash"];

/** The columns of a file that mark rows. */
export function marksOf(table: Table, signs: readonly Sign[]): ByMark<MarkColumn> {
  const removed = signs.find(({ of }) => of === "removed");
  const columns: ByMark<MarkColumn | undefined> = {
    blockHash: hashes(columnByName(table, BLOCK_HASHES)),
    transactionHash: hashes(columnByName(table, TRANSACTION_HASHES)),
    removed: removed && flags(removed.column, speaksSql(removed)),
  };
  const marks: ByMark<MarkColumn> = {};
  for (const mark of MARKS) {
    const copy = table.columns.find(({ name }) => name === copyName(mark));
    const column = copy ? copied(copy) : columns[mark];
    if (column) marks[mark] = column;
  }
  return marks;
}

/** The columns of marks that a sorted copy has. */
export const copiesOf = (marks: ByMark<MarkColumn>): Column[] =>
  Object.entries(marks).map(([mark, { sql }]) => ({ name: copyName(mark), type: "UINTEGER", sql }));

const copyName = (mark: string) => `soprano_mark_${mark}`;

const copied = (column: Column): MarkColumn => ({ column, decoder: NUMBERS, sql: column.sql, isCopy: true });

const NUMBERS: WordDecoder = {
  sql: (column) => `CAST(${column} AS DOUBLE)`,
  decode(chunk, column, words) {
    const numbers = doubles(chunk, column);
    words.set(numbers);
    release(numbers);
  },
};

/** Decodes what SQL makes of a cell: without DuckDB, the column can't be read. */
function flags(column: Column, condition: string): MarkColumn {
  const sql = `CASE WHEN ${condition} THEN 1 ELSE 0 END::UINTEGER`;
  return { column, decoder: { ...NUMBERS, sql: () => `CAST(${sql} AS DOUBLE)` }, sql };
}

/**
 * The first and the last 64 bits of a hash count, left of which it has zeros: their residues by the greatest prime below
 * 2^32, times a number below 2^28, so that sums fit 64 bits. It is as easily computed in SQL.
 */
const [FIRST, LAST] = [226_843_105, 195_225_787];
const PRIME = 4_294_967_291;
const [HASH_DIGITS, LAST_DIGITS, MIDDLE_DIGITS] = [64, 16, 32];

/** In any other type, hashes would be in a form that is not known here. */
function hashes(column: Column | undefined): MarkColumn | undefined {
  if (column?.type === "BLOB") return { column, decoder: BYTES, sql: digitsSql(`hex(${column.sql})`) };
  if (column?.type !== "VARCHAR") return undefined;
  const { sql } = column;
  const digits = `CASE WHEN ${sql}[2] IN ('x', 'X') THEN ${sql}[3:] ELSE ${sql} END`;
  return { column, decoder: TEXTS, sql: digitsSql(digits) };
}

function digitsSql(digits: string): string {
  const count = `length(${digits})`;
  const residue = (text: string) => `TRY_CAST('0x' || ${text} AS UBIGINT) % ${PRIME}`;
  const first = `${count} - ${LAST_DIGITS + MIDDLE_DIGITS}`;
  return `coalesce(CASE WHEN ${count} <= ${HASH_DIGITS} THEN (${residue(`right(${digits}, ${LAST_DIGITS})`)} * ${LAST} +
    CASE WHEN ${first} > 0 THEN ${residue(`left(${digits}, ${first})`)} * ${FIRST} ELSE 0 END) % 4294967296 END, 0)::UINTEGER`;
}

type Read = (bytes: DataView, start: number, length: number) => number;

function fromTexts(sql: WordDecoder["sql"], read: Read): WordDecoder {
  const buffer = textBuffer();
  const decodeTexts = ({ rows, view, starts, lengths }: Texts, words: Uint32Array) => {
    for (let row = 0; row < rows; row++) words[row] = read(view, starts[row]!, lengths[row]!);
  };
  return { sql, decode: (chunk, column, words) => decodeTexts(texts(chunk, column, buffer), words), decodeTexts };
}

/** The values of digits by their characters; −1 for others. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);
const [SMALL_X, CASE_BIT] = [0x78, 0x20];

/** Hexadecimal digits, of either case, with or without 0x. */
function readDigits(bytes: DataView, start: number, length: number): number {
  const hasPrefix = length >= 2 && (bytes.getUint8(start + 1) | CASE_BIT) === SMALL_X;
  const [begin, end] = [hasPrefix ? start + 2 : start, start + length];
  const firstEnd = end - LAST_DIGITS - MIDDLE_DIGITS;
  if (begin === end || end - begin > HASH_DIGITS) return 0;
  const last = residueOfDigits(bytes, Math.max(begin, end - LAST_DIGITS), end);
  const first = firstEnd > begin ? residueOfDigits(bytes, begin, firstEnd) : 0;
  return last < 0 || first < 0 ? 0 : joined(first, last);
}

/** @returns −1 if they are no digits */
function residueOfDigits(bytes: DataView, begin: number, end: number): number {
  let [high, low, wrong] = [0, 0, 0];
  for (let at = begin; at < end; at++) {
    const digit = DIGITS[bytes.getUint8(at)]!;
    wrong |= digit;
    if (end - at > 8) high = (high << 4) | digit;
    else low = (low << 4) | digit;
  }
  return wrong < 0 ? -1 : residueOf(high, low);
}

/** Bytes of a hash: two digits each. */
function readBytes(bytes: DataView, start: number, length: number): number {
  const end = start + length;
  const firstEnd = end - (LAST_DIGITS + MIDDLE_DIGITS) / 2;
  if (2 * length > HASH_DIGITS) return 0;
  const last = residueOfBytes(bytes, Math.max(start, end - LAST_DIGITS / 2), end);
  return joined(firstEnd > start ? residueOfBytes(bytes, start, firstEnd) : 0, last);
}

function residueOfBytes(bytes: DataView, begin: number, end: number): number {
  let [high, low] = [0, 0];
  for (let at = begin; at < end; at++) {
    if (end - at > 4) high = (high << 8) | bytes.getUint8(at);
    else low = (low << 8) | bytes.getUint8(at);
  }
  return residueOf(high, low);
}

/** 2^32 leaves 5. */
const residueOf = (high: number, low: number) => (5 * (high >>> 0) + (low >>> 0)) % PRIME;

const joined = (first: number, last: number) => (Math.imul(last, LAST) + Math.imul(first, FIRST)) >>> 0;

const TEXTS = fromTexts((column) => `coalesce(${column}, '')`, readDigits);
const BYTES = fromTexts((column) => `coalesce(${column}, ''::BLOB)`, readBytes);
