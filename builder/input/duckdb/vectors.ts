/**
 * The memory of a result's columns as typed arrays, valid until the next chunk is asked for. The accessors of
 * @duckdb/node-api make an object of every item; here it is taken as DuckDB's C interface lays it out, in bulk.
 */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";

/** Rows in a chunk, at most. */
export const CHUNK_ROWS = 2048;

function memory(chunk: DuckDBDataChunk, column: number, itemBytes: number): Uint8Array<ArrayBuffer> {
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column);
  // Memory of DuckDB's own: an ArrayBuffer, though the type leaves it open.
  return duckdb.vector_get_data(vector, chunk.rowCount * itemBytes) as Uint8Array<ArrayBuffer>;
}

/**
 * Ends the use of memory of DuckDB's. It is not V8's to free, but V8 counts it until it finds that nobody holds the view
 * any more, and collects garbage all the time over what it counts.
 */
export function release(view: ArrayBufferView<ArrayBuffer>): void {
  view.buffer.transfer(0);
}

/** A column of UHUGEINT as four little-endian words an item; also the items of VARCHAR and BLOB, see below. */
export function quads(chunk: DuckDBDataChunk, column: number): Uint32Array<ArrayBuffer> {
  const data = memory(chunk, column, 16);
  return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
}

/** A column of DOUBLE. */
export function doubles(chunk: DuckDBDataChunk, column: number): Float64Array<ArrayBuffer> {
  const data = memory(chunk, column, 8);
  return new Float64Array(data.buffer, data.byteOffset, data.byteLength / 8);
}

/** The bytes that item `row` of a column of texts points to, and what lies behind them, `length` in all. */
export function pointedTo(items: Uint32Array<ArrayBuffer>, row: number, length: number): Uint8Array<ArrayBuffer> {
  const pointer = items.byteOffset + 4 * (ITEM_WORDS * row + 2);
  return duckdb.get_data_from_pointer(items.buffer, pointer, length) as Uint8Array<ArrayBuffer>;
}

/** Texts or byte strings of a column: item i is `bytes` from `starts[i]`, `lengths[i]` of them. */
export interface Texts {
  rows: number;
  bytes: Buffer;
  /** Of the same bytes. */
  view: DataView;
  starts: Uint32Array;
  lengths: Uint32Array;
}

/** An item has four words: its length, then the text itself if that has at most 12 bytes, else 4 bytes of it and a pointer. */
const ITEM_WORDS = 4;
const INLINE_BYTES = 12;

/** DuckDB copies the texts of a chunk one after the other; less than this between two is padding. */
const MAX_PADDING = 8;

/** Room that `texts` uses again for each column and chunk. */
export function textRoom(): Texts {
  const bytes = Buffer.alloc(1 << 17);
  return {
    rows: 0,
    bytes,
    view: new DataView(bytes.buffer),
    starts: new Uint32Array(CHUNK_ROWS),
    lengths: new Uint32Array(CHUNK_ROWS),
  };
}

/**
 * Reads a column of VARCHAR or BLOB without NULLs (what a NULL points to is not defined).
 *
 * A call for each text would take longer than all the rest of reading, so texts that lie side by side are fetched together.
 */
export function texts(chunk: DuckDBDataChunk, column: number, room: Texts): Texts {
  const items = quads(chunk, column);
  const { starts, lengths } = room;
  room.rows = chunk.rowCount;
  let end = 0;
  const append = (data: Uint8Array) => {
    if (end + data.length > room.bytes.length) {
      const larger = Buffer.alloc(2 * (end + data.length));
      larger.set(room.bytes.subarray(0, end));
      room.bytes = larger;
      room.view = new DataView(larger.buffer);
    }
    room.bytes.set(data, end);
    end += data.length;
  };

  // A stretch of texts side by side: its first row, and addresses in memory from there to its end.
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
  for (let row = 0; row < room.rows; row++) {
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

  for (let row = 0; row < room.rows; row++) {
    if (lengths[row]! > INLINE_BYTES) continue;
    starts[row] = end;
    append(new Uint8Array(items.buffer, items.byteOffset + 4 * (row * ITEM_WORDS + 1), lengths[row]));
  }
  release(items);
  return room;
}

/** One text, in UTF-8. */
export function textOf({ bytes, starts, lengths }: Texts, row: number): string {
  return bytes.toString("utf8", starts[row], starts[row]! + lengths[row]!);
}
