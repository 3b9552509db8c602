/**
 * The memory of a result's columns as typed arrays, valid while the chunk is. The accessors of @duckdb/node-api make an
 * object of every item; this is how DuckDB's C interface lays items out.
 */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";

function memory(chunk: DuckDBDataChunk, column: number, itemBytes: number): Uint8Array {
  return duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, column), chunk.rowCount * itemBytes);
}

/** A column of UTINYINT. */
export function bytes(chunk: DuckDBDataChunk, column: number): Uint8Array {
  return memory(chunk, column, 1);
}

/** A column of UINTEGER; or of UHUGEINT as four little-endian words an item, with `wordsPerItem` 4. */
export function words(chunk: DuckDBDataChunk, column: number, wordsPerItem = 1): Uint32Array {
  const data = memory(chunk, column, 4 * wordsPerItem);
  return new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
}

/** A column of DOUBLE. */
export function doubles(chunk: DuckDBDataChunk, column: number): Float64Array {
  const data = memory(chunk, column, 8);
  return new Float64Array(data.buffer, data.byteOffset, data.byteLength / 8);
}

/** 16-bit units of an item in a column of texts: the length in two, then the text itself if it has at most 12 bytes. */
export const TEXT_UNITS = 8;

/** A column of VARCHAR or BLOB as `TEXT_UNITS` little-endian units an item. */
export function texts(chunk: DuckDBDataChunk, column: number): Uint16Array {
  const data = memory(chunk, column, 2 * TEXT_UNITS);
  return new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2);
}
