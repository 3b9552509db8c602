/** Large transfers as they are stored, and the values that they stand for. Source: docs/formats.md#large-transfers. */

import type { Inflate } from "../parquet/plain-pages.ts";
import { type RowWidths, sizedColumns } from "../parquet/plain-pages.ts";
import { addressText, exchangeOfLabel, groupOfLabel, rawAt, tokensOfRaw } from "./holders/holder-rows.ts";
import type { TransferValues } from "./large-transfers.ts";

const ADDRESS_BYTES = 20;

/** The largest transfers of the days of a month: an object's only row group, which begins behind its first four bytes. */
export interface LargeTransferColumns {
  rows: number;
  /** Unix seconds, by day ascending; within a day as `compareTransfers` says. */
  time: Float64Array;
  block: Float64Array;
  logIndex: Uint32Array;
  /** 20 bytes each. */
  from: Uint8Array;
  to: Uint8Array;
  /** Numbers of labels, as rows of holders have them. */
  fromLabel: Uint32Array | Uint8Array;
  toLabel: Uint32Array | Uint8Array;
  /** USD per token at that time; 0 before the first price. */
  price: Float64Array;
  /** 32-bit words of each value, and the values: raw, little-endian. */
  words: number;
  value: Uint32Array;
}

/** A transfer among the largest of its day. */
export interface KeptTransfer {
  /** Unix seconds. */
  time: number;
  block: number;
  logIndex: number;
  /** 20 bytes each. */
  from: Uint8Array;
  to: Uint8Array;
  fromLabel: number;
  toLabel: number;
  /** USD per token; 0 before the first price. */
  price: number;
  raw: bigint;
}

/** Bytes of a row in each column, in the order of the columns. */
const WIDTHS: RowWidths = [8, 8, 4, ADDRESS_BYTES, ADDRESS_BYTES, 4, 4, 8, "words"];

/** @param object all of its bytes @throws {Error} they are no such object */
export function decodeLargeTransfers(object: Uint8Array, inflate?: Inflate): LargeTransferColumns {
  const { rows, values, widths } = sizedColumns(object.subarray(4), WIDTHS, inflate);
  const words = widths.at(-1)! / 4;
  const bufferOf = (index: number) => values[index]!.buffer;
  const longs = (index: number) => Float64Array.from(new BigInt64Array(bufferOf(index), 0, rows), Number);
  const numbers = (index: number, aRow = 1) => new Uint32Array(bufferOf(index), 0, aRow * rows);
  return {
    rows,
    time: longs(0),
    block: longs(1),
    logIndex: numbers(2),
    from: values[3]!,
    to: values[4]!,
    fromLabel: numbers(5),
    toLabel: numbers(6),
    price: new Float64Array(bufferOf(7), 0, rows),
    words,
    value: numbers(8, words),
  };
}

const addressAt = (addresses: Uint8Array, row: number) =>
  addresses.slice(ADDRESS_BYTES * row, ADDRESS_BYTES * (row + 1));

/** The transfer of a row. */
export const transferAt = (columns: LargeTransferColumns, row: number): KeptTransfer => ({
  time: columns.time[row]!,
  block: columns.block[row]!,
  logIndex: columns.logIndex[row]!,
  from: addressAt(columns.from, row),
  to: addressAt(columns.to, row),
  fromLabel: columns.fromLabel[row]!,
  toLabel: columns.toLabel[row]!,
  price: columns.price[row]!,
  raw: rawAt(columns.value, row, columns.words),
});

type Valued = Pick<KeptTransfer, "raw" | "price">;

/** What a transfer moved: whole tokens, and USD at that time. */
function worthOf({ raw, price }: Valued, decimals: number): { tokens: number; dollars: number } {
  const tokens = tokensOfRaw(raw, decimals);
  return { tokens, dollars: tokens * price };
}

/**
 * The order of a day's transfers: by dollars, those that were worth none by what they moved, and equal ones by block and log
 * index. Source: docs/methodology.md §13.
 *
 * @returns negative if `a` comes first, positive if `b` does; 0 for the same event
 */
export function compareTransfers(a: KeptTransfer, b: KeptTransfer, decimals: number): number {
  const [dollarsOfA, dollarsOfB] = [worthOf(a, decimals).dollars, worthOf(b, decimals).dollars];
  if (dollarsOfA !== dollarsOfB) return dollarsOfA > dollarsOfB ? -1 : 1;
  if (dollarsOfA === 0 && a.raw !== b.raw) return a.raw > b.raw ? -1 : 1;
  return a.block - b.block || a.logIndex - b.logIndex;
}

/** What is told of a transfer. */
export function transferValues(transfer: KeptTransfer, decimals: number): TransferValues {
  const { time, block, logIndex, from, to, fromLabel, toLabel, raw } = transfer;
  const { tokens, dollars } = worthOf(transfer, decimals);
  return {
    t: time,
    block,
    log_index: logIndex,
    hash: null,
    from: addressText(from, 0),
    from_group: groupOfLabel(fromLabel),
    from_label: exchangeOfLabel(fromLabel),
    to: addressText(to, 0),
    to_group: groupOfLabel(toLabel),
    to_label: exchangeOfLabel(toLabel),
    tokens,
    raw: String(raw),
    dollars,
  };
}
