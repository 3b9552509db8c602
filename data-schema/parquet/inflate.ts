/**
 * Decompresses pages by parquet-wasm. workerd's own zstd fails on some frames of more than 128 KiB ("unexpected end of
 * file"), although they are whole.
 */

import { joinBytes } from "../text/bytes.ts";
import type { ParquetWasm } from "./decode.ts";
import { ENCODINGS, fileEnd, rowGroup, schema } from "./file-metadata.ts";
import { encodeThrift, i32, i64, list, struct } from "./thrift.ts";

/** Decompresses values, of which there are `length` bytes, into a buffer of their own. @throws {Error} it can't */
export type Inflate = (stored: Uint8Array, length: number) => Uint8Array<ArrayBuffer>;

const COLUMN = { name: "c", type: "INT32" } as const;
const VALUE_BYTES = 4;
/** Values of a record batch; parquet-wasm allocates them in advance. */
const BATCH_VALUES = 65_536;

/** By parquet-wasm: each page is read as the only column of a file, whose values are 32-bit integers. */
export const inflateBy =
  ({ readParquet, wasmMemory }: ParquetWasm): Inflate =>
  (stored, length) => {
    if (length % VALUE_BYTES !== 0) throw new Error("a page has parts of values");
    const values = new Uint8Array(length);
    if (length === 0) return values;
    const file = pageFile(stored, length);
    const stream = readParquet(file, { batchSize: BATCH_VALUES, offset: 0, limit: length / VALUE_BYTES }).intoFFI();
    // WASM has a copy. Without this, garbage of megabytes would wait for a collection.
    file.buffer.transfer(0);
    try {
      let at = 0;
      for (let i = 0; i < stream.numArrays(); i++) {
        const part = valuesAt(wasmMemory().buffer, stream.arrayAddr(i));
        values.set(part, at);
        at += part.length;
      }
      if (at < length) throw new Error("a page has fewer values than its header says");
      return values;
    } finally {
      stream.free();
    }
  };

function pageFile(stored: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const rows = length / VALUE_BYTES;
  const ofData = struct({ 1: i32(rows), 2: i32(ENCODINGS.PLAIN), 3: i32(ENCODINGS.RLE), 4: i32(ENCODINGS.RLE) });
  const header = encodeThrift(struct({ 1: i32(0), 2: i32(length), 3: i32(stored.length), 5: ofData }));
  const chunk = {
    ...COLUMN,
    encodings: ["PLAIN"],
    codec: "ZSTD",
    rows,
    uncompressedBytes: header.length + length,
    compressedBytes: header.length + stored.length,
    offset: 0,
    dataOffset: 0,
  } as const;
  const metadata = struct({ 1: i32(2), 2: schema([COLUMN]), 3: i64(rows), 4: list([rowGroup([chunk], rows)]) });
  return joinBytes([header, stored, ...fileEnd(metadata)]);
}

/**
 * The values of a record batch, as a view of WASM's memory.
 *
 * @param address of the batch's ArrowArray; its layout is that of Arrow's C data interface, with pointers of 32 bits
 */
function valuesAt(buffer: ArrayBuffer, address: number): Uint8Array {
  const view = new DataView(buffer);
  const rows = Number(view.getBigInt64(address, true));
  const child = view.getUint32(view.getUint32(address + 44, true), true);
  const offset = Number(view.getBigInt64(child + 16, true));
  // The first buffer is the validity bitmap, the second the values.
  const values = view.getUint32(view.getUint32(child + 40, true) + 4, true) + VALUE_BYTES * offset;
  return new Uint8Array(buffer, values, VALUE_BYTES * rows);
}
