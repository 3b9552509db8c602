/** Parquet → points, by parquet-wasm. */

import { initSync, readParquet, wasmMemory } from "parquet-wasm/esm/parquet_wasm.js";
import wasm from "parquet-wasm/esm/parquet_wasm_bg.wasm";
import type { Slice } from "./slice.ts";

// At start-up, where it is not a request's time.
initSync({ module: wasm });

/** Rows a record batch; parquet-wasm allocates them ahead. */
const BATCH_ROWS = 8_192;

/**
 * Decodes rows of a file whose columns are t (milliseconds, INT64) and v (DOUBLE). Synchronous: nothing of it outlives
 * the call in WASM's memory, which never shrinks, even when the client goes away.
 *
 * @param skip rows before the wanted ones
 * @throws not such a file, or values that no series has: nulls, numbers that are not finite, times that fall
 */
export function decode(file: Uint8Array, skip: number, rows: number): Slice {
  const slice = { t: new Float64Array(rows), v: new Float64Array(rows) };
  const stream = readParquet(file, { batchSize: BATCH_ROWS, offset: skip, limit: rows }).intoFFI();
  try {
    let copied = 0;
    for (let i = 0; i < stream.numArrays(); i++) copied += copyBatch(stream.arrayAddr(i), copied, slice);
    if (copied < rows) throw new Error("fewer rows than the footer says");
  } finally {
    stream.free();
  }
  return slice;
}

/**
 * Copies a record batch to its place in the slice.
 *
 * @param address of the batch's ArrowArray in WASM's memory; its layout is that of Arrow's C data interface, with
 *   pointers of 32 bits
 * @param start index in the slice of the batch's first row
 * @returns the batch's rows
 */
function copyBatch(address: number, start: number, { t, v }: Slice): number {
  const { buffer } = wasmMemory();
  const view = new DataView(buffer);
  const rows = Number(view.getBigInt64(address, true));
  if (start + rows > t.length) throw new Error("more rows than were asked for");
  const children = view.getUint32(address + 44, true);
  const [times, values] = [0, 1].map((index) => {
    const child = view.getUint32(children + 4 * index, true);
    if (view.getBigInt64(child + 8, true) !== 0n) throw new Error("a null among the points");
    const offset = Number(view.getBigInt64(child + 16, true));
    const buffers = view.getUint32(child + 40, true);
    // The first buffer is the validity bitmap.
    return view.getUint32(buffers + 4, true) + 8 * offset;
  }) as [number, number];

  v.set(new Float64Array(buffer, values, rows), start);
  // Halves of 64-bit integers: no BigInt for each point.
  const low = new Uint32Array(buffer, times, 2 * rows);
  const high = new Int32Array(buffer, times, 2 * rows);
  let before = start === 0 ? Number.NEGATIVE_INFINITY : t[start - 1]!;
  for (let i = 0; i < rows; i++) {
    const time = (high[2 * i + 1]! * 4_294_967_296 + low[2 * i]!) / 1000;
    if (time < before) throw new Error("times fall");
    if (!Number.isFinite(v[start + i])) throw new Error("a value is not finite");
    t[start + i] = time;
    before = time;
  }
  return rows;
}
