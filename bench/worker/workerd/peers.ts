/** The other ways to answer a query in the Worker, from the same objects. */

import { tableFromIPC } from "apache-arrow";
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { initSync, readParquet } from "parquet-wasm/esm/parquet_wasm.js";
import wasm from "parquet-wasm/esm/parquet_wasm_bg.wasm";
import type { BenchQuery } from "../queries.ts";

initSync({ module: wasm });

type Peer = (query: BenchQuery, keys: readonly string[], bucket: R2Bucket) => Promise<string>;

/** The straightforward way: decode the objects, make an object of each row, write them with JSON.stringify. */
export const straightforward: Peer = async ({ selector, range }, keys, bucket) => {
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
};

/** With hyparquet, in JavaScript alone: ranged reads, row groups skipped by their statistics. */
export const withHyparquet: Peer = async ({ selector, range }, keys, bucket) => {
  const points: { t: string; v: number }[] = [];
  for (const key of keys) {
    const { byteLength, metadata } = await open(key, bucket);
    const times = range && { t: { $gte: new Date(range.since * 1000), $lt: new Date(range.until * 1000) } };
    const rows = await parquetReadObjects({
      file: bufferOf(key, byteLength, bucket),
      metadata,
      columns: ["t", "v"],
      filter: { cohort: { $eq: selector }, ...times },
      compressors,
    });
    for (const { t, v } of rows) points.push({ t: (t as Date).toISOString().slice(0, 19), v });
  }
  return JSON.stringify(points);
};

interface Opened {
  byteLength: number;
  metadata: FileMetaData;
}

/** It caches footers, too, as the Worker does. */
const known = new Map<string, Opened>();

async function open(key: string, bucket: R2Bucket): Promise<Opened> {
  const opened = known.get(key);
  if (opened !== undefined) return opened;
  const { size } = (await bucket.head(key))!;
  const metadata = await parquetMetadataAsync(bufferOf(key, size, bucket));
  known.set(key, { byteLength: size, metadata });
  return { byteLength: size, metadata };
}

function bufferOf(key: string, byteLength: number, bucket: R2Bucket): AsyncBuffer {
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const object = await bucket.get(key, { range: { offset: start, length: end - start } });
      return object!.arrayBuffer();
    },
  };
}
