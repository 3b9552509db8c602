/** Column chunks: encoded columns as pages, and their entries in the footer. Source: the Parquet format's parquet.thrift. */

import { joinBytes } from "../../data-schema/bytes.ts";
import { type Codec, type ColumnChunk, ENCODINGS, type Encoding } from "../../data-schema/parquet/metadata.ts";
import { encodeThrift, i32, struct, type Thrift } from "../../data-schema/parquet/thrift.ts";
import { compress } from "./zstd.ts";

const PAGE_TYPES = { DATA: 0, DICTIONARY: 2 } as const;

/** A column of a row group. */
export interface ColumnValues extends Pick<ColumnChunk, "name" | "type" | "codec" | "rows" | "range"> {
  encoding: Encoding;
  /** The encoded values. */
  data: Uint8Array;
  /** The entries that the values stand for, in PLAIN encoding. */
  dictionary?: { entries: number; data: Uint8Array };
}

/** A column of a row group as it is stored, wherever in the file it is placed. */
export interface Chunk {
  bytes: Uint8Array;
  /** Its entry in the footer, if it begins at an offset of the file. */
  entryAt(offset: number): ColumnChunk;
}

/** One data page, after a dictionary page if there is a dictionary. There are no nulls, and so no levels. */
export function encodeChunk({ encoding, data, dictionary, ...column }: ColumnValues): Chunk {
  const { codec, rows } = column;
  const pages: Page[] = [];
  if (dictionary) {
    const header = struct({ 1: i32(dictionary.entries), 2: i32(ENCODINGS.PLAIN) });
    pages.push(encodePage(PAGE_TYPES.DICTIONARY, { 7: header }, dictionary.data, codec));
  }
  const dictionaryBytes = pages.reduce((sum, { header, stored }) => sum + header.length + stored.length, 0);
  const header = struct({ 1: i32(rows), 2: i32(ENCODINGS[encoding]), 3: i32(ENCODINGS.RLE), 4: i32(ENCODINGS.RLE) });
  pages.push(encodePage(PAGE_TYPES.DATA, { 5: header }, data, codec));

  const bytes = joinBytes(pages.flatMap((page) => [page.header, page.stored]));
  const uncompressedBytes = pages.reduce((sum, page) => sum + page.header.length + page.uncompressedBytes, 0);
  return {
    bytes,
    entryAt: (offset) => ({
      ...column,
      encodings: [...(dictionary ? ["PLAIN" as const] : []), encoding],
      uncompressedBytes,
      compressedBytes: bytes.length,
      offset,
      dataOffset: offset + dictionaryBytes,
    }),
  };
}

interface Page {
  header: Uint8Array;
  /** The values, compressed where the codec says so. */
  stored: Uint8Array;
  uncompressedBytes: number;
}

function encodePage(type: number, header: Record<number, Thrift>, values: Uint8Array, codec: Codec): Page {
  const stored = codec === "ZSTD" ? compress(values) : values;
  return {
    header: encodeThrift(struct({ 1: i32(type), 2: i32(values.length), 3: i32(stored.length), ...header })),
    stored,
    uncompressedBytes: values.length,
  };
}
