/** Reading only what has come since a checkpoint: the rows of later blocks. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { FileSince } from "../../incremental/compare.ts";
import { StartOver } from "../../incremental/start-over.ts";
import { type Column, countWhere, needColumn, type Table } from "../duckdb/table.ts";
import { BLOCK_NUMBER_NAMES } from "./blocks.ts";
import { BLOCK_COLUMN, planTransfers } from "./plan.ts";

/**
 * The rows of a table of transfers, or of blocks, after a block. A block that can't be read is left for the decoder to complain of; in numbers there is
 * none, and a plain comparison lets DuckDB skip row groups.
 */
export function tableAfter(table: Table, block: number, names: readonly string[] = BLOCK_COLUMN): Table {
  const condition = afterSql(needColumn(table, names), block);
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
  const settled = `${own} AND ${settledSql(needColumn(table, BLOCK_COLUMN), block)}`;
  const [all, counted] = await countWhere(connection, table, settled);
  refuseSettled(table, counted - (known?.settled ?? 0), block);
  return all;
}

/**
 * The same of a file of blocks: what it was known to have comes first.
 *
 * @returns all its rows
 * @throws {StartOver} what is new has blocks up to the one named
 */
export async function countAllBlocks(
  connection: DuckDBConnection,
  table: Table,
  block: number,
  { known }: FileSince,
): Promise<number> {
  const old = known?.rows ?? 0;
  const settled = settledSql(needColumn(table, BLOCK_NUMBER_NAMES), block);
  const added = `(FROM ${table.relation} OFFSET ${old})`;
  const [rows, counted] = await countWhere(connection, table, settled, added);
  refuseSettled(table, counted, block);
  return old + rows;
}

/** Of a number without a value, or a text that is none, nobody can tell: as if it were settled. */
const settledSql = ({ sql }: Column, block: number) => `NOT coalesce(TRY_CAST(${sql} AS UBIGINT) > ${block}, false)`;

function refuseSettled({ file }: Table, rows: number, block: number): void {
  if (rows === 0) return;
  throw new StartOver(`${file.name} has ${rows} new rows of blocks that were read before, up to ${block}`);
}
