/** Plans how to read the transfers of a file: which columns hold what, and the SQL that selects them. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../lib/failure.ts";
import { describeRefusal, type ReadableColumn, readable } from "../cells/columns.ts";
import { BLOCK_NUMBERS, LOG_INDEXES, type NumberDecoder, TIMES } from "../cells/numbers.ts";
import { ADDRESS, BINARY_VALUE, BLOCK_NUMBER, LOG_INDEX, TIME, VALUE } from "../cells/rules.ts";
import { ADDRESSES, BINARY_VALUES, VALUES, type WordDecoder } from "../cells/words.ts";
import { literal } from "../duckdb/database.ts";
import { type Column, findColumn, needColumn, type Table, tableChunks } from "../duckdb/input-table.ts";

export const BLOCK_COLUMN = ["block_number"];

/** Names of the columns: first those of ethereum-etl and BigQuery, then those of cryo. */
const NAMES = {
  block: BLOCK_COLUMN,
  logIndex: ["log_index"],
  time: ["block_timestamp", "timestamp"],
  from: ["from_address"],
  to: ["to_address"],
  value: ["value", "value_binary", "value_string"],
  token: ["token_address", "erc20"],
};

export interface TransferColumns {
  block: ReadableColumn<NumberDecoder>;
  logIndex: ReadableColumn<NumberDecoder>;
  time?: ReadableColumn<NumberDecoder>;
  from: ReadableColumn<WordDecoder>;
  to: ReadableColumn<WordDecoder>;
  value: ReadableColumn<WordDecoder>;
}

export interface TransferPlan {
  table: Table;
  columns: TransferColumns;
  /** The contract of a row. Without this column, all rows belong to the asset. */
  token?: ReadableColumn<WordDecoder>;
  /** SQL condition: the row belongs to the asset. */
  isOfAsset: string;
}

/**
 * Finds the columns of transfers in a file.
 *
 * @throws {Failure} one is missing, or its type can't hold the cells
 */
export function planTransfers(table: Table, contract: string): TransferPlan {
  const time = findColumn(table, NAMES.time);
  const token = findColumn(table, NAMES.token);
  return {
    table,
    columns: {
      block: readable(table, needColumn(table, NAMES.block), BLOCK_NUMBER, BLOCK_NUMBERS),
      logIndex: readable(table, needColumn(table, NAMES.logIndex), LOG_INDEX, LOG_INDEXES),
      ...(time && { time: readable(table, time, TIME, TIMES) }),
      from: readable(table, needColumn(table, NAMES.from), ADDRESS, ADDRESSES),
      to: readable(table, needColumn(table, NAMES.to), ADDRESS, ADDRESSES),
      value: planValue(table),
    },
    ...(token && { token: readable(table, token, ADDRESS, ADDRESSES) }),
    isOfAsset: token ? isOfAssetSql(token, contract) : "true",
  };
}

/**
 * Whether some transfers need the times of their blocks.
 *
 * @param blocks number of files of blocks
 * @throws {Failure} there are none of those
 */
export function needBlocks(plans: readonly TransferPlan[], blocks: number): boolean {
  const untimed = plans.find(({ columns }) => !columns.time);
  if (untimed && blocks === 0) {
    throw new Failure(
      `${untimed.table.file.name} has no column block_timestamp; add it, or name files of blocks under the key "blocks".`,
    );
  }
  return untimed !== undefined;
}

/** The first column of values that is exact; if none is, the first one, so that the failure names it. */
function planValue(table: Table): ReadableColumn<WordDecoder> {
  const exact = NAMES.value.filter((name) => !/^(DOUBLE|FLOAT)$/.test(findColumn(table, [name])?.type ?? "DOUBLE"));
  const column = needColumn(table, exact.length > 0 ? exact : NAMES.value);
  return column.type === "BLOB" || column.name.toLowerCase() === "value_binary"
    ? readable(table, column, BINARY_VALUE, BINARY_VALUES)
    : readable(table, column, VALUE, VALUES);
}

function isOfAssetSql({ sql, type }: Column, contract: string): string {
  return type === "BLOB"
    ? `coalesce(${sql} = unhex(${literal(contract.slice(2))}), false)`
    : `coalesce(lower(CAST(${sql} AS VARCHAR)) = ${literal(contract)}, false)`;
}

/** SQL condition: the cell is an address. */
function isAddressSql({ sql, type }: Column): string {
  return type === "BLOB"
    ? `coalesce(octet_length(${sql}) = 20, false)`
    : `coalesce(regexp_full_match(lower(CAST(${sql} AS VARCHAR)), '0x[0-9a-f]{40}'), false)`;
}

/**
 * SQL for columns of the asset's rows, in file order and without NULLs, as their decoders expect.
 *
 * @param hasOthers some rows belong to other contracts; without them no row has to be compared
 */
export function transferSql(
  { table, isOfAsset }: TransferPlan,
  columns: readonly ReadableColumn<NumberDecoder | WordDecoder>[],
  hasOthers: boolean,
): string {
  const list = columns.map(({ column, decoder }) => decoder.sql(column.sql, column.type)).join(", ");
  return `SELECT ${list} FROM ${table.relation} WHERE ${hasOthers ? isOfAsset : "true"}`;
}

/** Rows of a file: all of them, and those of the asset. */
export interface RowCounts {
  all: number;
  ofAsset: number;
}

/**
 * Counts the rows of a file.
 *
 * @returns undefined for a CSV without a column of contracts, which would have to be read just for this
 * @throws {Failure} a contract is not an address, so the row may or may not belong to the asset
 */
export async function countRows(connection: DuckDBConnection, plan: TransferPlan): Promise<RowCounts | undefined> {
  const { table, token, isOfAsset } = plan;
  if (!token && table.csv) return undefined;
  const isInvalid = token ? `NOT (${isOfAsset} OR ${isAddressSql(token.column)})` : "false";
  // A file has many rows but few contracts: each contract is checked once.
  const groups = token
    ? `(SELECT ${token.column.sql}, count(*) AS rows FROM ${table.relation} GROUP BY ${token.column.sql})`
    : `(SELECT count(*) AS rows FROM ${table.relation})`;
  const sum = (condition: string) => `coalesce(sum(rows) FILTER (${condition}), 0)::DOUBLE`;
  const sql = `SELECT ${sum("true")}, ${sum(isOfAsset)}, ${sum(isInvalid)} FROM ${groups}`;
  let [all, ofAsset, invalid] = [0, 0, 0];
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    [all, ofAsset, invalid] = chunk.getRows()[0]!.map(Number) as [number, number, number];
  }
  if (token && invalid > 0) {
    throw await describeRefusal(connection, table, [token], (await rowWhere(connection, table, isInvalid, 0)) ?? 0);
  }
  return { all, ofAsset };
}

/** Number in the file of the asset's row `index` of the table; both count from 0. */
export async function assetRow(
  connection: DuckDBConnection,
  { table, token, isOfAsset }: TransferPlan,
  index: number,
): Promise<number> {
  return token || table.part ? ((await rowWhere(connection, table, isOfAsset, index)) ?? index) : index;
}

/** Number in the file of row `index` of those of a table that meet an SQL condition; both count from 0. */
async function rowWhere(
  connection: DuckDBConnection,
  table: Table,
  condition: string,
  index: number,
): Promise<number | undefined> {
  const { whole, condition: isInPart, row = "soprano_at" } = table.part ?? { whole: table.relation, condition: "true" };
  const sql = `SELECT ${row} FROM (SELECT *, row_number() OVER () - 1 AS soprano_at FROM ${whole})
    WHERE (${isInPart}) AND ${condition} ORDER BY soprano_at LIMIT 1 OFFSET ${index}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    if (chunk.rowCount > 0) return Number(chunk.getRows()[0]![0]);
  }
  return undefined;
}
