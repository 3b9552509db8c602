/**
 * Times that nodes put into logs, against the headers of some blocks. Balances don't tell a wrong time, but it would move
 * transfers to other days. Source: docs/chain.md#events.
 */

import { type Block, readBlocks } from "../chain/blocks.ts";
import type { Nodes } from "../chain/nodes.ts";
import type { TransferColumns } from "./columns.ts";

/** Blocks of a file, at least, if it has so many; at most twice as many. A wrong time is rarely alone. */
const SAMPLED = 16;
/** Headers that are asked for together. */
const AT_ONCE = 1_000;

/** Blocks with their times, spread evenly over all that pass. */
export class TimeSample {
  /** By block. */
  times = new Map<number, number>();
  #every = 1;
  #passed = 0;

  /** Hands transfers on, and remembers some of their blocks. */
  async *of(transfers: AsyncIterable<TransferColumns>): AsyncGenerator<TransferColumns> {
    let last = -1;
    for await (const columns of transfers) {
      const { rows, block, time } = columns;
      for (let row = 0; row < rows; row++) {
        if (block[row] === last) continue;
        last = block[row]!;
        this.#add(last, time[row]!);
      }
      yield columns;
    }
  }

  #add(block: number, time: number): void {
    if (this.#passed++ % this.#every === 0) this.times.set(block, time);
    if (this.times.size < 2 * SAMPLED) return;
    this.times = new Map([...this.times].filter((_, index) => index % 2 === 0));
    this.#every *= 2;
  }

  /** A block whose header has another time; undefined if all are right. */
  async wrong(nodes: Nodes): Promise<Block | undefined> {
    const headers = await readBlocks(nodes, [...this.times.keys()]);
    return headers.find(({ number, time }) => time !== this.times.get(number));
  }
}

/** The same transfers, with the times of all blocks from their headers. */
export async function* withTimesOfHeaders(
  transfers: AsyncIterable<TransferColumns>,
  nodes: Nodes,
): AsyncGenerator<TransferColumns> {
  for await (const columns of transfers) {
    const { rows, block, time } = columns;
    const numbers = [...new Set(block.subarray(0, rows))];
    const times = new Map<number, number>();
    for (let first = 0; first < numbers.length; first += AT_ONCE) {
      for (const header of await readBlocks(nodes, numbers.slice(first, first + AT_ONCE))) {
        times.set(header.number, header.time);
      }
    }
    for (let row = 0; row < rows; row++) time[row] = times.get(block[row]!)!;
    yield columns;
  }
}
