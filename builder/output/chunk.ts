/** Column chunks: encoded columns as pages, and what the footer says of them. Source: the Parquet format's parquet.thrift. */

import { joinBytes } from "../../data-schema/bytes.ts";
import { binary, encodeThrift, i32, i64, list, struct, type Thrift, text } from "../../data-schema/thrift.ts";
import { compress } from "./zstd.ts";

const PHYSICAL_TYPES = { INT64: 2, DOUBLE: 5, BYTE_ARRAY: 6 } as const;
const ENCODINGS = { PLAIN: 0, RLE: 3, DELTA_BINARY_PACKED: 5, RLE_DICTIONARY: 8, BYTE_STREAM_SPLIT: 9 } as const;
const CODECS = { UNCOMPRESSED: 0, ZSTD: 6 } as const;
const PAGE_TYPES = { DATA: 0, DICTIONARY: 2 } as const;

export type PhysicalType = keyof typeof PHYSICAL_TYPES;

export const physicalType = (type: PhysicalType): Thrift => i32(PHYSICAL_TYPES[type]);

/** A column of a row group. */
export interface ColumnValues {
  name: string;
  type: PhysicalType;
  codec: keyof typeof CODECS;
  rows: number;
  encoding: keyof typeof ENCODINGS;
  /** The encoded values. */
  data: Uint8Array;
  /** The entries that the values stand for, in PLAIN encoding. */
  dictionary?: { entries: number; data: Uint8Array };
  /** Readers skip row groups by it. */
  range?: ValueRange;
}

/** Least and greatest value, in PLAIN encoding; without the length where they are texts. */
export interface ValueRange {
  min: Uint8Array;
  max: Uint8Array;
}

/** A column of a row group as it stands in the file, wherever it comes to lie. */
export interface Chunk {
  bytes: Uint8Array;
  /** The bytes that the chunk would have without compression. */
  uncompressedBytes: number;
  /** The footer's entry of a chunk that begins at an offset of the file. */
  entry(offset: number): Thrift;
}

/** One data page, after a dictionary page if there is a dictionary. There are no nulls, and so no levels. */
export function encodeChunk({ name, type, codec, rows, encoding, data, dictionary, range }: ColumnValues): Chunk {
  const pages: Page[] = [];
  if (dictionary) {
    const header = struct({ 1: i32(dictionary.entries), 2: i32(ENCODINGS.PLAIN) });
    pages.push(encodePage(PAGE_TYPES.DICTIONARY, { 7: header }, dictionary.data, codec));
  }
  const header = struct({ 1: i32(rows), 2: i32(ENCODINGS[encoding]), 3: i32(ENCODINGS.RLE), 4: i32(ENCODINGS.RLE) });
  pages.push(encodePage(PAGE_TYPES.DATA, { 5: header }, data, codec));

  const bytes = joinBytes(pages.flatMap((page) => [page.header, page.stored]));
  const dataOffset = dictionary ? pages[0].header.length + pages[0].stored.length : 0;
  const uncompressedBytes = pages.reduce((sum, page) => sum + page.header.length + page.uncompressedBytes, 0);
  return {
    bytes,
    uncompressedBytes,
    entry: (offset) =>
      struct({
        2: i64(0),
        3: struct({
          1: physicalType(type),
          2: list([...(dictionary ? ["PLAIN" as const] : []), encoding].map((used) => i32(ENCODINGS[used]))),
          3: list([text(name)]),
          4: i32(CODECS[codec]),
          5: i64(rows),
          6: i64(uncompressedBytes),
          7: i64(bytes.length),
          9: i64(offset + dataOffset),
          11: dictionary && i64(offset),
          12: range && struct({ 5: binary(range.max), 6: binary(range.min) }),
        }),
      }),
  };
}

interface Page {
  header: Uint8Array;
  stored: Uint8Array;
  uncompressedBytes: number;
}

function encodePage(
  type: number,
  header: Record<number, Thrift>,
  values: Uint8Array,
  codec: ColumnValues["codec"],
): Page {
  const stored = codec === "ZSTD" ? compress(values) : values.slice();
  return {
    header: encodeThrift(struct({ 1: i32(type), 2: i32(values.length), 3: i32(stored.length), ...header })),
    stored,
    uncompressedBytes: values.length,
  };
}
