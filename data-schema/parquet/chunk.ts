/** Column chunks: encoded columns as pages, and their entries in the footer. Source: the Parquet format's parquet.thrift. */

import { joinBytes } from "../text/bytes.ts";
import { type Codec, type ColumnChunk, ENCODINGS, type Encoding } from "./file-metadata.ts";
import { encodeThrift, i32, struct, type Thrift } from "./thrift.ts";

const PAGE_TYPES = { DATA: 0, DICTIONARY: 2 } as const;

/** Rows of a column, encoded. */
export interface PageValues {
  rows: number;
  encoding: Encoding;
  /** The encoded values. */
  data: Uint8Array;
  /** Which rows have a value, as `definitionLevels` of encodings.ts: in columns that may have nulls. */
  levels?: Uint8Array;
}

/** The entries that the values of a column stand for, in PLAIN encoding. */
interface Dictionary {
  entries: number;
  data: Uint8Array;
}

/** What the footer says of a column chunk beyond its pages. */
type ChunkColumn = Pick<ColumnChunk, "name" | "type" | "codec" | "range" | "nulls">;

/** A column of a row group, in one page. */
export interface ColumnValues extends ChunkColumn, PageValues {
  dictionary?: Dictionary;
}

/** A column of a row group as it is stored, wherever in the file it is placed. */
export interface ParquetChunk {
  /** Its bytes, in order. */
  pieces: readonly Uint8Array[];
  /** Its bytes, in one piece. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Its entry in the footer, if it begins at an offset of the file. */
  entryAt(offset: number): ColumnChunk;
}

/** A page as it is stored. */
interface Page {
  header: Uint8Array;
  /** The values, compressed where the codec says so. */
  stored: Uint8Array;
  uncompressedBytes: number;
}

/** A data page as it is stored. */
export interface DataPage extends Page {
  rows: number;
  encoding: Encoding;
}

/** One data page, after a dictionary page if there is a dictionary. */
export function encodeChunk({ rows, encoding, data, dictionary, ...column }: ColumnValues): ParquetChunk {
  return chunkOf(column, [encodePage({ rows, encoding, data }, column.codec)], dictionary);
}

/** A page of rows. */
export function encodePage({ rows, encoding, data, levels }: PageValues, codec: Codec): DataPage {
  const header = struct({ 1: i32(rows), 2: i32(ENCODINGS[encoding]), 3: i32(ENCODINGS.RLE), 4: i32(ENCODINGS.RLE) });
  const values = levels === undefined ? data : joinBytes([levels, data]);
  const page = { ...store(PAGE_TYPES.DATA, { 5: header }, values, codec), rows, encoding };
  // Joined here, and garbage of buffers would wait for a collection.
  if (levels !== undefined && page.stored !== values) (values.buffer as ArrayBuffer).transfer(0);
  return page;
}

/** The pages of a column, one after the other; at least one. */
export function chunkOf(column: ChunkColumn, pages: readonly DataPage[], dictionary?: Dictionary): ParquetChunk {
  const before: Page[] = [];
  if (dictionary) {
    const header = struct({ 1: i32(dictionary.entries), 2: i32(ENCODINGS.PLAIN) });
    before.push(store(PAGE_TYPES.DICTIONARY, { 7: header }, dictionary.data, column.codec));
  }
  const dictionaryBytes = before.reduce((sum, { header, stored }) => sum + header.length + stored.length, 0);
  const all = [...before, ...pages];
  const pieces = all.flatMap(({ header, stored }) => [header, stored]);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  let joined: Uint8Array<ArrayBuffer> | undefined;
  const encodings = new Set(pages.map(({ encoding }) => encoding));
  return {
    pieces,
    get bytes() {
      joined ??= joinBytes(pieces);
      return joined;
    },
    entryAt: (offset) => ({
      ...column,
      rows: pages.reduce((sum, { rows }) => sum + rows, 0),
      encodings: [...(dictionary ? ["PLAIN" as const] : []), ...encodings],
      uncompressedBytes: all.reduce((sum, { header, uncompressedBytes }) => sum + header.length + uncompressedBytes, 0),
      compressedBytes: length,
      offset,
      dataOffset: offset + dictionaryBytes,
    }),
  };
}

function store(type: number, header: Record<number, Thrift>, values: Uint8Array, codec: Codec): Page {
  const stored = codec === "ZSTD" ? compress(values) : values;
  return {
    header: encodeThrift(struct({ 1: i32(type), 2: i32(values.length), 3: i32(stored.length), ...header })),
    stored,
    uncompressedBytes: values.length,
  };
}

/** Level 2 makes a block series 2 % smaller and its encoding 7 % slower; level -2 makes it 14 % larger. */
const LEVEL = 1;

// Not imported: a Worker would take 6 ms longer to start.
const load = () => process.getBuiltinModule("node:zlib");
let zlib: ReturnType<typeof load> | undefined;

/** workerd's zlib fails on more than about 40,000 bytes that do not compress (github.com/cloudflare/workerd/issues/6769). */
const LEAST_FAILING_BYTES = 40_000;
const SMALL_FRAME_BYTES = 32_768;

/**
 * One zstd frame, or in workerd several where it cannot make one: readers accept them in place of one. The bytes depend on
 * the version of zstd that Node comes with.
 */
function compress(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    return frame(bytes);
  } catch (error) {
    if (bytes.length < LEAST_FAILING_BYTES) throw error;
    const parts = Array.from({ length: Math.ceil(bytes.length / SMALL_FRAME_BYTES) }, (_, index) =>
      frame(bytes.subarray(index * SMALL_FRAME_BYTES, (index + 1) * SMALL_FRAME_BYTES)),
    );
    return joinBytes(parts);
  }
}

function frame(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  zlib ??= load();
  return zlib.zstdCompressSync(bytes, {
    // Room for the largest possible output: zstd then makes it in one piece, without copying its input.
    chunkSize: bytes.length + Math.ceil(bytes.length / 256) + 1024,
    params: { [zlib.constants.ZSTD_c_compressionLevel]: LEVEL },
  });
}
