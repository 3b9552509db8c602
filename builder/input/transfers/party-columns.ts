/** Senders and receivers of transfers, numbered as they appear: streamed into columns. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import { sharedWords, withRoom } from "../../columns/shared.ts";
import { AddressTable } from "../addresses.ts";
import type { TransferPlan } from "./plan.ts";

export class PartyColumns {
  rows = 0;
  /** Numbers in `addresses`. */
  from: Uint32Array<SharedArrayBuffer>;
  to: Uint32Array<SharedArrayBuffer>;
  readonly addresses = new AddressTable();

  /** @param room expected rows */
  constructor(room: number) {
    this.from = sharedWords(room);
    this.to = sharedWords(room);
  }

  columns({ columns: { from, to } }: TransferPlan) {
    return [from, to];
  }

  /** As of `EventColumns`. */
  append(chunk: DuckDBDataChunk, at: number, plan: TransferPlan, refused: Uint8Array): void {
    const { addresses } = this;
    const { from, to } = plan.columns;
    const rows = chunk.rowCount;
    from.decoder.decode(chunk, at, addresses.words(0), refused);
    to.decoder.decode(chunk, at + 1, addresses.words(1), refused);
    addresses.insert(rows, 2);

    const end = this.rows + rows;
    this.from = withRoom(this.from, end, sharedWords);
    this.to = withRoom(this.to, end, sharedWords);
    this.from.set(addresses.numbers(0).subarray(0, rows), this.rows);
    this.to.set(addresses.numbers(1).subarray(0, rows), this.rows);
    this.rows = end;
  }
}
