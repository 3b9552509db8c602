/** Parquet → points, by parquet-wasm. */

import { initSync, readParquet, wasmMemory } from "parquet-wasm/esm/parquet_wasm.js";
import wasm from "parquet-wasm/esm/parquet_wasm_bg.wasm";
import type { Slice } from "./slice.ts";

// At start-up, where it is not a request's time.
initSync({ module: wasm });

/** Rows a record batch; parquet-wasm allocates them ahead. */
const BATCH_ROWS = 8_192;

/**
 * Decodes a file whose columns are t (milliseconds, INT64) and v (DOUBLE). Synchronous: nothing of it outlives the
 * call in WASM's memory, which never shrinks, even when the client goes away.
 *
 * @param file every row of it is decoded
 * @param skip rows before the wanted ones
 * @throws not such a file, or values that no series has: nulls, numbers that are not finite, times that fall
 */
export function decode(file: Uint8Array, skip: number, rows: number): Slice {
  const slice = { t: new Float64Array(rows), v: new Float64Array(rows) };
  const stream = readParquet(file, { batchSize: BATCH_ROWS }).intoFFI();
  try {
    let batchStart = -skip;
    for (let i = 0; i < stream.numArrays(); i++) {
      batchStart += copyBatch(stream.arrayAddr(i), batchStart, slice);
    }
    if (batchStart < rows) throw new Error("fewer rows than the footer says");
  } finally {
    stream.free();
  }
  for (let i = 0; i < rows; i++) {
    if (!Number.isFinite(slice.v[i])) throw new Error("a value is not finite");
    if (i > 0 && slice.t[i]! < slice.t[i - 1]!) throw new Error("times fall");
  }
  return slice;
}

/**
 * Copies a record batch to its place in the slice, and what lies outside the slice nowhere.
 *
 * @param address of the batch's ArrowArray in WASM's memory; its layout is that of Arrow's C data interface, with
 *   pointers of 32 bits
 * @param start index in the slice of the batch's first row; negative before it
 * @returns the batch's rows
 */
function copyBatch(address: number, start: number, slice: Slice): number {
  const { buffer } = wasmMemory();
  const view = new DataView(buffer);
  const length = Number(view.getBigInt64(address, true));
  const from = Math.max(0, -start);
  const to = Math.min(length, slice.t.length - start);
  if (from >= to) return length;

  const children = view.getUint32(address + 44, true);
  const [times, values] = [0, 1].map((index) => {
    const child = view.getUint32(children + 4 * index, true);
    if (view.getBigInt64(child + 8, true) !== 0n) throw new Error("a null among the points");
    const offset = Number(view.getBigInt64(child + 16, true));
    const buffers = view.getUint32(child + 40, true);
    // The first buffer is the validity bitmap.
    return view.getUint32(buffers + 4, true) + 8 * offset;
  }) as [number, number];

  slice.v.set(new Float64Array(buffer, values + 8 * from, to - from), start + from);
  // Halves of 64-bit integers: no BigInt for each point.
  const low = new Uint32Array(buffer, times, 2 * length);
  const high = new Int32Array(buffer, times, 2 * length);
  for (let i = from; i < to; i++) {
    slice.t[start + i] = (high[2 * i + 1]! * 4_294_967_296 + low[2 * i]!) / 1000;
  }
  return length;
}
