/** The bytes of row groups → points, by parquet-wasm. */

import { initSync, readParquet, wasmMemory } from "parquet-wasm/esm/parquet_wasm.js";
import wasm from "parquet-wasm/esm/parquet_wasm_bg.wasm";
import { type Columns, decodeRows } from "../../../data-schema/parquet.ts";
import type { Batch } from "./batches.ts";

// At start-up, so that no request waits for it.
initSync({ module: wasm });

/**
 * The rows of a batch.
 *
 * @param bytes of all its row groups
 * @param hasBlocks whether to decode the column of block numbers, too
 * @throws they cannot be decoded, or hold what no series has: nulls, values that are not finite, times that fall, block
 *   numbers that do not rise
 */
export function decodeBatch(
  bytes: Uint8Array,
  { offset, groups, skip, rows, parts }: Batch,
  hasBlocks: boolean,
): Columns {
  const [t, v, block] = [new Float64Array(rows), new Float64Array(rows), new Float64Array(hasBlocks ? rows : 0)];
  decodeRows({ readParquet, wasmMemory }, bytes, offset, groups, skip, hasBlocks ? { t, v, block } : { t, v });
  for (const { from, to } of parts) {
    for (let i = from; i < to; i++) {
      if (i > from && t[i]! < t[i - 1]!) throw new Error("times fall");
      if (!Number.isFinite(v[i])) throw new Error("a value is not finite");
      if (hasBlocks && i > from && !(block[i]! > block[i - 1]!)) throw new Error("block numbers do not rise");
    }
  }
  return { t, v, block };
}
