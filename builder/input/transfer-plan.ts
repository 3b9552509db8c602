/** How to read transfers from one file: which columns, by which SQL, and what to say of a row that SQL refused. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { ADDRESS, BINARY_VALUE, BLOCK_NUMBER, type CellRule, LOG_INDEX, TIME, VALUE } from "./cells.ts";
import { ADDRESSES, BINARY_VALUES, type Conversions, convert, TIMES, VALUES, WHOLE_NUMBER } from "./columns.ts";
import { literal } from "./database.ts";
import type { CheckedColumn } from "./explain.ts";
import { type Column, findColumn, needColumn, type Table, tableChunks, textSql } from "./table.ts";

/** Names of the columns in ethereum-etl and BigQuery, then in cryo. */
const NAMES = {
  block: ["block_number"],
  logIndex: ["log_index"],
  time: ["block_timestamp", "timestamp"],
  from: ["from_address"],
  to: ["to_address"],
  value: ["value", "value_binary", "value_string"],
  token: ["token_address", "erc20"],
};

export interface TransferPlan {
  table: Table;
  columns: {
    block: CheckedColumn;
    logIndex: CheckedColumn;
    time?: CheckedColumn;
    from: CheckedColumn;
    to: CheckedColumn;
    value: CheckedColumn<bigint>;
  };
  /** SQL condition: the row is of this asset. */
  own: string;
  /** Column of the contract address, if there is one. */
  token: Column | undefined;
}

/** `state` of a row in the answer to `transferSql`: not readable, … */
export const REFUSED = 0;
/** … of this asset, … */
export const OWN = 1;
/** … of this asset, with its value only as text, which is yet to be checked, … */
export const OWN_WIDE = 2;
/** … or of another contract. */
export const FOREIGN = 3;

/**
 * Finds the columns of transfers in a file.
 *
 * @throws Failure if one is missing, or none with the value is exact
 */
export function planTransfers(table: Table, contract: string): TransferPlan {
  const need = (names: string[], rule: CellRule<unknown>, conversions: Conversions) => ({
    column: needColumn(table, names),
    rule,
    conversions,
  });
  const time = findColumn(table, NAMES.time);
  const token = findColumn(table, NAMES.token);
  return {
    table,
    columns: {
      block: need(NAMES.block, BLOCK_NUMBER, WHOLE_NUMBER),
      logIndex: need(NAMES.logIndex, LOG_INDEX, WHOLE_NUMBER),
      ...(time && { time: { column: time, rule: TIME, conversions: TIMES } }),
      from: need(NAMES.from, ADDRESS, ADDRESSES),
      to: need(NAMES.to, ADDRESS, ADDRESSES),
      value: planValue(table),
    },
    own: token ? ownSql(token, contract) : "true",
    token,
  };
}

/** The first column with the value that is exact; the first at all, to complain of, if none is. */
function planValue(table: Table): TransferPlan["columns"]["value"] {
  const isExact = (name: string) => !/^(DOUBLE|FLOAT)$/.test(findColumn(table, [name])?.type ?? "DOUBLE");
  const exact = NAMES.value.filter(isExact);
  const column = needColumn(table, exact.length > 0 ? exact : NAMES.value);
  return column.type === "BLOB" || column.name.toLowerCase() === "value_binary"
    ? { column, rule: BINARY_VALUE, conversions: BINARY_VALUES }
    : { column, rule: VALUE, conversions: VALUES };
}

function ownSql({ sql, type }: Column, contract: string): string {
  return type === "BLOB"
    ? `coalesce(${sql} = unhex(${literal(contract.slice(2))}), false)`
    : `coalesce(lower(CAST(${sql} AS VARCHAR)) = ${literal(contract)}, false)`;
}

/** Lengths of the pieces in which the texts of addresses are selected: DuckDB stores up to 12 bytes in the vector itself. */
const PIECES = [
  [1, 12],
  [13, 12],
  [25, 12],
  [37, 64],
];

/** Columns in the answer to `transferSql`. */
export const SELECTED = {
  state: 0,
  block: 1,
  logIndex: 2,
  time: 3,
  number: 4,
  text: 5,
  from: PIECES.map((_, index) => 6 + index),
  to: PIECES.map((_, index) => 6 + PIECES.length + index),
};

/**
 * SQL for all rows of the file, in order, with the columns of `SELECTED`: `state` (UTINYINT), block (DOUBLE), logIndex
 * (UINTEGER), time (DOUBLE; NaN if the file has none), `number` (UHUGEINT; or `text` where that is not
 * enough), and the pieces of both addresses (BLOB). Which of them hold anything, the state says.
 */
export function transferSql({ table, columns, own }: TransferPlan): string {
  const { block, logIndex, time, from, to, value } = columns;
  // Cells of other contracts become NULL before anything is made of them.
  const raw = ({ column }: CheckedColumn) => (own === "true" ? column.sql : `CASE WHEN own THEN ${column.sql} END`);
  const cell = ({ column, rule, conversions }: CheckedColumn, source: string) =>
    convert(table, column, source, conversions, rule.expected);
  const pieces = (source: string) =>
    PIECES.map(([start, length]) => `encode(substr(${source}, ${start}, ${length}))`).join(", ");
  return `
    WITH marked AS (SELECT *, ${own} AS own FROM ${table.relation}),
    raw AS (
      SELECT own, ${raw(block)} AS block, ${raw(logIndex)} AS log, ${time ? raw(time) : "NULL"} AS time,
        ${raw(from)} AS source, ${raw(to)} AS target, ${raw(value)} AS value
      FROM marked),
    cells AS (
      SELECT own, ${cell(block, "block")} AS block, ${cell(logIndex, "log")} AS log,
        CAST(${time ? cell(time, "time") : "'NaN'"} AS DOUBLE) AS time,
        ${cell(from, "source")} AS source, ${cell(to, "target")} AS target,
        ${cell(value, "value")} AS number, ${textSql({ ...value.column, sql: "value" })} AS text
      FROM raw)
    SELECT
      CASE
        WHEN NOT own THEN ${FOREIGN}
        WHEN block < ${2 ** 53} AND log < ${2 ** 32} AND time IS NOT NULL AND source IS NOT NULL AND target IS NOT NULL
          AND text IS NOT NULL THEN CASE WHEN number IS NULL THEN ${OWN_WIDE} ELSE ${OWN} END
        ELSE ${REFUSED}
      END::UTINYINT,
      CAST(block AS DOUBLE), TRY_CAST(log AS UINTEGER), time,
      number, CASE WHEN number IS NULL THEN text END,
      ${pieces("source")}, ${pieces("target")}
    FROM cells`;
}

/** Number in the file, from 0, of the `index`-th row of this asset. */
export async function ownRow(
  connection: DuckDBConnection,
  { table, own }: TransferPlan,
  index: number,
): Promise<number> {
  if (own === "true") return index;
  const sql = `SELECT row FROM (SELECT row_number() OVER () - 1 AS row, ${own} AS own FROM ${table.relation}) WHERE own LIMIT 1 OFFSET ${index}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) return Number(chunk.getRows()[0][0]);
  return index;
}
