/**
 * Reads a row group of the tables that the builder writes in their plainest form (builder/lib/fixed-width-table.ts), from its
 * bytes alone: the columns lie side by side, each in one page, PLAIN or BYTE_STREAM_SPLIT, compressed with zstd.
 */

import { ENCODINGS } from "./file-metadata.ts";
import type { Inflate } from "./inflate.ts";
import { unsplitBytes } from "./split-bytes.ts";

/** A column of a row group. */
export interface PlainColumn {
  rows: number;
  /** The values, one after the other, from the beginning of their buffer. */
  values: Uint8Array<ArrayBuffer>;
}

/** Types of Thrift's compact protocol that a page's header has. */
const [STOP, I32, STRUCT] = [0, 5, 12];

/** Bytes of a row group that its columns may have, uncompressed: more is damage. */
const MOST_BYTES = 1 << 26;

/** By Node's own zstd. In Workers it can't: inflate.ts does it there. */
export function unpackByNode(stored: Uint8Array, length: number): Uint8Array {
  const { zstdDecompressSync } = process.getBuiltinModule("node:zlib");
  // Room for all values: zstd then makes them in one piece.
  return zstdDecompressSync(stored, { chunkSize: Math.max(64, length + 1024) });
}

const inflateByNode: Inflate = (stored, length) => new Uint8Array(unpackByNode(stored, length));

/**
 * The columns of a row group, in their order.
 *
 * @param count of them; the bytes of others may follow
 * @throws {Error} the bytes are not such columns
 */
export function plainColumns(bytes: Uint8Array, count: number, inflate: Inflate = inflateByNode): PlainColumn[] {
  const columns: PlainColumn[] = [];
  for (let at = 0; columns.length < count; ) {
    const header = readPageHeader(bytes, at);
    const end = header.end + header.stored;
    if (end > bytes.length) throw new Error("a column ends beyond its row group");
    const values = inflate(bytes.subarray(header.end, end), header.length);
    if (values.length !== header.length || header.rows < Math.min(1, values.length)) {
      throw new Error("a column has other bytes than its header says");
    }
    columns.push({
      rows: header.rows,
      values:
        header.encoding === ENCODINGS.BYTE_STREAM_SPLIT && header.rows > 0
          ? unsplitBytes(values, values.length / header.rows)
          : values,
    });
    at = end;
  }
  return columns;
}

/** Columns of which each row has so many bytes, or, for amounts of any size, the same number of 32-bit words. */
export type RowWidths = readonly (number | "words")[];

/**
 * The columns of a row group that has rows.
 *
 * @returns also the bytes of a row in each
 * @throws {Error} the bytes are no such columns
 */
export function sizedColumns(
  bytes: Uint8Array,
  widths: RowWidths,
  inflate?: Inflate,
): { rows: number; values: Uint8Array<ArrayBuffer>[]; widths: number[] } {
  const columns = plainColumns(bytes, widths.length, inflate);
  const { rows } = columns[0]!;
  const found = columns.map(({ values }) => values.length / rows);
  const isWhole = columns.every((column, i) => {
    const width = widths[i] === "words" ? 4 * Math.max(1, Math.floor(found[i]! / 4)) : widths[i];
    return column.rows === rows && found[i] === width;
  });
  if (rows < 1 || !isWhole) throw new Error("it has other columns");
  return { rows, values: columns.map(({ values }) => values), widths: found };
}

export interface PageHeader {
  /** Where it ends, and the page's values begin. */
  end: number;
  /** Bytes of the values, uncompressed and as they are stored. */
  length: number;
  stored: number;
  rows: number;
  /** By its number (`ENCODINGS`). */
  encoding: number | undefined;
}

/** Reads what chunk.ts writes: `{1: type, 2: length, 3: stored, 5: {1: rows, 2: encoding, …}}`, all of 32 bits. */
export function readPageHeader(bytes: Uint8Array, from: number): PageHeader {
  let at = from;
  const byte = () => {
    const next = bytes[at++];
    if (next === undefined) throw new Error("a page's header ends too early");
    return next;
  };
  const zigzag = () => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const next = byte();
      value += (next & 0x7f) * 2 ** shift;
      if (next < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new Error("a number of a page's header is too long");
  };
  const fields = (): Map<number, number | Map<number, number>> => {
    const found = new Map();
    for (let field = 0; ; ) {
      const head = byte();
      if (head === STOP) return found;
      field += head >> 4;
      if ((head & 0xf) === I32) found.set(field, zigzag());
      else if ((head & 0xf) === STRUCT) found.set(field, fields());
      else throw new Error("a page's header has an unknown field");
    }
  };
  const header = fields();
  const page = header.get(5);
  const [length, stored, rows] = [header.get(2), header.get(3), page instanceof Map ? page.get(1) : undefined];
  const isSize = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= MOST_BYTES;
  if (!isSize(length) || !isSize(stored) || !isSize(rows)) throw new Error("it has no page");
  const encoding = page instanceof Map ? page.get(2) : undefined;
  if (encoding === ENCODINGS.BYTE_STREAM_SPLIT && length % rows !== 0) throw new Error("a page has parts of values");
  return { end: at, length, stored, rows, encoding: typeof encoding === "number" ? encoding : undefined };
}
