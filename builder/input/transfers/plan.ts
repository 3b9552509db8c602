/** How to read transfers from one file: which columns hold what, and the SQL that selects them. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { type ReadableColumn, readable } from "../cells/columns.ts";
import { explainRow } from "../cells/explain.ts";
import { BLOCK_NUMBERS, LOG_INDEXES, type NumberDecoder, TIMES } from "../cells/numbers.ts";
import { ADDRESS, BINARY_VALUE, BLOCK_NUMBER, LOG_INDEX, TIME, VALUE } from "../cells/rules.ts";
import { ADDRESSES, BINARY_VALUES, VALUES, type WordDecoder } from "../cells/words.ts";
import { literal } from "../duckdb/database.ts";
import { type Column, findColumn, needColumn, type Table, tableChunks } from "../duckdb/table.ts";

/** What the column of block numbers is called. */
export const BLOCK_COLUMN = ["block_number"];

/** Names of the columns in ethereum-etl and BigQuery, then in cryo. */
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
  /** The contract of a row. Without it every row is of the asset. */
  token?: ReadableColumn<WordDecoder>;
  /** SQL condition: the row is of this asset. */
  own: string;
}

/**
 * Finds the columns of transfers in a file.
 *
 * @throws Failure if one is missing or of a type that can't hold it
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
    own: token ? ownSql(token, contract) : "true",
  };
}

/** The first column with the value that is exact; if none is, the first at all, so as to complain of it. */
function planValue(table: Table): ReadableColumn<WordDecoder> {
  const exact = NAMES.value.filter((name) => !/^(DOUBLE|FLOAT)$/.test(findColumn(table, [name])?.type ?? "DOUBLE"));
  const column = needColumn(table, exact.length > 0 ? exact : NAMES.value);
  return column.type === "BLOB" || column.name.toLowerCase() === "value_binary"
    ? readable(table, column, BINARY_VALUE, BINARY_VALUES)
    : readable(table, column, VALUE, VALUES);
}

function ownSql({ sql, type }: Column, contract: string): string {
  return type === "BLOB"
    ? `coalesce(${sql} = unhex(${literal(contract.slice(2))}), false)`
    : `coalesce(lower(CAST(${sql} AS VARCHAR)) = ${literal(contract)}, false)`;
}

/** SQL condition: the cell is an address. */
function addressSql({ sql, type }: Column): string {
  return type === "BLOB"
    ? `coalesce(octet_length(${sql}) = 20, false)`
    : `coalesce(regexp_full_match(lower(CAST(${sql} AS VARCHAR)), '0x[0-9a-f]{40}'), false)`;
}

/**
 * SQL for some columns of the asset's rows of the file, in order: what their decoders take, none of it NULL.
 *
 * @param all every row is the asset's: nothing has to be compared
 */
export function transferSql(
  { table, own }: TransferPlan,
  columns: readonly ReadableColumn<NumberDecoder | WordDecoder>[],
  all: boolean,
): string {
  const list = columns.map(({ column, decoder }) => decoder.sql(column.sql, column.type)).join(", ");
  return `SELECT ${list} FROM ${table.relation} WHERE ${all ? "true" : own}`;
}

/** How many rows a file has, and how many of them are of the asset. */
export interface RowCounts {
  all: number;
  own: number;
}

/**
 * Counts the rows of a file that says whose they are, or that knows how many it has; undefined for a CSV of one asset, which
 * would have to be read for it.
 *
 * @throws Failure for a contract that is no address: whose the row is can't be told
 */
export async function countRows(connection: DuckDBConnection, plan: TransferPlan): Promise<RowCounts | undefined> {
  const { table, token, own } = plan;
  if (!token && table.csv) return undefined;
  const astray = token ? `NOT (${own} OR ${addressSql(token.column)})` : "false";
  // A file has many rows but few contracts, which are looked at once each.
  const groups = token
    ? `(SELECT ${token.column.sql}, count(*) AS rows FROM ${table.relation} GROUP BY ${token.column.sql})`
    : `(SELECT count(*) AS rows FROM ${table.relation})`;
  const sum = (condition: string) => `coalesce(sum(rows) FILTER (${condition}), 0)::DOUBLE`;
  const sql = `SELECT ${sum("true")}, ${sum(own)}, ${sum(astray)} FROM ${groups}`;
  let [all, ours, strangers] = [0, 0, 0];
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    [all, ours, strangers] = chunk.getRows()[0]!.map(Number) as [number, number, number];
  }
  if (token && strangers > 0) {
    throw await explainRow(connection, table, [token], (await rowWhere(connection, table, astray, 0)) ?? 0);
  }
  return { all, own: ours };
}

/** Number in the file, from 0, of the `index`-th row of this asset. */
export async function ownRow(
  connection: DuckDBConnection,
  { table, token, own }: TransferPlan,
  index: number,
): Promise<number> {
  return token ? ((await rowWhere(connection, table, own, index)) ?? index) : index;
}

/** Number in the file, from 0, of the `index`-th row that meets an SQL condition. */
async function rowWhere(
  connection: DuckDBConnection,
  table: Table,
  condition: string,
  index: number,
): Promise<number | undefined> {
  const sql = `SELECT row FROM (SELECT row_number() OVER () - 1 AS row, ${condition} AS found FROM ${table.relation})
    WHERE found ORDER BY row LIMIT 1 OFFSET ${index}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    if (chunk.rowCount > 0) return Number(chunk.getRows()[0]![0]);
  }
  return undefined;
}
