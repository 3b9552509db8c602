/** The straightforward way: decode the objects, make an object of each row, write them with JSON.stringify. */

import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm/esm/parquet_wasm.js";
import type { BenchQuery } from "../queries.ts";

export async function straightforward(
  { selector, range }: BenchQuery,
  keys: readonly string[],
  bucket: R2Bucket,
): Promise<string> {
  const points: { t: string; v: number }[] = [];
  for (const key of keys) {
    const bytes = new Uint8Array(await (await bucket.get(key))!.arrayBuffer());
    const table = tableFromIPC(readParquet(bytes).intoIPCStream());
    const [cohort, t, v] = [table.getChild("cohort")!, table.getChild("t")!, table.getChild("v")!];
    for (let row = 0; row < table.numRows; row++) {
      if (cohort.get(row) !== selector) continue;
      const milliseconds = Number(t.get(row));
      if (range && (milliseconds < range.since * 1000 || milliseconds >= range.until * 1000)) continue;
      points.push({ t: new Date(milliseconds).toISOString().slice(0, 19), v: v.get(row) });
    }
  }
  return JSON.stringify(points);
}
