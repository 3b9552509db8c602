/** Reading only what has come since a checkpoint: the rows of later blocks. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { FileSince } from "../checkpoint/compare.ts";
import { StartOver } from "../checkpoint/start-over.ts";
import { type Column, needColumn, type Table, tableChunks } from "./table.ts";
import { BLOCK_COLUMN, planTransfers } from "./transfer-plan.ts";

/**
 * The rows of a table after a block. A block that can't be read is left for the decoder to complain of; in numbers there is
 * none, and a plain comparison lets DuckDB skip row groups.
 */
export function tableAfter(table: Table, block: number): Table {
  const condition = afterSql(needColumn(table, BLOCK_COLUMN), block);
  return { ...table, relation: `(FROM ${table.relation} WHERE ${condition})` };
}

function afterSql({ sql, type }: Column, block: number): string {
  return /INT$|^DECIMAL/.test(type) ? `${sql} > ${block}` : `coalesce(TRY_CAST(${sql} AS UBIGINT) > ${block}, true)`;
}

/**
 * Counts the rows of a file of transfers that is new or has grown. It must have no others up to the block than it had.
 *
 * @returns all its rows
 * @throws {StartOver} it has
 */
export async function countAll(
  connection: DuckDBConnection,
  table: Table,
  contract: string,
  block: number,
  { known }: FileSince,
): Promise<number> {
  const { own } = planTransfers(table, contract);
  const { sql } = needColumn(table, BLOCK_COLUMN);
  // Of a number without a value, or a text that is none, nobody can tell: as if it were settled.
  const settled = `NOT coalesce(TRY_CAST(${sql} AS UBIGINT) > ${block}, false)`;
  const query = `SELECT count(*)::DOUBLE, (count(*) FILTER (${own} AND ${settled}))::DOUBLE FROM ${table.relation}`;
  let counts = [0, 0];
  for await (const chunk of tableChunks(connection, table.file, query)) counts = chunk.getRows()[0].map(Number);
  if (counts[1] !== (known?.settled ?? 0)) {
    const rows = counts[1] - (known?.settled ?? 0);
    throw new StartOver(`${table.file.name} has ${rows} new rows of blocks that were read before, up to ${block}`);
  }
  return counts[0];
}
