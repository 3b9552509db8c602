/** What a file is: its shape, what each column becomes, and what is in it. `soprano inspect` and `init --from` say it. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { ZERO_ADDRESS } from "../../../data-schema/asset.ts";
import { Failure } from "../../lib/failure.ts";
import { parseTime } from "../cells/time.ts";
import {
  findColumn,
  needColumns,
  openInputTable,
  type Table,
  tableChunks,
  textRows,
  textSql,
} from "../duckdb/input-table.ts";
import type { InputFile } from "../files/files.ts";
import { exchangeRows, labelShape } from "../labels/exchange-rows.ts";
import { readPrices } from "../prices/price-files.ts";
import { priceShape } from "../prices/price-table.ts";
import { findAny, type MadeColumn, madeColumns, type Shape, shapeOf } from "../shapes/shape.ts";
import { PLAIN_TRANSFERS } from "../shapes/transfer-shapes.ts";
import { BLOCK_COLUMNS } from "../transfers/blocks.ts";
import { lookAtColumns } from "../transfers/columns/address-columns.ts";
import { planTransfers, TRANSFER_COLUMNS } from "../transfers/columns/transfer-columns.ts";
import { throughTransferShape, transferShape } from "../transfers/columns/transfer-shape.ts";

/** What a file may be to an asset, by the key of ASSET.json. */
type InspectedRole = "transfers" | "blocks" | "prices" | "exchanges" | "addresses";

/** The rows of a contract in a file of transfers. */
export interface ContractRows {
  contract: string;
  rows: number;
  /** What the rows call it, and its decimals, if all say the same. */
  symbol?: string;
  decimals?: number;
}

export interface Inspection {
  file: InputFile;
  /** Undefined if the file is of no shape that is known. */
  role?: InspectedRole;
  /** Whose form it is, in words. */
  what: string;
  /** The columns of the file. */
  has: readonly string[];
  /** What becomes of them; empty if they are read as they are. */
  columns: readonly MadeColumn[];
  /** Undefined if the rows can't be read. */
  rows?: number;
  /** The first and the last block. */
  blocks?: readonly [first: number, last: number];
  /** Unix seconds. */
  times?: readonly [first: number, last: number];
  /** The contracts with most rows; empty if no column says whose transfers these are. */
  contracts: readonly ContractRows[];
  /** How many contracts there are. */
  contractCount: number;
  /** Chains that rows name: ids or names. */
  chains: readonly string[];
  /** Whether the transfers have no times. */
  isUntimed?: true;
  /** What is missing or wrong, as sentences. */
  problems: readonly string[];
}

/** Contracts that are named, at most. */
const MOST_CONTRACTS = 10;

/** @throws {Failure} the file can't be opened */
export async function inspectFile(connection: DuckDBConnection, file: InputFile): Promise<Inspection> {
  const table = await openInputTable(connection, file);
  const empty = {
    file,
    has: table.columns.map(({ name }) => name),
    columns: [],
    contracts: [],
    contractCount: 0,
    chains: [],
    problems: [],
  };
  const plain = (wanted: readonly (readonly string[])[]) => wanted.every((names) => findColumn(table, names));
  const transfers = transferShape(table);
  if (transfers?.refused !== undefined) {
    return {
      ...empty,
      what: transfers.what,
      problems: [`It can't be read: it is ${transfers.what}, ${transfers.refused}.`],
    };
  }
  if (transfers || plain(Object.values(TRANSFER_COLUMNS).map(({ names }) => names))) {
    const shape = transfers ?? shapeOf(table, PLAIN_TRANSFERS)!;
    return look({ ...empty, role: "transfers", ...shapeFacts(table, shape) }, () =>
      lookAtTransfers(connection, table, transfers),
    );
  }
  const prices = priceShape(table);
  if (prices || plain([["price_usd"], ["timestamp", "close_time"]])) {
    return look({ ...empty, role: "prices", ...shapeFacts(table, prices) }, () => lookAtPrices(connection, table));
  }
  const labels = labelShape(table);
  if (labels || plain([["address"], ["exchange"]])) {
    return look({ ...empty, role: "exchanges", ...shapeFacts(table, labels) }, () => lookAtLabels(connection, table));
  }
  if (plain([BLOCK_COLUMNS.block.names, BLOCK_COLUMNS.time.names])) {
    return look({ ...empty, role: "blocks", what: "times of blocks" }, () => lookAtBlocks(connection, table));
  }
  if (plain([["address"]]))
    return look({ ...empty, role: "addresses", what: "a list of addresses" }, () => lookAtList(connection, table));
  return { ...empty, what: "of no form that is known", problems: [lacks(table)] };
}

const shapeFacts = (table: Table, shape: Shape | undefined) =>
  shape ? { what: shape.what, columns: madeColumns(table, shape) } : { what: "the plain form" };

/** Adds what a look at the rows finds, or why they can't be read. */
async function look(inspection: Inspection, at: () => Promise<Partial<Inspection>>): Promise<Inspection> {
  try {
    return { ...inspection, ...(await at()) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...inspection, problems: [error.message] };
  }
}

/** What the file lacks to be transfers. */
function lacks(table: Table): string {
  try {
    needColumns(table, TRANSFER_COLUMNS);
    return "";
  } catch (error) {
    if (error instanceof Failure) return `As transfers, ${error.message}`;
    throw error;
  }
}

const SYMBOLS = "symbol|token_symbol|token.symbol|contract_ticker_symbol|sender_contract_ticker_symbol";
const DECIMALS =
  "decimals|token_decimal|token_decimals|token.decimals|total.decimals|contract_decimals|sender_contract_decimals";
const CHAINS = ["chain_id", "blockchain|chain"];

async function lookAtTransfers(
  connection: DuckDBConnection,
  original: Table,
  shape: Shape | undefined,
): Promise<Partial<Inspection>> {
  const table = throughTransferShape(original, shape && { name: shape.name, decimals: 0 });
  const { columns, token } = planTransfers(table, "0x");
  const looks = await lookAtColumns(connection, table, { contract: "0x" });
  const [found, ...others] = looks.addresses;
  const contractColumn =
    token?.column ?? (found && others.length === 0 ? table.columns.find(({ name }) => name === found.name) : undefined);
  const block = `TRY_CAST(${columns.block.column.sql} AS UBIGINT)`;
  const time = columns.time ? textSql(columns.time.column) : "''";
  const [rows, first, last, from, to] = await oneRow(
    connection,
    table,
    `SELECT count(*)::DOUBLE, min(${block})::DOUBLE, max(${block})::DOUBLE, arg_min(${time}, ${block}), arg_max(${time}, ${block}) FROM ${table.relation}`,
  );
  const times = [from, to].map((text) => parseTime(String(text)));
  const said = (names: string) => {
    const column = findAny(table, names);
    return column ? textSql(column) : "NULL";
  };
  const contract = contractColumn ? `lower(${textSql(contractColumn)})` : "''";
  const groups = await allRows(
    connection,
    table,
    `SELECT ${contract} AS contract, count(*)::DOUBLE AS rows, min(${said(SYMBOLS)}), max(${said(SYMBOLS)}), min(${said(DECIMALS)}), max(${said(DECIMALS)})
      FROM ${table.relation} GROUP BY contract ORDER BY rows DESC, contract`,
  );
  // The zero address stands for the contract of logs that are no transfers.
  const isShown = ([contract]: readonly unknown[]) => contract !== "" && contract !== null && contract !== ZERO_ADDRESS;
  const contracts = groups
    .filter(isShown)
    .map(([contract, rows, symbol, otherSymbol, decimals, otherDecimals]): ContractRows => {
      const isNumber = decimals === otherDecimals && /^\d{1,2}$/.test(String(decimals));
      return {
        contract: String(contract),
        rows: Number(rows),
        ...(symbol !== null && symbol !== "" && symbol === otherSymbol && { symbol: String(symbol) }),
        ...(isNumber && { decimals: Number(decimals) }),
      };
    });
  const chains: string[] = [];
  for (const names of CHAINS) {
    const column = findAny(table, names);
    if (!column) continue;
    const cells = await allRows(connection, table, `SELECT DISTINCT ${textSql(column)} FROM ${table.relation} LIMIT 3`);
    chains.push(...cells.map(([text]) => String(text ?? "")).filter((text) => text !== ""));
  }
  const unclear =
    token || looks.addresses.length < 2
      ? []
      : [
          `It is unclear which column says whose transfers these are: ${looks.addresses.map(({ name }) => name).join(", ")}; name it as "columns": {"contract": …}.`,
        ];
  return {
    rows: Number(rows),
    ...(first !== null && { blocks: [Number(first), Number(last)] as const }),
    ...(times[0] !== undefined && times[1] !== undefined && { times: [times[0], times[1]] as const }),
    contracts: contracts.slice(0, MOST_CONTRACTS),
    contractCount: contracts.length,
    chains,
    ...(!columns.time && { isUntimed: true as const }),
    problems: unclear,
  };
}

async function lookAtPrices(connection: DuckDBConnection, table: Table): Promise<Partial<Inspection>> {
  const { prices, notices } = await readPrices(connection, [table], () => {});
  const { timestamp } = prices;
  return { rows: table.rows, times: [timestamp[0]!, timestamp.at(-1)!], problems: notices };
}

async function lookAtLabels(connection: DuckDBConnection, table: Table): Promise<Partial<Inspection>> {
  let named = 0;
  for await (const rows of exchangeRows(connection, [table], () => {})) named += rows.length;
  const problems = named < table.rows ? [`${table.rows - named} of its rows mean no exchange, and are left out.`] : [];
  return { rows: table.rows, problems };
}

async function lookAtBlocks(connection: DuckDBConnection, table: Table): Promise<Partial<Inspection>> {
  const { block } = needColumns(table, BLOCK_COLUMNS);
  const number = `TRY_CAST(${block.sql} AS UBIGINT)`;
  const [rows, first, last] = await oneRow(
    connection,
    table,
    `SELECT count(*)::DOUBLE, min(${number})::DOUBLE, max(${number})::DOUBLE FROM ${table.relation}`,
  );
  return { rows: Number(rows), ...(first !== null && { blocks: [Number(first), Number(last)] as const }) };
}

async function lookAtList(connection: DuckDBConnection, table: Table): Promise<Partial<Inspection>> {
  let rows = 0;
  for await (const chunk of textRows(connection, [table], ["address"], () => {})) rows += chunk.length;
  return { rows };
}

async function allRows(connection: DuckDBConnection, { file }: Table, sql: string): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const chunk of tableChunks(connection, file, sql)) rows.push(...chunk.getRows());
  return rows;
}

const oneRow = async (connection: DuckDBConnection, table: Table, sql: string): Promise<unknown[]> =>
  (await allRows(connection, table, sql))[0] ?? [];
