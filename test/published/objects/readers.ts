/** Three readers of Parquet that share no code with our writer. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { parquetReadObjects } from "hyparquet";
import { readParquet } from "parquet-wasm";

/** A row of a series object. */
export interface Row {
  cohort: string;
  /** Milliseconds. */
  t: bigint;
  v: number;
  block?: bigint;
}

export async function readByHyparquet(bytes: Uint8Array, options: object = {}): Promise<Row[]> {
  const file = { byteLength: bytes.length, slice: (a: number, b?: number) => bytes.slice(a, b).buffer as ArrayBuffer };
  const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
  const rows = await parquetReadObjects({ file, compressors, ...options });
  return rows.map((row) => ({ ...row, t: BigInt((row.t as Date).getTime()) }) as Row);
}

export function readByParquetWasm(bytes: Uint8Array): Row[] {
  const table = tableFromIPC(readParquet(bytes).intoIPCStream());
  const [cohort, t, v, block] = ["cohort", "t", "v", "block"].map((name) => table.getChild(name));
  const times = t!.toArray() as BigInt64Array;
  return Array.from({ length: table.numRows }, (_, i) => ({
    cohort: String(cohort!.get(i)),
    t: times[i]!,
    v: v!.get(i),
    ...(block && { block: block.get(i) }),
  }));
}

/** Runs a statement over a file, which the statement calls FILE. */
export async function queryByDuckDB(bytes: Uint8Array, sql: string): Promise<Record<string, DuckDBValue>[]> {
  const folder = mkdtempSync(join(tmpdir(), "soprano-"));
  const instance = await DuckDBInstance.create(":memory:");
  try {
    const path = join(folder, "series.parquet");
    writeFileSync(path, bytes);
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(sql.replaceAll("FILE", `'${path}'`));
    return reader.getRowObjects();
  } finally {
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}

export async function readByDuckDB(bytes: Uint8Array): Promise<Row[]> {
  return (await queryByDuckDB(bytes, "SELECT * REPLACE (epoch_ms(t) AS t) FROM FILE")) as unknown as Row[];
}
