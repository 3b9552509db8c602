/**
 * Columns of a DuckDB result as typed arrays over DuckDB's memory, valid until the next chunk is requested. The accessors
 * of @duckdb/node-api create an object per item; this reads the layout of DuckDB's C interface in bulk.
 */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";

/** Maximum rows of a chunk. */
export const VECTOR_ROWS = 2048;

function memory(chunk: DuckDBDataChunk, column: number, itemBytes: number): Uint8Array<ArrayBuffer> {
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column);
  // DuckDB's own memory, never a SharedArrayBuffer.
  return duckdb.vector_get_data(vector, chunk.rowCount * itemBytes) as Uint8Array<ArrayBuffer>;
}

/**
 * Detaches a view of DuckDB's memory. V8 does not own the memory, but counts it until the view is garbage collected, and
 * would collect garbage far too often because of it.
 */
export function release(view: ArrayBufferView<ArrayBuffer>): void {
  view.buffer.transfer(0);
}

/** A column of UHUGEINT, four little-endian words per item; also the items of VARCHAR and BLOB (see ITEM_WORDS). */
export function quads(chunk: DuckDBDataChunk, column: number): Uint32Array<ArrayBuffer> {
  const data = memory(chunk, column, 16);
  return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
}

/** A column of DOUBLE. */
export function doubles(chunk: DuckDBDataChunk, column: number): Float64Array<ArrayBuffer> {
  const data = memory(chunk, column, 8);
  return new Float64Array(data.buffer, data.byteOffset, data.byteLength / 8);
}

/** `length` bytes of memory from the text that item `row` points to. */
export function pointedTo(items: Uint32Array<ArrayBuffer>, row: number, length: number): Uint8Array<ArrayBuffer> {
  const pointer = items.byteOffset + 4 * (ITEM_WORDS * row + 2);
  return duckdb.get_data_from_pointer(items.buffer, pointer, length) as Uint8Array<ArrayBuffer>;
}

/** Texts or byte strings of a column: item i is `lengths[i]` of `bytes` from `starts[i]`. */
export interface Texts {
  rows: number;
  bytes: Buffer;
  /** A view of `bytes`. */
  view: DataView;
  starts: Uint32Array;
  lengths: Uint32Array;
}

/** An item has four words: the length, then the text itself if it has at most 12 bytes, else its first 4 bytes and a pointer. */
const ITEM_WORDS = 4;
const INLINE_BYTES = 12;

/** DuckDB stores the texts of a chunk one after the other; smaller gaps are padding. */
const MAX_PADDING = 8;

/** Buffers that `texts` reuses for each chunk. */
export function textBuffer(): Texts {
  const bytes = Buffer.alloc(1 << 17);
  return {
    rows: 0,
    bytes,
    view: new DataView(bytes.buffer),
    starts: new Uint32Array(VECTOR_ROWS),
    lengths: new Uint32Array(VECTOR_ROWS),
  };
}

/**
 * Reads a column of VARCHAR or BLOB without NULLs (the pointer of a NULL is undefined). Adjacent texts are fetched
 * together: a call per text would take longer than the rest of reading.
 */
export function texts(chunk: DuckDBDataChunk, column: number, buffer: Texts): Texts {
  const items = quads(chunk, column);
  const { starts, lengths } = buffer;
  buffer.rows = chunk.rowCount;
  let end = 0;
  const append = (data: Uint8Array) => {
    if (end + data.length > buffer.bytes.length) {
      const larger = Buffer.alloc(2 * (end + data.length));
      larger.set(buffer.bytes.subarray(0, end));
      buffer.bytes = larger;
      buffer.view = new DataView(larger.buffer);
    }
    buffer.bytes.set(data, end);
    end += data.length;
  };

  // A stretch of adjacent texts: its first row, and where it begins and ends in memory.
  let first = -1;
  let from = 0;
  let to = 0;
  const fetchStretch = () => {
    if (first < 0) return;
    const stretch = pointedTo(items, first, to - from);
    append(stretch);
    release(stretch);
    first = -1;
  };
  for (let row = 0; row < buffer.rows; row++) {
    const item = row * ITEM_WORDS;
    lengths[row] = items[item]!;
    if (lengths[row]! <= INLINE_BYTES) continue;
    const pointer = items[item + 2]! + items[item + 3]! * 2 ** 32;
    if (first < 0 || pointer < to || pointer >= to + MAX_PADDING) {
      fetchStretch();
      first = row;
      from = pointer;
    }
    starts[row] = end + pointer - from;
    to = pointer + lengths[row]!;
  }
  fetchStretch();

  for (let row = 0; row < buffer.rows; row++) {
    if (lengths[row]! > INLINE_BYTES) continue;
    starts[row] = end;
    append(new Uint8Array(items.buffer, items.byteOffset + 4 * (row * ITEM_WORDS + 1), lengths[row]));
  }
  release(items);
  return buffer;
}

export function vectorText({ bytes, starts, lengths }: Texts, row: number): string {
  return bytes.toString("utf8", starts[row], starts[row]! + lengths[row]!);
}
