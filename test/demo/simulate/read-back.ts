/** What a simulation has written, read back by DuckDB: not by the code that wrote it. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

/** Every file of a folder, by name. */
export async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).sort();
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

export interface Row {
  file: string;
  token: string;
  block: number;
  logIndex: number;
  /** Unix seconds. */
  timestamp: number;
  from: string;
  to: string;
  value: bigint;
}

/** How many rows a file has, and the blocks of its first and last row; without the rows, of which there may be many. */
export async function extentOf(folder: string, file: string) {
  const [[rows, firstBlock, lastBlock] = []] = await query(`
    SELECT count(*)::INTEGER, min_by(block_number, file_row_number)::DOUBLE, max_by(block_number, file_row_number)::DOUBLE
    FROM read_parquet('${join(folder, file)}', file_row_number = true)`);
  return { rows, firstBlock: Number(firstBlock), lastBlock: Number(lastBlock) };
}

/** The transfers in the order of the files and their rows. */
export async function transfersOf(folder: string, files = "transfers-*.parquet"): Promise<Row[]> {
  const rows = await query(`
    SELECT filename, token_address, block_number::DOUBLE, log_index, epoch(block_timestamp), from_address, to_address, value
    FROM read_parquet('${join(folder, files)}', filename = true)
    ORDER BY filename, file_row_number`);
  return rows.map(([file, token, block, logIndex, timestamp, from, to, value]) => ({
    file: String(file),
    token: String(token),
    block: Number(block),
    logIndex: Number(logIndex),
    timestamp: Number(timestamp),
    from: String(from),
    to: String(to),
    value: BigInt(String(value)),
  }));
}

async function query(sql: string) {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRows();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

/** The rows of a CSV file, without its header. */
export async function csvOf(folder: string, file: string): Promise<string[][]> {
  const lines = (await readFile(join(folder, file), "utf8")).trimEnd().split("\n");
  return lines.slice(1).map((line) => line.split(","));
}
