/** Opens the files of a share, restricted to its blocks. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { openTable, type Table } from "../duckdb/table.ts";
import { BLOCK_NUMBER_NAMES } from "./blocks.ts";
import { tableAfter } from "./new-rows.ts";
import { BLOCK_COLUMN } from "./plan.ts";
import type { Files, HistoryFile, Reading } from "./share.ts";

/** A file of a share, open. */
export interface ShareFile {
  /** Position in the survey's `history`. */
  index: number;
  table: Table;
}

/** Opens the files of a share that have a role. */
export async function openShare(
  connection: DuckDBConnection,
  files: Files,
  reading: Reading,
  share: number,
  role: HistoryFile["role"],
): Promise<ShareFile[]> {
  const opened: ShareFile[] = [];
  for (const index of reading.shares[share]!.files) {
    if (files.history[index]!.role !== role) continue;
    opened.push({ index, table: await openFile(connection, files, reading, index) });
  }
  return opened;
}

/** Opens a file, restricted to the rows that a reading wants. */
export async function openFile(
  connection: DuckDBConnection,
  { history }: Files,
  { after }: Reading,
  index: number,
): Promise<Table> {
  const { role, file } = history[index]!;
  const table = await openTable(connection, file);
  const names = role === "blocks" ? BLOCK_NUMBER_NAMES : BLOCK_COLUMN;
  return after === undefined ? table : tableAfter(table, after, names);
}
