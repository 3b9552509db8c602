/** Rows of transfers, wherever they are read from. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import type { AddressTable } from "../../addresses.ts";
import type { ReadableColumn } from "../../cells/cell-columns.ts";
import { VECTOR_ROWS } from "../../duckdb/vectors.ts";
import { type ByMark, eachMark } from "../columns/marks.ts";
import type { TransferPlan } from "../columns/transfer-columns.ts";
import { pickRows } from "./number-sides.ts";

/**
 * Some rows, at most CHUNK_ROWS. Each method decodes a column of all of them, and is called once, in this order. A number
 * that its rule refuses becomes NaN; other refused cells set `refused` to 1 for their row.
 */
export interface RowBatch {
  rows: number;
  /** Copies the values, VALUE_WORDS words a row. */
  values(words: Uint32Array, refused: Uint8Array): void;
  blocks(out: Float64Array): void;
  logIndexes(out: Float64Array): void;
  /** Unix seconds. Left out if the file has no times. */
  times?(out: Float64Array): void;
  /** The marks that the file has, one word a row. */
  marks: ByMark<(out: Uint32Array) => void>;
  /** Numbers the senders and receivers in order of appearance, row by row. */
  sides(table: AddressTable, from: Uint32Array, to: Uint32Array, refused: Uint8Array): void;
  /** Instead of `sides`, and before the others: picks the rows with an address of a list, as `pickSides` does. */
  pick(list: AddressTable, table: AddressTable, picked: Uint32Array): number;
}

/** The columns to select for `chunkBatch`. */
export function chunkColumns({ columns: { block, logIndex, value, from, to, time }, marks }: TransferPlan) {
  const columns = [block, logIndex, value, from, to, ...(time ? [time] : [])] satisfies ReadableColumn<unknown>[];
  return [...columns, ...Object.values(marks)];
}

const noneRefused = new Uint8Array(VECTOR_ROWS);

/** A chunk of DuckDB's. */
export function chunkBatch(chunk: DuckDBDataChunk, { columns, marks }: TransferPlan): RowBatch {
  const { block, logIndex, value, from, to, time } = columns;
  const rows = chunk.rowCount;
  return {
    rows,
    values: (words, refused) => value.decoder.decode(chunk, 2, words, refused),
    blocks: (out) => block.decoder.decode(chunk, 0, out),
    logIndexes: (out) => logIndex.decoder.decode(chunk, 1, out),
    ...(time && { times: (out: Float64Array) => time.decoder.decode(chunk, 5, out) }),
    marks: eachMark(marks, ({ decoder }, place) => {
      const column = (time ? 6 : 5) + place;
      return (out: Uint32Array) => decoder.decode(chunk, column, out, noneRefused);
    }),
    sides(table, froms, tos, refused) {
      from.decoder.decode(chunk, 3, table.words(0), refused);
      to.decoder.decode(chunk, 4, table.words(1), refused);
      table.insert(rows, 2);
      froms.set(table.numbers(0).subarray(0, rows));
      tos.set(table.numbers(1).subarray(0, rows));
    },
    pick(list, table, picked) {
      const refused = new Uint8Array(rows);
      from.decoder.decode(chunk, 3, list.words(0), refused);
      to.decoder.decode(chunk, 4, list.words(1), refused);
      return pickRows(list, table, rows, picked);
    },
  };
}
