/**
 * Reads the transfers of Parquet files without DuckDB. Most writers store each address of a row group once: only that one
 * is decoded and looked up, which takes a fraction of the time. What is not in one of the usual forms throws: DuckDB reads it.
 */

import { readMetadata, withFile } from "../../../lib/files/parquet-file.ts";
import { ADDRESS_WORDS } from "../../addresses.ts";
import type { ReadableColumn } from "../../cells/cell-columns.ts";
import type { NumberDecoder } from "../../cells/numbers.ts";
import { VALUE_WORDS, type WordDecoder } from "../../cells/words.ts";
import type { NumberRange } from "../../duckdb/input-table.ts";
import { VECTOR_ROWS } from "../../duckdb/vectors.ts";
import { rangeOf, readColumnChunk } from "../../parquet/chunks.ts";
import { NumberColumn, WordColumn } from "../../parquet/stored-columns.ts";
import { type ByMark, eachMark } from "../columns/marks.ts";
import type { ColumnsOfTransfers, TransferPlan } from "../columns/transfer-columns.ts";
import type { RowBatch } from "./event-columns.ts";
import { numberSides, pickSides } from "./number-sides.ts";

/**
 * The rows of a plan, in the order of the file.
 *
 * @param plan its table is a Parquet file that has rows of the asset only
 * @throws {Error} the file is damaged, has an invalid cell, or is in a form that is not read here
 */
export function readParquetRows({ table, columns, marks }: TransferPlan, append: (batch: RowBatch) => void): void {
  const range = table.part?.blocks;
  const stored = storedColumns(columns);
  const marked = eachMark(marks, ({ column, decoder, isCopy }) =>
    isCopy ? new NumberColumn(column, 2 ** 32) : new WordColumn(column, decoder, 1),
  );
  const all = [...Object.values(stored), ...Object.values(marked)];
  withFile(table.file.path, (file) => {
    const metadata = readMetadata(file);
    for (const [group, { num_rows }] of metadata.row_groups.entries()) {
      const blocks = range && rangeOf(metadata, group, range.column.name);
      if (blocks && (blocks.max < range.from || blocks.min >= range.to)) continue;
      const isInside = !range || (blocks && blocks.min >= range.from && blocks.max < range.to);
      const selected = isInside ? undefined : selection(range);
      const used = [...all, ...(selected ? [selected.column] : [])];
      for (const column of used) column.start(readColumnChunk(file, metadata, group, column.column.name));
      for (let left = Number(num_rows), rows: number; left > 0; left -= rows) {
        rows = Math.min(left, VECTOR_ROWS, ...used.map((column) => column.ready()));
        for (const run of selected?.runs(rows) ?? [rows]) {
          if (run > 0) append(batchOf(stored, marked, run));
          else for (const column of all) column.skip(-run);
        }
      }
      if (used.some(({ left }) => left > 0)) throw new Error("columns of other lengths");
    }
  });
}

type StoredColumns = ReturnType<typeof storedColumns>;

function storedColumns({ block, logIndex, time, from, to, value }: ColumnsOfTransfers) {
  const numbers = ({ column, decoder }: ReadableColumn<NumberDecoder>) => new NumberColumn(column, decoder.limit);
  const words = ({ column, decoder }: ReadableColumn<WordDecoder>, width: number) =>
    new WordColumn(column, decoder, width);
  return {
    block: numbers(block),
    logIndex: numbers(logIndex),
    from: words(from, ADDRESS_WORDS),
    to: words(to, ADDRESS_WORDS),
    value: words(value, VALUE_WORDS),
    ...(time && { time: numbers(time) }),
  };
}

/** Selects rows by their block. */
function selection({ column, from, to }: NumberRange) {
  const blocks = new NumberColumn(column, Number.MAX_SAFE_INTEGER);
  const taken = new Float64Array(VECTOR_ROWS);
  const isWanted = (row: number) => taken[row]! >= from && taken[row]! < to;
  return {
    column: blocks,
    /** How many rows in a row are wanted, or as a negative number are not. */
    *runs(rows: number): Generator<number> {
      blocks.take(rows, taken);
      for (let begin = 0, end: number; begin < rows; begin = end) {
        for (end = begin + 1; end < rows && isWanted(end) === isWanted(begin); ) end++;
        yield isWanted(begin) ? end - begin : begin - end;
      }
    },
  };
}

function batchOf(
  { block, logIndex, time, from, to, value }: StoredColumns,
  marked: ByMark<NumberColumn | WordColumn>,
  rows: number,
): RowBatch {
  return {
    rows,
    values: (words) => value.take(rows, words),
    blocks: (out) => block.take(rows, out),
    logIndexes: (out) => logIndex.take(rows, out),
    ...(time && { times: (out: Float64Array) => time.take(rows, out) }),
    marks: eachMark(marked, (column) => (out: Uint32Array) => column.take(rows, out)),
    sides: (table, froms, tos) => numberSides(table, rows, [from, to], [froms, tos]),
    pick: (list, table, picked) => pickSides(list, table, rows, [from, to], picked),
  };
}
