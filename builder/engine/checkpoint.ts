/**
 * What a history leaves behind at the end of a day: all that is needed to go on from there with the same bits, without
 * the events before. Source: methodology §8.9.
 */

/** Number and time (Unix seconds) of a block. */
export interface BlockTime {
  block: number;
  t: number;
}

/** What events add up to. */
export interface Totals {
  transfers: number;
  mints: number;
  burns: number;
  /** Of all these, those before the first price. */
  beforeFirstPrice: number;
  /** Raw. */
  minted: bigint;
  burned: bigint;
  /** The first event that counts, and the last. */
  first?: BlockTime;
  last?: BlockTime;
}

export const NOTHING: Totals = { transfers: 0, mints: 0, burns: 0, beforeFirstPrice: 0, minted: 0n, burned: 0n };

/** All who hold something. Row i of each column is holder i. */
export interface Holders {
  /** 20 bytes each. */
  addresses: Uint8Array<SharedArrayBuffer>;
  /** 32-bit words per balance. */
  words: number;
  /** Raw, little-endian. */
  balances: Uint32Array<SharedArrayBuffer>;
  /** Average purchase price, USD per token. */
  basis: Float64Array<SharedArrayBuffer>;
  /** Average purchase time, Unix seconds. */
  since: Float64Array<SharedArrayBuffer>;
}

/** The block period that is not full yet. */
export interface OpenBlocks {
  from: number;
  /** How many blocks use each row of sums (flow-sums.ts). */
  rows: number[];
}

export interface Checkpoint {
  /** The end of a day, Unix seconds: the events before it are in. */
  time: number;
  /** The last event before it, whether it counts or not. */
  lastEvent: BlockTime;
  totals: Totals;
  holders: Holders;
  openBlocks: OpenBlocks;
}
