/** Selects the rows of a file after a block, and counts the others. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { type Column, countWhere, findColumn, needColumns, type Table } from "../../duckdb/input-table.ts";
import type { KnownFile } from "../../files/known-files.ts";
import { BLOCK_COLUMNS } from "../blocks.ts";
import { planTransfers, TRANSFER_COLUMNS } from "../columns/transfer-columns.ts";
import type { HistoryFile } from "./share.ts";

/**
 * The block numbers of a file.
 *
 * @throws {Failure} it has none; names all columns that it lacks
 */
export function blockColumn(table: Table, role: HistoryFile["role"]): Column {
  const wanted = role === "transfers" ? TRANSFER_COLUMNS : BLOCK_COLUMNS;
  return findColumn(table, wanted.block.names) ?? needColumns<"block">(table, wanted).block;
}

/**
 * Restricts a table of transfers, or of blocks, to the rows after a block, and up to one. Rows whose block number can't be
 * parsed are kept, so that the decoder reports them. A column of integers has none of these, and a plain comparison lets
 * DuckDB skip row groups.
 */
export function tableBetween(
  table: Table,
  { after, until }: { after?: number | undefined; until?: number | undefined },
  role: HistoryFile["role"] = "transfers",
): Table {
  const bounds = [...(after === undefined ? [] : [`> ${after}`]), ...(until === undefined ? [] : [`<= ${until}`])];
  if (bounds.length === 0) return table;
  const column = blockColumn(table, role);
  const { sql, type } = column;
  const isNumber = /INT$|^DECIMAL/.test(type);
  const condition = bounds
    .map((bound) => (isNumber ? `${sql} ${bound}` : `coalesce(TRY_CAST(${sql} AS UBIGINT) ${bound}, true)`))
    .join(" AND ");
  return {
    ...table,
    relation: `(FROM ${table.relation} WHERE ${condition})`,
    part: {
      whole: table.relation,
      condition,
      blocks: { column, from: (after ?? -1) + 1, to: (until ?? Number.POSITIVE_INFINITY) + 1 },
    },
  };
}

/** Rows of a file that is new or has grown. */
export interface NewRows {
  /** All rows of the file, including the known ones. */
  rows: number;
  /** New rows up to the checkpoint's last block. A build that resumes would miss them. */
  settled: number;
}

/** Counts the rows of a file of transfers; `settled` counts only the asset's. */
export async function countNewTransfers(
  connection: DuckDBConnection,
  table: Table,
  contract: string,
  block: number,
  known: KnownFile | undefined,
): Promise<NewRows> {
  const { isOfAsset, columns } = planTransfers(table, contract);
  const condition = `${isOfAsset} AND ${settledSql(columns.block.column, block)}`;
  const [rows, settled] = await countWhere(connection, table, condition);
  return { rows, settled: settled - (known?.settled ?? 0) };
}

/** Counts the rows of a file of blocks. A file that has grown begins with its known rows. */
export async function countNewBlocks(
  connection: DuckDBConnection,
  table: Table,
  block: number,
  known: KnownFile | undefined,
): Promise<NewRows> {
  const before = known?.rows ?? 0;
  const condition = settledSql(blockColumn(table, "blocks"), block);
  const [added, settled] = await countWhere(connection, table, condition, `(FROM ${table.relation} OFFSET ${before})`);
  return { rows: before + added, settled };
}

/** Unparsable block numbers count as settled, so that a full build reads the file and reports them. */
const settledSql = ({ sql }: Column, block: number) => `NOT coalesce(TRY_CAST(${sql} AS UBIGINT) > ${block}, false)`;
