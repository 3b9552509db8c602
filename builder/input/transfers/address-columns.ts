/** Columns of senders and receivers, as numbers of addresses in order of appearance, filled chunk by chunk. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import { sharedWords, withRoom } from "../../columns/shared.ts";
import { AddressTable } from "../addresses.ts";
import type { TransferPlan } from "./plan.ts";

export class AddressColumns {
  rows = 0;
  /** Numbers in `table`. */
  from: Uint32Array<SharedArrayBuffer>;
  to: Uint32Array<SharedArrayBuffer>;
  readonly table = new AddressTable();

  /** @param capacity expected rows */
  constructor(capacity: number) {
    this.from = sharedWords(capacity);
    this.to = sharedWords(capacity);
  }

  /** The columns to select for `append`. */
  columns({ columns: { from, to } }: TransferPlan) {
    return [from, to];
  }

  /** As in `EventColumns`. */
  append(chunk: DuckDBDataChunk, at: number, plan: TransferPlan, refused: Uint8Array): void {
    const { table } = this;
    const { from, to } = plan.columns;
    const rows = chunk.rowCount;
    from.decoder.decode(chunk, at, table.words(0), refused);
    to.decoder.decode(chunk, at + 1, table.words(1), refused);
    table.insert(rows, 2);

    const end = this.rows + rows;
    this.from = withRoom(this.from, end, sharedWords);
    this.to = withRoom(this.to, end, sharedWords);
    this.from.set(table.numbers(0).subarray(0, rows), this.rows);
    this.to.set(table.numbers(1).subarray(0, rows), this.rows);
    this.rows = end;
  }
}
