/** A checkpoint with its holders in memory: a build streams them. */

import type { Checkpoint } from "../../builder/engine/history/checkpoint.ts";
import { sharedBytes, sharedDoubles, sharedWords } from "../../builder/lib/columns/shared.ts";

/** All addresses with an event. Row i of each column is holder i. */
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
  purchaseTime: Float64Array<SharedArrayBuffer>;
  /** Times of the first and the last event, Unix seconds. */
  firstEvent: Float64Array<SharedArrayBuffer>;
  lastEvent: Float64Array<SharedArrayBuffer>;
  /** Day of the last deposit, since 1970-01-01; 0 without one. */
  lastDeposit: Uint32Array<SharedArrayBuffer>;
  /** Realised profit, USD, and tokens sent; counts of receipts and sends. */
  realised: Float64Array<SharedArrayBuffer>;
  sent: Float64Array<SharedArrayBuffer>;
  receipts: Uint32Array<SharedArrayBuffer>;
  sends: Uint32Array<SharedArrayBuffer>;
}

export interface WholeCheckpoint extends Checkpoint {
  holders: Holders;
}

/** Columns of zeros for a number of holders. */
export function allocateHolders(count: number, words: number): Holders {
  return {
    addresses: sharedBytes(20 * count),
    words,
    balances: sharedWords(words * count),
    basis: sharedDoubles(count),
    purchaseTime: sharedDoubles(count),
    firstEvent: sharedDoubles(count),
    lastEvent: sharedDoubles(count),
    lastDeposit: sharedWords(count),
    realised: sharedDoubles(count),
    sent: sharedDoubles(count),
    receipts: sharedWords(count),
    sends: sharedWords(count),
  };
}
