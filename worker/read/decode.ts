/** The bytes of row groups → points, by parquet-wasm. */

import { initSync, readParquet, wasmMemory } from "parquet-wasm/esm/parquet_wasm.js";
import wasm from "parquet-wasm/esm/parquet_wasm_bg.wasm";
import { decodeRows } from "../../data-schema/parquet/decode.ts";
import type { Slice } from "../../data-schema/series.ts";
import type { Run } from "./plan.ts";

// At start-up, so that no request waits for it.
initSync({ module: wasm });

/**
 * The cohort's points of a run.
 *
 * @param bytes of all its row groups
 * @throws they cannot be decoded, or hold what no series has: nulls, values that are not finite, times that fall
 */
export function decode(bytes: Uint8Array, { offset, groups, skip, rows }: Run): Slice {
  const [t, v] = [new Float64Array(rows), new Float64Array(rows)];
  decodeRows({ readParquet, wasmMemory }, bytes, offset, groups, skip, { t, v });
  for (let i = 0; i < rows; i++) {
    if (i > 0 && t[i]! < t[i - 1]!) throw new Error("times fall");
    if (!Number.isFinite(v[i])) throw new Error("a value is not finite");
  }
  return { t, v };
}
