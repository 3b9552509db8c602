/** Transfers as columns: what pages are decoded to, and what files of transfers hold. */

import { firstIndex } from "../../../data-schema/search.ts";
import { ADDRESS_BYTES, VALUE_BYTES } from "../../lib/widths.ts";

export interface TransferColumns {
  rows: number;
  block: Float64Array;
  logIndex: Int32Array;
  /** Unix seconds. */
  time: Float64Array;
  /** 20 bytes a row. */
  from: Uint8Array;
  /** 20 bytes a row. */
  to: Uint8Array;
  /** Raw units: 32 bytes a row, big-endian. */
  value: Uint8Array;
}

/** Bytes of a row, in the order in which columns are packed. */
const ROW_BYTES = 8 + 8 + 4 + 2 * ADDRESS_BYTES + VALUE_BYTES;

/** Columns of zeros. They lie in one buffer: the packed form. */
export function emptyColumns(rows: number): TransferColumns {
  return columnsOver(new ArrayBuffer(ROW_BYTES * rows), 0, rows);
}

/** Columns as one piece of bytes. Those of `emptyColumns` are not copied. */
export function packColumns(columns: TransferColumns): Uint8Array {
  const { buffer, byteOffset } = columns.block;
  const size = ROW_BYTES * columns.rows;
  const { value } = columns;
  const isPacked = value.buffer === buffer && value.byteOffset + value.byteLength === byteOffset + size;
  const packed = isPacked ? columns : sliceColumns(columns, 0, columns.rows);
  return new Uint8Array(packed.block.buffer, packed.block.byteOffset, size);
}

/** The columns that `packColumns` has made bytes of. */
export function unpackColumns(bytes: Uint8Array): TransferColumns {
  const rows = bytes.length / ROW_BYTES;
  if (!Number.isInteger(rows)) throw new Error(`${bytes.length} bytes are not packed columns.`);
  // Numbers of 8 bytes must lie at multiples of 8.
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  return columnsOver(aligned.buffer as ArrayBuffer, aligned.byteOffset, rows);
}

/** Packed columns one after the other, as one. */
export function joinPacked(pieces: readonly Uint8Array[]): Uint8Array {
  const parts = pieces.map(unpackColumns);
  const joined = emptyColumns(parts.reduce((sum, { rows }) => sum + rows, 0));
  let at = 0;
  for (const part of parts) {
    copyRows(part, 0, part.rows, joined, at);
    at += part.rows;
  }
  return packColumns(joined);
}

/** A copy of the rows [first, end). */
export function sliceColumns(columns: TransferColumns, first: number, end: number): TransferColumns {
  const slice = emptyColumns(end - first);
  copyRows(columns, first, end, slice, 0);
  return slice;
}

/** Copies the rows [first, end) of `source` to those of `target` from `at` on. */
export function copyRows(
  source: TransferColumns,
  first: number,
  end: number,
  target: TransferColumns,
  at: number,
): void {
  const bytes = (column: "from" | "to" | "value", width: number) =>
    target[column].set(source[column].subarray(width * first, width * end), width * at);
  target.block.set(source.block.subarray(first, end), at);
  target.time.set(source.time.subarray(first, end), at);
  target.logIndex.set(source.logIndex.subarray(first, end), at);
  bytes("from", ADDRESS_BYTES);
  bytes("to", ADDRESS_BYTES);
  bytes("value", VALUE_BYTES);
}

/** The first row whose block is `block` or a later one. */
export const firstRowFrom = ({ block: blocks, rows }: TransferColumns, block: number): number =>
  firstIndex(rows, (row) => blocks[row]! >= block);

function columnsOver(buffer: ArrayBuffer, offset: number, rows: number): TransferColumns {
  let at = offset;
  const next = (width: number) => {
    at += width * rows;
    return at - width * rows;
  };
  return {
    rows,
    block: new Float64Array(buffer, next(8), rows),
    time: new Float64Array(buffer, next(8), rows),
    logIndex: new Int32Array(buffer, next(4), rows),
    from: new Uint8Array(buffer, next(ADDRESS_BYTES), ADDRESS_BYTES * rows),
    to: new Uint8Array(buffer, next(ADDRESS_BYTES), ADDRESS_BYTES * rows),
    value: new Uint8Array(buffer, next(VALUE_BYTES), VALUE_BYTES * rows),
  };
}
