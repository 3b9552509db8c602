/** Senders and receivers of transfers, numbered as they appear: streamed into columns. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import { ADDRESS_WORDS, AddressTable } from "./addresses.ts";
import { sharedWords, withRoom } from "./growing.ts";
import type { TransferPlan } from "./transfer-plan.ts";
import type { ColumnReader } from "./transfers.ts";
import { CHUNK_ROWS } from "./vectors.ts";

/** The addresses of a chunk, `from` and `to` of each row side by side, and their numbers. */
const addressCells = new Uint32Array(2 * ADDRESS_WORDS * CHUNK_ROWS);
const numberCells = new Uint32Array(2 * CHUNK_ROWS);

export class PartyColumns implements ColumnReader {
  rows = 0;
  /** Numbers in `addresses`. */
  from: Uint32Array<SharedArrayBuffer>;
  to: Uint32Array<SharedArrayBuffer>;
  readonly addresses = new AddressTable();

  /** @param room rows that are expected */
  constructor(room: number) {
    this.from = sharedWords(room);
    this.to = sharedWords(room);
  }

  columns({ columns: { from, to } }: TransferPlan) {
    return [from, to];
  }

  append(chunk: DuckDBDataChunk, at: number, plan: TransferPlan, refused: Uint8Array): void {
    const rows = chunk.rowCount;
    const stride = 2 * ADDRESS_WORDS;
    plan.columns.from.decoder.decode(chunk, at, { words: addressCells, offset: 0, stride }, refused);
    plan.columns.to.decoder.decode(chunk, at + 1, { words: addressCells, offset: ADDRESS_WORDS, stride }, refused);
    this.addresses.insertAll(addressCells, 2 * rows, numberCells);

    const start = this.rows;
    this.from = withRoom(this.from, start + rows, sharedWords);
    this.to = withRoom(this.to, start + rows, sharedWords);
    const { from, to } = this;
    for (let row = 0; row < rows; row++) {
      from[start + row] = numberCells[2 * row];
      to[start + row] = numberCells[2 * row + 1];
    }
    this.rows += rows;
  }
}
