/** Block times from files of blocks, for transfers without their own (cryo). */

import type { DuckDBConnection } from "@duckdb/node-api";
import { isoTime } from "../../../data-schema/text.ts";
import { orderBy, rowAt } from "../../lib/columns/order.ts";
import { sharedDoubles, withRoom } from "../../lib/columns/shared.ts";
import { Failure } from "../../lib/failure.ts";
import { changedMeanwhile, describeRefusal, type ReadableColumn, readableColumn } from "../cells/cell-columns.ts";
import { BLOCK_NUMBERS, type NumberDecoder, TIMES } from "../cells/numbers.ts";
import { BLOCK_NUMBER, TIME } from "../cells/rules.ts";
import { needColumns, type Table, tableChunks } from "../duckdb/input-table.ts";
import { VECTOR_ROWS } from "../duckdb/vectors.ts";
import type { Transfers } from "./rows/read.ts";

/** The columns of files of blocks. */
export const BLOCK_COLUMNS = {
  block: { names: ["block_number", "number"], what: "a block number" },
  time: { names: ["timestamp", "block_timestamp"], what: "a time" },
};

/** Blocks and their times in Unix seconds, unsorted. */
class BlockTimes {
  rows = 0;
  block = sharedDoubles(1 << 16);
  timestamp = sharedDoubles(1 << 16);

  add(block: number, timestamp: number): void {
    this.block = withRoom(this.block, this.rows + 1, sharedDoubles);
    this.timestamp = withRoom(this.timestamp, this.rows + 1, sharedDoubles);
    this.block[this.rows] = block;
    this.timestamp[this.rows++] = timestamp;
  }
}

const blockCells = new Float64Array(VECTOR_ROWS);
const timeCells = new Float64Array(VECTOR_ROWS);

/**
 * Reads the blocks `from` … `to` of a table with `block_number` (or `number`) and `timestamp` into `times`.
 *
 * @returns the columns and the number of the first row with an invalid cell, if there is one; it is the last one read
 */
async function readBlocks(
  connection: DuckDBConnection,
  table: Table,
  [from, to]: readonly [number, number],
  times: BlockTimes,
): Promise<{ columns: ReadableColumn<NumberDecoder>[]; row: number } | undefined> {
  const found = needColumns(table, BLOCK_COLUMNS);
  const block = readableColumn(table, found.block, BLOCK_NUMBER, BLOCK_NUMBERS);
  const time = readableColumn(table, found.time, TIME, TIMES);
  const cell = ({ column, decoder }: ReadableColumn<NumberDecoder>) => decoder.sql(column.sql, column.type);
  const sql = `SELECT ${cell(block)}, ${cell(time)} FROM ${table.relation}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    block.decoder.decode(chunk, 0, blockCells);
    time.decoder.decode(chunk, 1, timeCells);
    for (let row = 0; row < chunk.rowCount; row++) {
      const [number, seconds] = [blockCells[row]!, timeCells[row]!];
      if (!(number + seconds >= 0)) return { columns: [block, time], row: table.rows + row };
      if (number >= from && number <= to) times.add(number, seconds);
    }
    table.rows += chunk.rowCount;
  }
  return undefined;
}

/** Explains the first invalid cell of whole files of blocks, in the order of the files. */
export async function explainBlocks(connection: DuckDBConnection, tables: readonly Table[]): Promise<Failure> {
  for (const table of tables) {
    const refused = await readBlocks(connection, { ...table, rows: 0 }, NO_BLOCKS, new BlockTimes());
    if (refused) return describeRefusal(connection, table, refused.columns, refused.row);
  }
  return changedMeanwhile(tables);
}

const NO_BLOCKS = [1, 0] as const;

export interface BlockFiles {
  tables: readonly Table[];
  /** The names of all files of blocks, for messages. */
  names: readonly string[];
  /** The blocks whose times are compared. Undefined: those from the first to the last of the transfers. */
  range: readonly [from: number, to: number] | undefined;
  /** Explains an invalid cell of the tables. */
  explain(): Promise<Failure>;
}

/**
 * Sets the time of each row without one to that of its block.
 *
 * @throws {Failure} a block is in no table, or has two times
 */
export async function fillTimes(connection: DuckDBConnection, transfers: Transfers, files: BlockFiles): Promise<void> {
  const { rows, order, block: blocks } = transfers;
  const times = new BlockTimes();
  const range = files.range ?? [blocks[rowAt(order, 0)]!, blocks[rowAt(order, rows - 1)]!];
  for (const table of files.tables) {
    if (await readBlocks(connection, table, range, times)) throw await files.explain();
  }

  const names = files.names.join(", ");
  const blockOrder = orderBy(times.rows, [times.block]);
  for (let index = 1; index < blockOrder.length; index++) {
    const [a, b] = [blockOrder[index - 1]!, blockOrder[index]!];
    if (times.block[a] === times.block[b] && times.timestamp[a] !== times.timestamp[b]) {
      const [one, other] = [a, b].map((row) => isoTime(times.timestamp[row]!));
      throw new Failure(`${names}: block ${times.block[a]} has two times, ${one} and ${other}; remove the wrong one.`);
    }
  }
  let index = 0;
  for (let place = 0; place < rows; place++) {
    const row = rowAt(order, place);
    if (!Number.isNaN(transfers.timestamp[row])) continue;
    const block = blocks[row]!;
    while (index < blockOrder.length && times.block[blockOrder[index]!]! < block) index++;
    if (index === blockOrder.length || times.block[blockOrder[index]!] !== block) {
      throw new Failure(
        `${names}: block ${block} has a transfer but is not listed; add the file of blocks that lists it.`,
      );
    }
    transfers.timestamp[row] = times.timestamp[blockOrder[index]!]!;
  }
}
