/** Transfers of files of any accepted form, streamed into columns. */

import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { ADDRESS_WORDS, AddressTable } from "./addresses.ts";
import { explainRow } from "./explain.ts";
import { sharedDoubles, sharedWords, withRoom } from "./growing.ts";
import { tableChunks } from "./table.ts";
import { ownRow, type RowCounts, SELECTED, type TransferPlan, transferSql } from "./transfer-plan.ts";
import { CHUNK_ROWS } from "./vectors.ts";
import { VALUE_WORDS } from "./words.ts";

const FIRST_ROOM = 1 << 16;

/** Rows of one asset in the order of the files, not yet checked against each other. */
export class Transfers {
  rows = 0;
  block = sharedDoubles(FIRST_ROOM);
  logIndex = sharedWords(FIRST_ROOM);
  /** Unix seconds; NaN where the file has none. */
  timestamp = sharedDoubles(FIRST_ROOM);
  /** Numbers in `addresses`. */
  from = sharedWords(FIRST_ROOM);
  to = sharedWords(FIRST_ROOM);
  /** As many as the largest value needs. */
  valueWords = 1;
  /** `valueWords` little-endian words a row. */
  values = sharedWords(FIRST_ROOM);
  readonly addresses = new AddressTable();

  /** Makes room for so many rows in all: just that, if it is more than twice as much as there is. */
  reserve(rows: number): void {
    this.block = withRoom(this.block, rows, sharedDoubles);
    this.logIndex = withRoom(this.logIndex, rows, sharedWords);
    this.timestamp = withRoom(this.timestamp, rows, sharedDoubles);
    this.from = withRoom(this.from, rows, sharedWords);
    this.to = withRoom(this.to, rows, sharedWords);
    this.values = withRoom(this.values, rows * this.valueWords, sharedWords);
  }

  /** From here on a value has so many words, more than until now. */
  widen(words: number): void {
    const { values, valueWords } = this;
    const wide = sharedWords((values.length / valueWords) * words);
    for (let row = 0; row < this.rows; row++) {
      for (let word = 0; word < valueWords; word++) wide[row * words + word] = values[row * valueWords + word];
    }
    this.values = wide;
    this.valueWords = words;
  }
}

/** The cells of a chunk. `addresses` has `from` and `to` of each row side by side. */
const cells = {
  block: new Float64Array(CHUNK_ROWS),
  logIndex: new Float64Array(CHUNK_ROWS),
  time: new Float64Array(CHUNK_ROWS),
  addresses: new Uint32Array(2 * ADDRESS_WORDS * CHUNK_ROWS),
  values: new Uint32Array(VALUE_WORDS * CHUNK_ROWS),
  refused: new Uint8Array(CHUNK_ROWS),
  numbers: new Uint32Array(2 * CHUNK_ROWS),
};

/**
 * Appends the asset's rows of a file.
 *
 * @param counts what `countRows` says of the file
 * @throws Failure naming row, column and text of the first cell that is not acceptable
 */
export async function readTransfers(
  connection: DuckDBConnection,
  plan: TransferPlan,
  counts: RowCounts | undefined,
  transfers: Transfers,
): Promise<void> {
  const { table, columns } = plan;
  const start = transfers.rows;
  for await (const chunk of tableChunks(connection, table.file, transferSql(plan, counts?.all === counts?.own))) {
    const rows = chunk.rowCount;
    decode(chunk, rows, plan);
    const refused = cells.refused.subarray(0, rows).indexOf(1);
    if (refused >= 0) {
      const row = await ownRow(connection, plan, transfers.rows - start + refused);
      throw await explainRow(connection, table, Object.values(columns), row);
    }
    append(transfers, rows);
  }
  table.rows = counts?.all ?? transfers.rows - start;
}

/** Reads a chunk into `cells`; `refused` of a row is 1 if any of its cells is. */
function decode(chunk: DuckDBDataChunk, rows: number, { columns }: TransferPlan): void {
  const { block, logIndex, time, from, to, value } = columns;
  const { addresses, refused } = cells;
  const stride = 2 * ADDRESS_WORDS;
  refused.fill(0);
  from.decoder.decode(chunk, SELECTED.from, { words: addresses, offset: 0, stride }, refused);
  to.decoder.decode(chunk, SELECTED.to, { words: addresses, offset: ADDRESS_WORDS, stride }, refused);
  value.decoder.decode(chunk, SELECTED.value, { words: cells.values, offset: 0, stride: VALUE_WORDS }, refused);
  block.decoder.decode(chunk, SELECTED.block, cells.block);
  logIndex.decoder.decode(chunk, SELECTED.logIndex, cells.logIndex);
  if (time) time.decoder.decode(chunk, SELECTED.time, cells.time);
  else cells.time.fill(0);
  for (let row = 0; row < rows; row++) {
    if (Number.isNaN(cells.block[row] + cells.logIndex[row] + cells.time[row])) refused[row] = 1;
  }
  // To come from files of blocks.
  if (!time) cells.time.fill(Number.NaN);
}

/** Appends the decoded rows. */
function append(transfers: Transfers, rows: number): void {
  const words = wordsNeeded(cells.values, rows);
  if (words > transfers.valueWords) transfers.widen(words);
  const start = transfers.rows;
  transfers.reserve(start + rows);
  const { block, logIndex, timestamp, from, to, values, valueWords } = transfers;
  const { addresses, numbers } = cells;
  transfers.addresses.insertAll(addresses, 2 * rows, numbers);
  for (let row = 0; row < rows; row++) {
    const at = start + row;
    block[at] = cells.block[row];
    logIndex[at] = cells.logIndex[row];
    timestamp[at] = cells.time[row];
    from[at] = numbers[2 * row];
    to[at] = numbers[2 * row + 1];
    for (let word = 0; word < valueWords; word++) {
      values[at * valueWords + word] = cells.values[row * VALUE_WORDS + word];
    }
  }
  transfers.rows += rows;
}

/** Words of the largest of some values; at least one. */
function wordsNeeded(values: Uint32Array, rows: number): number {
  let needed = 1;
  for (let at = 0; at < rows * VALUE_WORDS; at += VALUE_WORDS) {
    for (let word = VALUE_WORDS - 1; word >= needed; word--) if (values[at + word] !== 0) needed = word + 1;
  }
  return needed;
}
