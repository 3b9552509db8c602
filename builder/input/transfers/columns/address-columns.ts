/** Looks for columns of a file, besides sender and receiver, that hold addresses, and whether the asset's contract is among them. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { AssetFile } from "../../asset/asset.ts";
import { literal } from "../../duckdb/database.ts";
import { type Column, findColumn, type Table, tableChunks } from "../../duckdb/input-table.ts";
import { type AddressColumn, called, type FileColumns, plainName } from "./contract-column.ts";
import { CONTRACT_NAMES, isTransferColumn } from "./transfer-columns.ts";

/**
 * Names, as `plainName` makes them, of columns with parties of a transaction or a block. They never say whose transfer a row is,
 * though many hold its contract: a transaction often calls the token itself.
 */
const PARTIES: readonly RegExp[] = [
  /^(evt|event|call|trace|tx|txn|transaction|origin|outer|initial|user|msg|eoa)*(from|to|sender|signer|receiver|recipient|initiator|caller|called|origin|payer)(contract)?(address|addr|account|wallet)?$/,
  /^(block)?(miner|coinbase|author|producer|proposer|validator|sequencer|beneficiary|feerecipient|feepayer)(address|addr)?$/,
  /^(owner|spender|operator|delegate|relayer|bundler|paymaster)(address|addr)?$/,
  // What a transaction has created.
  /^(receipt|created|deployed)contract(address)?$/,
];

const isParty = (name: string) => PARTIES.some((pattern) => pattern.test(plainName(name)));

/** What a column is, is plain from so many rows. Whether it holds the asset's contract, only all rows tell. */
const SAMPLE_ROWS = 2048;

/** Looks at the columns of a file of transfers: at what they hold only where their names, or ASSET.json, don't tell enough. */
export async function lookAtColumns(
  connection: DuckDBConnection,
  table: Table,
  { contract, columns: said }: Pick<AssetFile, "contract" | "columns">,
): Promise<FileColumns> {
  const names = table.columns.flatMap(({ name, shown }) => (shown === undefined ? [name] : [name, shown]));
  const standard = findColumn(table, CONTRACT_NAMES)?.name;
  const isTold = said && (said.contract === null || called(names, said.contract) !== undefined);
  const others = table.columns.filter(({ name, type }) => isText(type) && !isTransferColumn(name) && !isParty(name));
  const isOpen = standard === undefined && !isTold && others.length > 0;
  return {
    file: table.file.name,
    names,
    standard,
    addresses: isOpen ? await findAddresses(connection, table, others, contract) : [],
  };
}

const isText = (type: string) => type === "VARCHAR" || type === "BLOB";

/** A column's cells that are not empty, and what they are. */
interface Cells {
  filled: number;
  addresses: number;
  /** Cells that are the asset's contract. */
  own: number;
  /** Numbers, times and other hexadecimal digits, such as hashes: what a column of contracts never holds. */
  plain: number;
}

async function findAddresses(
  connection: DuckDBConnection,
  table: Table,
  columns: readonly Column[],
  contract: string,
): Promise<AddressColumn[]> {
  const sample = `(FROM ${table.relation} LIMIT ${SAMPLE_ROWS})`;
  const found: AddressColumn[] = [];
  const unclear: Column[] = [];
  for (const { column, cells } of await countCells(connection, table, columns, contract, sample)) {
    const isAll = (count: number) => cells.filled > 0 && count === cells.filled;
    if (isAll(cells.addresses)) {
      const holdsContract = await holds(connection, table, column, contract);
      found.push({ name: column.name, holdsContract, isOfAddresses: true });
    } else if (!isAll(cells.plain)) unclear.push(column);
  }
  if (unclear.length === 0) return found;
  for (const { column, cells } of await countCells(connection, table, unclear, contract, table.relation)) {
    const isOfAddresses = cells.addresses > cells.filled / 2;
    const holdsContract = cells.own > 0;
    if (isOfAddresses || holdsContract) found.push({ name: column.name, holdsContract, isOfAddresses });
  }
  return found;
}

/** SQL for a cell as it is compared: bytes as hexadecimal digits, or as the text that they are. */
const cellSql = ({ sql, type }: Column) =>
  type === "BLOB"
    ? `CASE WHEN octet_length(${sql}) = 20 THEN '0x' || lower(hex(${sql})) ELSE lower(CAST(${sql} AS VARCHAR)) END`
    : `lower(trim(${sql}, ' ''"'))`;

/** SQL condition: a cell is an address; a decimal number may have 40 digits. */
const isAddressSql = (cell: string) =>
  `regexp_full_match(${cell}, '(0x|\\\\x)[0-9a-f]{40}|[0-9a-f]{40}') AND NOT regexp_full_match(${cell}, '[0-9]*')`;

const isContractSql = (cell: string, contract: string) =>
  `${cell} IN (${["0x", "\\x", ""].map((prefix) => literal(prefix + contract.slice(2))).join(", ")})`;

const isPlainSql = (cell: string) =>
  `regexp_full_match(${cell}, '(0x|\\\\x)?[0-9a-f]*|[-+.,:0-9tzuc ]*|true|false') AND NOT (${isAddressSql(cell)})`;

async function countCells(
  connection: DuckDBConnection,
  table: Table,
  columns: readonly Column[],
  contract: string,
  relation: string,
): Promise<{ column: Column; cells: Cells }[]> {
  const counts = columns.flatMap((column) => {
    const cell = cellSql(column);
    const conditions = [`${cell} <> ''`, isAddressSql(cell), isContractSql(cell, contract), isPlainSql(cell)];
    return conditions.map((condition) => `(count(*) FILTER (${condition}))::DOUBLE`);
  });
  let row: number[] = [];
  for await (const chunk of tableChunks(connection, table.file, `SELECT ${counts.join(", ")} FROM ${relation}`)) {
    row = chunk.getRows()[0]!.map(Number);
  }
  return columns.map((column, index) => {
    const [filled, addresses, own, plain] = row.slice(4 * index, 4 * index + 4) as [number, number, number, number];
    return { column, cells: { filled, addresses, own, plain } };
  });
}

/** Whether the asset's contract is in a column. Reads no further than to the first row that has it. */
async function holds(connection: DuckDBConnection, table: Table, column: Column, contract: string): Promise<boolean> {
  const sql = `SELECT 1 FROM ${table.relation} WHERE ${isContractSql(cellSql(column), contract)} LIMIT 1`;
  for await (const _ of tableChunks(connection, table.file, sql)) return true;
  return false;
}
