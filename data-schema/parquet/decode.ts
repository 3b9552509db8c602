/**
 * Row groups of a series object → arrays of numbers, by parquet-wasm, which gets an excerpt: a small Parquet file that
 * holds only the row groups and columns that a reader needs, made of the bytes of one range of an object and a footer
 * written for them.
 *
 * The decoder sees nothing else: it parses the metadata of two or three columns instead of the whole object's, needs no
 * page index, and runs synchronously on one buffer, so that a panic is an exception and not a promise that never
 * settles.
 */

import { joinBytes } from "../text/bytes.ts";
import { fileEnd, rowGroup, schema } from "./file-metadata.ts";
import type { RowGroup } from "./series-object.ts";
import { i32, i64, list, struct } from "./thrift.ts";

/** The columns that an excerpt can have. */
const NUMBER_COLUMNS = { t: "INT64", v: "DOUBLE", block: "INT64" } as const;
type NumberColumnName = keyof typeof NUMBER_COLUMNS;

/** What an excerpt needs to know of a row group. */
type ExcerptGroup = Pick<RowGroup, "rows" | "chunks">;

/** What is used of parquet-wasm. It is passed in, since Node and Workers load it from different builds. */
export interface ParquetWasm {
  readParquet(
    file: Uint8Array,
    options: { batchSize: number; offset: number; limit: number },
  ): { intoFFI(): { numArrays(): number; arrayAddr(index: number): number; free(): void } };
  wasmMemory(): { readonly buffer: ArrayBuffer };
}

/** Where decoded rows go: arrays of equal length. t is in Unix seconds. */
export interface Columns {
  t: Float64Array;
  v: Float64Array;
  block?: Float64Array;
}

/** Rows of a record batch; parquet-wasm allocates them in advance. */
const BATCH_ROWS = 8_192;

/** What numbers are divided by: t is stored in milliseconds. */
const DIVISORS = { t: 1000, v: 1, block: 1 };

/**
 * Decodes rows of neighbouring row groups. It is synchronous, so nothing stays behind in WASM's memory, which never
 * shrinks, even when the client goes away.
 *
 * @param bytes a range of the object that holds the chunks of the columns
 * @param start where that range starts in the object
 * @param skip rows of the row groups before the first wanted one
 * @param into takes as many rows as its arrays are long
 * @throws the bytes cannot be decoded, or have fewer rows or nulls
 */
export function decodeRows(
  { readParquet, wasmMemory }: ParquetWasm,
  bytes: Uint8Array,
  start: number,
  groups: readonly ExcerptGroup[],
  skip: number,
  into: Columns,
): void {
  const names: NumberColumnName[] = into.block ? ["t", "v", "block"] : ["t", "v"];
  const rows = into.t.length;
  const file = excerpt(bytes, start, groups, names);
  const stream = readParquet(file, { batchSize: BATCH_ROWS, offset: skip, limit: rows }).intoFFI();
  // WASM has a copy. Without this, garbage of megabytes would wait for a collection.
  file.buffer.transfer(0);
  try {
    let row = 0;
    for (let i = 0; i < stream.numArrays(); i++) {
      row += copyBatch(wasmMemory().buffer, stream.arrayAddr(i), names, into, row);
    }
    if (row < rows) throw new Error("it has fewer rows than its footer says");
  } finally {
    stream.free();
  }
}

/**
 * Copies a record batch to its place.
 *
 * @param address of the batch's ArrowArray in WASM's memory; its layout is that of Arrow's C data interface, with
 *   pointers of 32 bits
 * @param row where the batch's first row goes
 * @returns the batch's rows
 */
function copyBatch(
  buffer: ArrayBuffer,
  address: number,
  names: readonly NumberColumnName[],
  into: Columns,
  row: number,
): number {
  const view = new DataView(buffer);
  const rows = Number(view.getBigInt64(address, true));
  if (row + rows > into.t.length) throw new Error("it has more rows than its footer says");
  const children = view.getUint32(address + 44, true);
  for (const [index, name] of names.entries()) {
    const child = view.getUint32(children + 4 * index, true);
    if (view.getBigInt64(child + 8, true) !== 0n) throw new Error(`its column ${name} has a null`);
    const offset = Number(view.getBigInt64(child + 16, true));
    // The first buffer is the validity bitmap, the second the values.
    const values = view.getUint32(view.getUint32(child + 40, true) + 4, true) + 8 * offset;
    if (NUMBER_COLUMNS[name] === "DOUBLE") into[name]!.set(new Float64Array(buffer, values, rows), row);
    else copyIntegers(buffer, values, rows, DIVISORS[name], into[name]!, row);
  }
  return rows;
}

/** Copies 64-bit integers by halves, so that there is no BigInt for each number. */
function copyIntegers(
  buffer: ArrayBuffer,
  address: number,
  count: number,
  divisor: number,
  into: Float64Array,
  first: number,
): void {
  const low = new Uint32Array(buffer, address, 2 * count);
  const high = new Int32Array(buffer, address, 2 * count);
  for (let i = 0; i < count; i++) into[first + i] = (high[2 * i + 1]! * 4_294_967_296 + low[2 * i]!) / divisor;
}

/**
 * Lays row groups out as a file of their own.
 *
 * @param bytes a range of the object that holds the chunks of the columns
 * @param start where that range starts in the object
 */
function excerpt(
  bytes: Uint8Array,
  start: number,
  groups: readonly ExcerptGroup[],
  names: readonly NumberColumnName[],
): Uint8Array<ArrayBuffer> {
  const columns = names.map((name) => ({ name, type: NUMBER_COLUMNS[name] }));
  const rowGroups = groups.map(({ rows, chunks }) => {
    const placed = columns.map((column) => {
      const chunk = chunks[column.name]!;
      const [offset, dataOffset] = [chunk.offset - start, chunk.dataOffset - start];
      // A page states its own encoding; decoders do not read it here.
      return { ...column, encodings: ["PLAIN"] as const, codec: "ZSTD" as const, rows, ...chunk, offset, dataOffset };
    });
    return rowGroup(placed, rows);
  });
  const metadata = struct({
    1: i32(2),
    2: schema(columns),
    3: i64(groups.reduce((rows, group) => rows + group.rows, 0)),
    4: list(rowGroups),
  });
  return joinBytes([bytes, ...fileEnd(metadata)]);
}
