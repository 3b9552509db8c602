/** The blocks of a Parquet file's row groups, from the statistics in its footer. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { literal } from "../../duckdb/database.ts";
import { type Column, pathLiteral, type Table, tableChunks } from "../../duckdb/input-table.ts";

/** A row group that has rows. Its blocks are from `min` to `max`, inclusive. */
export interface BlockRowGroup {
  min: number;
  max: number;
  rows: number;
}

/** Returns a file's row groups by its column of block numbers; undefined if the blocks of one of them are unknown, as they are in any text, and in any recognised shape. */
export async function findRowGroups(
  connection: DuckDBConnection,
  table: Table,
  { name, type }: Column,
): Promise<BlockRowGroup[] | undefined> {
  if (table.isText || table.shape !== undefined || !/INT(EGER)?$/.test(type)) return undefined;
  // A row without a block number is in no range of blocks, so such a file needs another way.
  const sql = `SELECT row_group_num_rows, CASE WHEN stats_null_count = 0 THEN coalesce(stats_min_value, stats_min) END,
    coalesce(stats_max_value, stats_max) FROM parquet_metadata(${pathLiteral(table.file.path)})
    WHERE path_in_schema = ${literal(name)} AND row_group_num_rows > 0 ORDER BY row_group_id`;
  const groups: BlockRowGroup[] = [];
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    for (const [rows, min, max] of chunk.getRows()) {
      if (min === null || max === null) return undefined;
      groups.push({ min: Number(min), max: Number(max), rows: Number(rows) });
    }
  }
  return groups;
}
