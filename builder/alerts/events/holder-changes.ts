/** The days on which the balance of a holder has changed much. Pure. Source: docs/alerts.md#holders. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { toBigInt } from "../../engine/history.ts";
import { AddressTable, addressWords, NO_NUMBER } from "../../input/addresses.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { HolderTerms } from "../event-rules.ts";
import type { EventShare } from "./large-transfers.ts";

/** Raw amounts at the end of a day and of the one before. */
export interface BalanceChange {
  /** Start of the day, Unix seconds. */
  t: number;
  balance: bigint;
  before: bigint;
}

/** Addresses that rules name, by numbers of their own. */
export class Holders {
  readonly #table = new AddressTable();
  readonly #addresses: readonly string[];
  /** By number: what came and went, by the start of the day. */
  readonly #flows: Map<number, bigint>[];

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
    for (const address of addresses) {
      this.#table.words(0).set(addressWords(address));
      this.#table.insert(1, 1);
    }
    this.#flows = Array.from({ length: this.#table.size }, () => new Map<number, bigint>());
  }

  /** The places among them of those of a column of addresses, 20 bytes each, that are there. */
  *#in(addresses: Uint8Array): Generator<[row: number, number: number]> {
    const numbers = this.#table.numbersOf(addresses, "find");
    for (const [row, number] of numbers.entries()) if (number !== NO_NUMBER && number !== 0) yield [row, number];
  }

  add({ history, addresses, first }: EventShare): void {
    const { rows, timestamp, from, to, values, valueWords } = history;
    const numberOf = new Map(this.#in(addresses));
    if (numberOf.size === 0) return;
    for (let row = first; row < rows; row++) {
      const [sender, receiver] = [numberOf.get(from[row]!), numberOf.get(to[row]!)];
      if (sender === undefined && receiver === undefined) continue;
      const day = timestamp[row]! - (timestamp[row]! % BUCKET_SECONDS.day);
      const value = toBigInt(values, row * valueWords, valueWords);
      if (sender !== undefined) this.#flow(sender, day, -value);
      if (receiver !== undefined) this.#flow(receiver, day, value);
    }
  }

  #flow(number: number, day: number, value: bigint): void {
    const flows = this.#flows[number]!;
    flows.set(day, (flows.get(day) ?? 0n) + value);
  }

  /**
   * What those hold of whom a checkpoint has rows.
   *
   * @param words of each balance, and of the batches of rows
   */
  balances(batches: Iterable<{ addresses: Uint8Array; rows: number; balances: Uint32Array }>, words: number) {
    const balances = new Map(this.#addresses.map((address) => [address, 0n]));
    const byNumber = new Map(this.#addresses.map((address) => [this.#numberOf(address), address]));
    for (const { addresses, rows, balances: held } of batches) {
      for (const [row, number] of this.#in(addresses.subarray(0, ADDRESS_BYTES * rows))) {
        balances.set(byNumber.get(number)!, toBigInt(held, row * words, words));
      }
    }
    return balances;
  }

  #numberOf(address: string): number {
    return this.#table.numbersOf(new Uint8Array(addressWords(address).buffer), "find")[0]!;
  }

  /**
   * The days, ascending, at whose end the balance differs by the share or more from that of the day before. From nothing, any
   * balance does.
   *
   * @param from start of the first day
   * @param last the balance at the end of the last day
   */
  changes({ address, share }: HolderTerms, from: number, last: bigint): BalanceChange[] {
    const flows = [...this.#flows[this.#numberOf(address)]!].sort(([a], [b]) => b - a);
    const changes: BalanceChange[] = [];
    let balance = last;
    for (const [t, flow] of flows) {
      if (t < from) break;
      const before = balance - flow;
      const change = flow < 0n ? -flow : flow;
      if (change > 0n && change * share.denominator >= share.numerator * before) changes.push({ t, balance, before });
      balance = before;
    }
    return changes.reverse();
  }
}
