/** Block times from files of blocks, for transfers without their own (cryo). */

import type { DuckDBConnection } from "@duckdb/node-api";
import { orderBy } from "../../columns/order.ts";
import { sharedDoubles, withRoom } from "../../columns/shared.ts";
import { Failure } from "../../failure.ts";
import { describeRefusal, type ReadableColumn, readable } from "../cells/columns.ts";
import { BLOCK_NUMBERS, type NumberDecoder, TIMES } from "../cells/numbers.ts";
import { BLOCK_NUMBER, TIME } from "../cells/rules.ts";
import { timeText } from "../cells/time.ts";
import { needColumn, type Table, tableChunks } from "../duckdb/table.ts";
import { CHUNK_ROWS } from "../duckdb/vectors.ts";
import type { InputFile } from "../files.ts";
import type { Transfers } from "./read.ts";

export const BLOCK_NUMBER_NAMES = ["block_number", "number"];

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

const blockCells = new Float64Array(CHUNK_ROWS);
const timeCells = new Float64Array(CHUNK_ROWS);

/** Reads the blocks `from` … `to` of a table with `block_number` (or `number`) and `timestamp` into `times`. */
async function readBlocks(
  connection: DuckDBConnection,
  table: Table,
  [from, to]: readonly [number, number],
  times: BlockTimes,
): Promise<void> {
  const block = readable(table, needColumn(table, BLOCK_NUMBER_NAMES), BLOCK_NUMBER, BLOCK_NUMBERS);
  const time = readable(table, needColumn(table, ["timestamp", "block_timestamp"]), TIME, TIMES);
  const cell = ({ column, decoder }: ReadableColumn<NumberDecoder>) => decoder.sql(column.sql, column.type);
  const sql = `SELECT ${cell(block)}, ${cell(time)} FROM ${table.relation}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    block.decoder.decode(chunk, 0, blockCells);
    time.decoder.decode(chunk, 1, timeCells);
    for (let row = 0; row < chunk.rowCount; row++) {
      const [number, seconds] = [blockCells[row]!, timeCells[row]!];
      if (!(number + seconds >= 0)) throw await describeRefusal(connection, table, [block, time], table.rows + row);
      if (number >= from && number <= to) times.add(number, seconds);
    }
    table.rows += chunk.rowCount;
  }
}

/**
 * Sets the time of each row without one to that of its block.
 *
 * @throws {Failure} a block is in no table, or has two times
 */
export async function fillTimes(
  connection: DuckDBConnection,
  tables: readonly Table[],
  transfers: Transfers,
  onFile: (file: InputFile) => void,
): Promise<void> {
  const { order } = transfers;
  const times = new BlockTimes();
  const range = [transfers.block[order[0]!]!, transfers.block[order[order.length - 1]!]!] as const;
  for (const table of tables) {
    await readBlocks(connection, table, range, times);
    onFile(table.file);
  }

  const names = tables.map(({ file }) => file.name).join(", ");
  const blockOrder = orderBy(times.rows, [times.block]);
  for (let index = 1; index < blockOrder.length; index++) {
    const [a, b] = [blockOrder[index - 1]!, blockOrder[index]!];
    if (times.block[a] === times.block[b] && times.timestamp[a] !== times.timestamp[b]) {
      const [one, other] = [a, b].map((row) => timeText(times.timestamp[row]!));
      throw new Failure(`${names}: block ${times.block[a]} has two times, ${one} and ${other}; remove the wrong one.`);
    }
  }
  let index = 0;
  for (const row of order) {
    if (!Number.isNaN(transfers.timestamp[row])) continue;
    const block = transfers.block[row]!;
    while (index < blockOrder.length && times.block[blockOrder[index]!]! < block) index++;
    if (index === blockOrder.length || times.block[blockOrder[index]!] !== block) {
      throw new Failure(
        `${names}: block ${block} has a transfer but is not listed; add the file of blocks that lists it.`,
      );
    }
    transfers.timestamp[row] = times.timestamp[blockOrder[index]!]!;
  }
}
