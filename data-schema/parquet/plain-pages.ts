/**
 * Reads a row group of the tables that the builder writes in their plainest form (builder/lib/fixed-width-table.ts), from its
 * bytes alone: the columns lie side by side, each in one page, PLAIN or BYTE_STREAM_SPLIT, compressed with zstd.
 */

import { ENCODINGS } from "./file-metadata.ts";
import { readThrift, type ThriftStruct, type ThriftValue } from "./read-thrift.ts";
import { unsplitBytes } from "./split-bytes.ts";

/** Decompresses values, of which there are `length` bytes, into a buffer of their own. @throws {Error} it can't */
export type Inflate = (stored: Uint8Array, length: number) => Uint8Array<ArrayBuffer>;

/** A column of a row group. */
export interface PlainColumn {
  rows: number;
  /** The values, one after the other, from the beginning of their buffer. */
  values: Uint8Array<ArrayBuffer>;
}

/** Bytes of a row group that its columns may have, uncompressed: more is damage. */
const MOST_BYTES = 1 << 26;

/** By Node's own zstd. Workers have a kernel for it: workerd's own fails on some frames, and takes 7 ms to load. */
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

/** Reads what chunk.ts writes: `{1: type, 2: length, 3: stored, 5: {1: rows, 2: encoding, …}}`, nothing but numbers. */
export function readPageHeader(bytes: Uint8Array, from: number): PageHeader {
  const { struct: header, end } = readThrift(bytes, from);
  if (!hasNumbersOnly(header)) throw new Error("a page's header has an unknown field");
  const [, , length, stored, , page] = header.fields;
  const [, rows, encoding] = isStruct(page) ? page.fields : [];
  if (!isSize(length) || !isSize(stored) || !isSize(rows)) throw new Error("it has no page");
  if (encoding === ENCODINGS.BYTE_STREAM_SPLIT && length % rows !== 0) throw new Error("a page has parts of values");
  return { end, length, stored, rows, encoding: typeof encoding === "number" ? encoding : undefined };
}

const isSize = (value: ThriftValue | undefined): value is number =>
  typeof value === "number" && value >= 0 && value <= MOST_BYTES;

const isStruct = (value: ThriftValue | undefined): value is ThriftStruct =>
  typeof value === "object" && "fields" in value;

/** Whether a struct has numbers, and structs of them. */
const hasNumbersOnly = ({ fields }: ThriftStruct): boolean =>
  fields.every(
    (value) => value === undefined || typeof value === "number" || (isStruct(value) && hasNumbersOnly(value)),
  );
