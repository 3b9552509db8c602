/** Transfers as columns, from rows that a test writes down. */

import { emptyColumns, type TransferColumns } from "../../../builder/fetch/transfers/fetched-columns.ts";

export interface Row {
  block: number;
  logIndex: number;
  from: string;
  to: string;
  value: bigint;
}

export const ZERO = `0x${"0".repeat(40)}`;

/** An address that ends with the digits of a number. */
export const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;

export function columnsOf(rows: readonly Row[]): TransferColumns {
  const columns = emptyColumns(rows.length);
  for (const [row, { block, logIndex, from, to, value }] of rows.entries()) {
    columns.block[row] = block;
    columns.logIndex[row] = logIndex;
    columns.from.set(Buffer.from(from.slice(2), "hex"), 20 * row);
    columns.to.set(Buffer.from(to.slice(2), "hex"), 20 * row);
    columns.value.set(Buffer.from(value.toString(16).padStart(64, "0"), "hex"), 32 * row);
  }
  return columns;
}
