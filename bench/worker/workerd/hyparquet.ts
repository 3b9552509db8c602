/** The same with hyparquet, in JavaScript alone: ranged reads, row groups skipped by their statistics. */

import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import type { BenchQuery } from "../queries.ts";

interface Opened {
  byteLength: number;
  metadata: FileMetaData;
}

/** It caches footers, too. */
const known = new Map<string, Opened>();

export async function withHyparquet(
  { selector, range }: BenchQuery,
  keys: readonly string[],
  bucket: R2Bucket,
): Promise<string> {
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
}

async function open(key: string, bucket: R2Bucket): Promise<Opened> {
  const opened = known.get(key);
  if (opened !== undefined) return opened;
  const { size } = (await bucket.head(key))!;
  const metadata = await parquetMetadataAsync(bufferOf(key, size, bucket));
  known.set(key, { byteLength: size, metadata });
  return known.get(key)!;
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
