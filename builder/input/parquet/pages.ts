/** The pages of a column chunk, decompressed. Source: the Parquet format's README.md and parquet.thrift. */

import { gunzipSync, zstdDecompressSync } from "node:zlib";
import type { ColumnMetaData, CompressionCodec, DataPageHeader, PageHeader } from "hyparquet";
import { snappyUncompress } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { Cursor, runLengths } from "./encodings.ts";

export interface Page {
  isDictionary: boolean;
  values: number;
  encoding: string;
  /** At the first value. */
  cursor: Cursor;
}

/** Pages are decompressed as a whole. Usual ones have a megabyte. */
const MOST_PAGE_BYTES = 1 << 27;

const CODECS: Partial<Record<CompressionCodec, (bytes: Uint8Array, size: number) => Uint8Array>> = {
  UNCOMPRESSED: (bytes) => bytes,
  // With room for all bytes, they are made in one piece.
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { chunkSize: size + 1024, maxOutputLength: size + 1024 }),
  GZIP: (bytes, size) => gunzipSync(bytes, { chunkSize: size + 1024, maxOutputLength: size + 1024 }),
  SNAPPY(bytes, size) {
    const out = new Uint8Array(size);
    snappyUncompress(bytes, out);
    return out;
  },
};

export const isCodec = (codec: CompressionCodec) => codec in CODECS;

/**
 * The pages of a column without nulls, in order.
 *
 * @param bytes of the chunk
 * @param isOptional whether its values might have been null
 */
export function* pagesOf(bytes: Uint8Array, metadata: ColumnMetaData, isOptional: boolean): Generator<Page> {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  while (reader.offset < bytes.length) {
    const header = parquetHeader(reader);
    const begin = reader.offset;
    reader.offset += header.compressed_page_size;
    if (!(reader.offset > begin || header.compressed_page_size === 0) || reader.offset > bytes.length) {
      throw new Error("a page is cut off");
    }
    yield openPage(header, bytes.subarray(begin, reader.offset), metadata, isOptional);
  }
}

function openPage(
  header: PageHeader,
  body: Uint8Array,
  { codec, num_values }: ColumnMetaData,
  isOptional: boolean,
): Page {
  const { type, uncompressed_page_size: size } = header;
  const [dictionary, v1, v2] = [header.dictionary_page_header, header.data_page_header, header.data_page_header_v2];
  const page = { DICTIONARY_PAGE: dictionary, DATA_PAGE: v1, DATA_PAGE_V2: v2, INDEX_PAGE: undefined }[type];
  if (!page) throw new Error(`a page of type ${type}`);
  const { num_values: values, encoding } = page;
  // What a damaged header says takes no memory.
  if (!(size >= 0 && size <= MOST_PAGE_BYTES && values >= 0 && values <= num_values)) {
    throw new Error(`a page of ${size} bytes and ${values} values`);
  }
  const isV2 = page === v2;
  if (isV2 && v2.num_nulls !== 0) throw new Error("nulls");
  // In version 2, levels are in front, and never compressed.
  const levels = isV2 ? v2.repetition_levels_byte_length + v2.definition_levels_byte_length : 0;
  const stored = body.subarray(levels);
  const bytes = isV2 && v2.is_compressed === false ? stored : CODECS[codec]!(stored, size - levels);
  if (bytes.length !== size - levels) throw new Error(`a page of ${bytes.length} instead of ${size - levels} bytes`);
  const cursor = new Cursor(bytes);
  if (page === v1 && isOptional) skipLevels(cursor, v1);
  return { isDictionary: page === dictionary, values, encoding, cursor };
}

/** Definition levels of a column at the top of the schema: one bit a value, 0 for a null. */
function skipLevels(cursor: Cursor, { num_values, definition_level_encoding }: DataPageHeader): void {
  if (definition_level_encoding !== "RLE") throw new Error(`levels as ${definition_level_encoding}`);
  const length = cursor.word();
  const begin = cursor.at;
  // Most writers make them one run of ones.
  const isOneRun = cursor.varint() === 2 * num_values && cursor.byte() === 1;
  if (!isOneRun) {
    const levels = new Uint32Array(num_values);
    cursor.at = begin;
    runLengths(cursor, 1, levels);
    if (levels.includes(0)) throw new Error("nulls");
  }
  if (cursor.at !== begin + length) throw new Error("more levels than values");
}
