/** Transfers of files of any accepted form, streamed into columns. */

import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { ADDRESS_WORDS, AddressTable, readAddress } from "./addresses.ts";
import { explainRow } from "./explain.ts";
import { sharedDoubles, sharedWords, withRoom } from "./growing.ts";
import { tableChunks } from "./table.ts";
import { FOREIGN, OWN, REFUSED, SELECTED, type TransferPlan, transferSql } from "./transfer-plan.ts";
import { bytes, doubles, texts, words } from "./vectors.ts";

/** Words of a value while it is read: 128 bits, or all 256 once a value needs them. */
const USUAL_WORDS = 4;
const ALL_WORDS = 8;
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
    const wide = sharedWords((this.values.length / this.valueWords) * ALL_WORDS);
    for (let row = 0; row < this.rows; row++) {
      for (let word = 0; word < this.valueWords; word++) {
        wide[row * ALL_WORDS + word] = this.values[row * this.valueWords + word];
      }
    }
    this.values = wide;
    this.valueWords = ALL_WORDS;
  }

  /** Writes a value of up to 256 bits as that of the row. */
  setValue(row: number, value: bigint): void {
    if (this.valueWords < ALL_WORDS) this.widen();
    for (let word = 0, rest = value; word < ALL_WORDS; word++, rest >>= 32n) {
      this.values[row * ALL_WORDS + word] = Number(rest & 0xffff_ffffn);
    }
  }
}

/**
 * Appends the rows of a file.
 *
 * @throws Failure naming row, column and text of the first cell that is not acceptable
 */
export async function readTransfers(
  connection: DuckDBConnection,
  plan: TransferPlan,
  transfers: Transfers,
): Promise<void> {
  for await (const chunk of tableChunks(connection, plan.table.file, transferSql(plan))) {
    const refused = append(transfers, chunk, plan);
    if (refused !== undefined)
      throw await explainRow(connection, plan.table, Object.values(plan.columns), plan.table.rows + refused);
    plan.table.rows += chunk.rowCount;
  }
}

const FROM = new Uint32Array(ADDRESS_WORDS);
const TO = new Uint32Array(ADDRESS_WORDS);

/** Appends the asset's rows of a chunk; stops at one that can't be read and returns its number in the chunk. */
function append(transfers: Transfers, chunk: DuckDBDataChunk, { columns }: TransferPlan): number | undefined {
  const state = bytes(chunk, SELECTED.state);
  const blocks = doubles(chunk, SELECTED.block);
  const logIndexes = words(chunk, SELECTED.logIndex);
  const times = doubles(chunk, SELECTED.time);
  const numbers = words(chunk, SELECTED.number, USUAL_WORDS);
  const from = SELECTED.from.map((column) => texts(chunk, column));
  const to = SELECTED.to.map((column) => texts(chunk, column));

  transfers.reserve(state.length);
  const { addresses } = transfers;
  for (let row = 0; row < state.length; row++) {
    if (state[row] === FOREIGN) continue;
    if (state[row] === REFUSED || !readAddress(from, row, FROM) || !readAddress(to, row, TO)) return row;
    const at = transfers.rows;
    if (state[row] === OWN) {
      const { values, valueWords } = transfers;
      for (let word = 0; word < USUAL_WORDS; word++) values[at * valueWords + word] = numbers[row * USUAL_WORDS + word];
    } else {
      const value = columns.value.rule.parse(String(chunk.getColumnVector(SELECTED.text).getItem(row)));
      if (value === undefined) return row;
      transfers.setValue(at, value);
    }
    transfers.block[at] = blocks[row];
    transfers.logIndex[at] = logIndexes[row];
    transfers.timestamp[at] = times[row];
    transfers.from[at] = addresses.insert(FROM);
    transfers.to[at] = addresses.insert(TO);
    transfers.rows++;
  }
  return undefined;
}
