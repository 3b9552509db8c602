/**
 * Which holders are compared with the chain: all, the largest and a random sample, or those that have moved anything.
 * Source: docs/chain.md#the-check.
 */

import { firstRowFrom, sliceColumns, type TransferColumns } from "../../transfers/fetched-columns.ts";
import type { Ledger } from "./ledger.ts";

/** Former holders that are compared, too: a missing transfer may have left an address with 0 that has something. */
export const FORMER_HOLDERS = 10_000;

export interface Chosen {
  /** Numbers of the ledger's addresses: holders, then former holders. */
  addresses: Uint32Array;
  /** How many of them are holders. */
  holders: number;
  /** All holders. */
  of: number;
}

/**
 * @param limit holders at most: all if there are no more, else half the largest and half drawn at random
 * @param seed hexadecimal, such as a block's hash: so that nobody can choose a sample that passes
 */
export function chooseAddresses(ledger: Ledger, limit: number, seed: string): Chosen {
  const random = randomFrom(seed);
  const all = ledger.numbers("holders");
  const holders = all.length <= limit ? all : sampleOf(ledger, all, limit, random);
  const former = draw(ledger.numbers("former"), FORMER_HOLDERS, random);
  const addresses = new Uint32Array(holders.length + former.length);
  addresses.set(holders);
  addresses.set(former, holders.length);
  return { addresses, holders: holders.length, of: all.length };
}

/** Whoever has sent or received anything after a block. */
export async function chooseMoved(
  ledger: Ledger,
  transfers: AsyncIterable<TransferColumns>,
  after: number,
): Promise<Chosen> {
  const moved = new Set<number>();
  for await (const columns of transfers) {
    const { from, to } = sliceColumns(columns, firstRowFrom(columns, after + 1), columns.rows);
    // Copies, since words are read of them.
    for (const parties of [from, to])
      for (const number of ledger.addresses.numbersOf(parties.slice(), "find")) moved.add(number);
  }
  // The zero address is no holder.
  moved.delete(0);
  const addresses = Uint32Array.from(moved).sort();
  const holders = addresses.filter((address) => ledger.balance(address) > 0n).length;
  return { addresses, holders, of: ledger.numbers("holders").length };
}

function sampleOf(ledger: Ledger, all: Uint32Array, limit: number, random: () => number): Uint32Array {
  const sizes = Float64Array.from(all, (address) => ledger.size(address));
  const order = Uint32Array.from(all, (_, i) => i).sort((a, b) => sizes[b]! - sizes[a]! || a - b);
  const ranked = order.map((i) => all[i]!);
  const largest = limit >> 1;
  const sample = new Uint32Array(limit);
  sample.set(ranked.subarray(0, largest));
  sample.set(draw(ranked.slice(largest), limit - largest, random), largest);
  return sample;
}

/** Some of the numbers, each with the same probability; all if there are no more. Reorders `from`. */
function draw(from: Uint32Array, most: number, random: () => number): Uint32Array {
  if (from.length <= most) return from;
  for (let i = 0; i < most; i++) {
    const other = i + Math.floor(random() * (from.length - i));
    const drawn = from[other]!;
    from[other] = from[i]!;
    from[i] = drawn;
  }
  return from.subarray(0, most);
}

/** Random numbers in [0, 1): mulberry32 of 32 bits from each of the seed's ends. */
function randomFrom(seed: string): () => number {
  let state = (Number.parseInt(seed.slice(2, 10), 16) ^ Number.parseInt(seed.slice(-8), 16)) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
