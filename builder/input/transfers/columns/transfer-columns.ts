/** Plans how to read the transfers of a file: which columns hold what, and the SQL that selects them. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { describeRefusal, isExact, type ReadableColumn, readableColumn } from "../../cells/cell-columns.ts";
import { BLOCK_NUMBERS, LOG_INDEXES, type NumberDecoder, TIMES } from "../../cells/numbers.ts";
import { ADDRESS, BINARY_VALUE, BLOCK_NUMBER, HEX_VALUE, LOG_INDEX, TIME, VALUE } from "../../cells/rules.ts";
import { ADDRESSES, BINARY_VALUES, HEX_VALUES, VALUES, type WordDecoder } from "../../cells/words.ts";
import { literal } from "../../duckdb/database.ts";
import {
  type Column,
  findColumn,
  needColumns,
  type Table,
  tableChunks,
  textSql,
  type Wanted,
} from "../../duckdb/input-table.ts";
import { type ByMark, type MarkColumn, marksOf } from "./marks.ts";
import { type Sign, signsOf } from "./signs.ts";

/** The columns that a file must have. The first names are those of ethereum-etl and BigQuery, then those of cryo. */
export const TRANSFER_COLUMNS = {
  block: { names: ["block_number"], what: "a block number" },
  logIndex: { names: ["log_index"], what: "a log index" },
  from: { names: ["from_address"], what: "a sender" },
  to: { names: ["to_address"], what: "a receiver" },
  value: { names: ["value", "value_binary", "value_string", "value_hex"], what: "an amount" },
} satisfies Record<string, Wanted>;

const TIME_COLUMN = {
  names: ["block_timestamp", "timestamp"],
  what: "a time",
  instead: 'files of blocks under the key "blocks"',
} satisfies Wanted;

/** Names that say that a column has the contract of a row. */
export const CONTRACT_NAMES = ["token_address", "erc20"];

const READ_NAMES = new Set([...Object.values(TRANSFER_COLUMNS), TIME_COLUMN].flatMap(({ names }) => names));

/** Whether a name is that of a column that is read, other than that of contracts. */
export const isTransferColumn = (name: string) => READ_NAMES.has(name.toLowerCase());

export interface ColumnsOfTransfers {
  block: ReadableColumn<NumberDecoder>;
  logIndex: ReadableColumn<NumberDecoder>;
  time?: ReadableColumn<NumberDecoder>;
  from: ReadableColumn<WordDecoder>;
  to: ReadableColumn<WordDecoder>;
  value: ReadableColumn<WordDecoder>;
}

export interface TransferPlan {
  table: Table;
  columns: ColumnsOfTransfers;
  /** The contract of a row. Without this column, all rows belong to the asset. */
  token?: ReadableColumn<WordDecoder>;
  /** SQL condition: the row belongs to the asset. */
  isOfAsset: string;
  /** What further columns say of single rows, and of rows that are compared with each other. */
  signs: readonly Sign[];
  marks: ByMark<MarkColumn>;
}

/**
 * Makes sure that a file has the columns that it must have.
 *
 * @param hasBlocks whether files of blocks give transfers without a time theirs
 * @throws {Failure} names all columns that it lacks
 */
export function checkColumns(table: Table, hasBlocks: boolean): void {
  needColumns<string>(table, hasBlocks ? TRANSFER_COLUMNS : { ...TRANSFER_COLUMNS, time: TIME_COLUMN });
}

/**
 * Finds the columns of transfers in a file.
 *
 * @throws {Failure} some are missing, or the type of one can't hold the cells
 */
export function planTransfers(table: Table, contract: string): TransferPlan {
  const { block, logIndex, from, to, value } = needColumns(table, TRANSFER_COLUMNS);
  const time = findColumn(table, TIME_COLUMN.names);
  const token = table.contractColumn === undefined ? findColumn(table, CONTRACT_NAMES) : table.contractColumn;
  const signs = signsOf(table);
  return {
    table,
    signs,
    marks: marksOf(table, signs),
    columns: {
      block: readableColumn(table, block, BLOCK_NUMBER, BLOCK_NUMBERS),
      logIndex: readableColumn(table, logIndex, LOG_INDEX, LOG_INDEXES),
      ...(time && { time: readableColumn(table, time, TIME, TIMES) }),
      from: readableColumn(table, from, ADDRESS, ADDRESSES),
      to: readableColumn(table, to, ADDRESS, ADDRESSES),
      value: planValue(table, value),
    },
    ...(token && { token: readableColumn(table, token, ADDRESS, ADDRESSES) }),
    isOfAsset: token ? isOfAssetSql(token, table.formerContract ?? contract) : "true",
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
  if (untimed && blocks === 0) checkColumns(untimed.table, false);
  return untimed !== undefined;
}

/** @param first of the columns of values: taken if none is exact, so that the failure names it */
function planValue(table: Table, first: Column): ReadableColumn<WordDecoder> {
  const columns = TRANSFER_COLUMNS.value.names.map((name) => findColumn(table, [name]));
  const column = columns.find((column) => column && isExact(column)) ?? first;
  if (column.name.toLowerCase() === "value_hex") return readableColumn(table, column, HEX_VALUE, HEX_VALUES);
  return column.type === "BLOB" || column.name.toLowerCase() === "value_binary"
    ? readableColumn(table, column, BINARY_VALUE, BINARY_VALUES)
    : readableColumn(table, column, VALUE, VALUES);
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
  columns: readonly Pick<ReadableColumn<NumberDecoder | WordDecoder>, "column" | "decoder">[],
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
 * @returns undefined for a text without a column of contracts, which would have to be read just for this
 * @throws {Failure} a contract is not an address, so the row may or may not belong to the asset
 */
export async function countRows(connection: DuckDBConnection, plan: TransferPlan): Promise<RowCounts | undefined> {
  const { table, token, isOfAsset } = plan;
  if (!token && table.isText) return undefined;
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
    throw await describeRefusal(connection, table, [token], (await rowWhere(connection, table, isInvalid))?.row ?? 0);
  }
  return { all, ofAsset };
}

/** Number in the file of the asset's row `index` of the table; both count from 0. */
export async function assetRow(
  connection: DuckDBConnection,
  { table, token, isOfAsset }: TransferPlan,
  index: number,
): Promise<number> {
  return token || table.part ? ((await rowWhere(connection, table, isOfAsset, { index }))?.row ?? index) : index;
}

/**
 * Row `index` of those of a table that meet an SQL condition.
 *
 * @returns its number in the file, from 0, and its cells in some columns as texts
 */
export async function rowWhere(
  connection: DuckDBConnection,
  table: Table,
  condition: string,
  { index = 0, columns = [] }: { index?: number; columns?: readonly Column[] } = {},
): Promise<{ row: number; cells: string[] } | undefined> {
  const { whole, condition: isInPart, row = "soprano_at" } = table.part ?? { whole: table.relation, condition: "true" };
  const cells = columns.map((column) => `coalesce(${textSql(column)}, '')`);
  const sql = `SELECT ${[row, ...cells]} FROM (SELECT *, row_number() OVER () - 1 AS soprano_at FROM ${whole})
    WHERE (${isInPart}) AND (${condition}) ORDER BY soprano_at LIMIT 1 OFFSET ${index}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    const [found] = chunk.getRows();
    if (found) return { row: Number(found[0]), cells: found.slice(1).map(String) };
  }
  return undefined;
}
