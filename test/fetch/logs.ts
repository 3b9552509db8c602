/** Logs and rows for tests: texts as nodes send them, and what they are read as. */

import type { RawLog } from "../../builder/fetch/chain/logs/pages.ts";
import type { TransferColumns } from "../../builder/fetch/transfers/fetched-columns.ts";
import { emptyColumns } from "../../builder/fetch/transfers/fetched-columns.ts";

export const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
export const CONTRACT = `0x${"70".repeat(20)}`;
export const ZERO = `0x${"00".repeat(20)}`;
export const ALICE = `0x${"a1".repeat(20)}`;
export const BOB = `0x${"b0".repeat(20)}`;

/** A transfer as a person writes it. */
export interface Row {
  block: number;
  logIndex: number;
  time: number;
  from: string;
  to: string;
  value: bigint;
}

export const hex = (value: number | bigint) => `0x${value.toString(16)}`;
export const word = (value: bigint | string) =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0");
export const hashOf = (block: number) => `0x${word(0xb10c0000n + BigInt(block))}`;

/** A standard Transfer's log; `fields` change what a node sends. */
export function transferLog(row: Row, fields: Partial<RawLog> = {}): RawLog {
  return {
    address: CONTRACT,
    topics: [TRANSFER, `0x${word(row.from)}`, `0x${word(row.to)}`],
    data: `0x${word(row.value)}`,
    blockNumber: hex(row.block),
    blockHash: hashOf(row.block),
    logIndex: hex(row.logIndex),
    blockTimestamp: hex(row.time),
    ...fields,
  };
}

/** What columns hold, row by row. */
export function rowsOf({ rows, block, logIndex, time, from, to, value }: TransferColumns): Row[] {
  const bytes = (column: Uint8Array, width: number, row: number) =>
    `0x${Buffer.from(column.subarray(width * row, width * row + width)).toString("hex")}`;
  return Array.from({ length: rows }, (_, row) => ({
    block: block[row]!,
    logIndex: logIndex[row]!,
    time: time[row]!,
    from: bytes(from, 20, row),
    to: bytes(to, 20, row),
    value: BigInt(bytes(value, 32, row)),
  }));
}

/** Columns of rows. */
export function columnsOf(rows: readonly Row[]): TransferColumns {
  const columns = emptyColumns(rows.length);
  for (const [index, row] of rows.entries()) {
    columns.block[index] = row.block;
    columns.logIndex[index] = row.logIndex;
    columns.time[index] = row.time;
    columns.from.set(Buffer.from(row.from.slice(2), "hex"), 20 * index);
    columns.to.set(Buffer.from(row.to.slice(2), "hex"), 20 * index);
    columns.value.set(Buffer.from(word(row.value), "hex"), 32 * index);
  }
  return columns;
}
