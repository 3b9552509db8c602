/** Transfers of files of any accepted form, streamed into columns. */

import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { ADDRESS_WORDS, AddressTable } from "./addresses.ts";
import { explainRow } from "./explain.ts";
import { sharedDoubles, sharedWords, withRoom } from "./growing.ts";
import { countRows, tableChunks } from "./table.ts";
import { astrayRow, ownRow, SELECTED, type TransferPlan, transferSql } from "./transfer-plan.ts";
import { CHUNK_ROWS } from "./vectors.ts";
import { VALUE_WORDS } from "./words.ts";

/** Words of a value while none takes more than 128 bits. */
const USUAL_WORDS = 4;
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
  valueWords = USUAL_WORDS;
  /** `valueWords` little-endian words a row. */
  values = sharedWords(FIRST_ROOM * USUAL_WORDS);
  readonly addresses = new AddressTable();

  reserve(more: number): void {
    const rows = this.rows + more;
    this.block = withRoom(this.block, rows, sharedDoubles);
    this.logIndex = withRoom(this.logIndex, rows, sharedWords);
    this.timestamp = withRoom(this.timestamp, rows, sharedDoubles);
    this.from = withRoom(this.from, rows, sharedWords);
    this.to = withRoom(this.to, rows, sharedWords);
    this.values = withRoom(this.values, rows * this.valueWords, sharedWords);
  }

  /** From here on every value takes 256 bits. */
  widen(): void {
    const room = this.values.length / this.valueWords;
    const wide = sharedWords(room * VALUE_WORDS);
    for (let row = 0; row < this.rows; row++) {
      const from = row * this.valueWords;
      wide.set(this.values.subarray(from, from + this.valueWords), row * VALUE_WORDS);
    }
    this.values = wide;
    this.valueWords = VALUE_WORDS;
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
 * @throws Failure naming row, column and text of the first cell that is not acceptable
 */
export async function readTransfers(
  connection: DuckDBConnection,
  plan: TransferPlan,
  transfers: Transfers,
): Promise<void> {
  const { table, columns } = plan;
  const start = transfers.rows;
  for await (const chunk of tableChunks(connection, table.file, transferSql(plan))) {
    const rows = chunk.rowCount;
    decode(chunk, rows, plan);
    const refused = cells.refused.subarray(0, rows).indexOf(1);
    if (refused >= 0) {
      const row = await ownRow(connection, plan, transfers.rows - start + refused);
      throw await explainRow(connection, table, Object.values(columns), row);
    }
    append(transfers, rows);
  }
  const astray = await astrayRow(connection, plan);
  if (plan.astray && astray !== undefined) throw await explainRow(connection, table, [plan.astray.column], astray);
  table.rows = plan.own ? await countRows(connection, table) : transfers.rows - start;
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
  if (transfers.valueWords < VALUE_WORDS && isWide(cells.values, rows)) transfers.widen();
  transfers.reserve(rows);
  const start = transfers.rows;
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

/** Whether a value takes more than 128 bits. */
function isWide(values: Uint32Array, rows: number): boolean {
  for (let at = 0; at < rows * VALUE_WORDS; at += VALUE_WORDS) {
    if ((values[at + 4] | values[at + 5] | values[at + 6] | values[at + 7]) !== 0) return true;
  }
  return false;
}
