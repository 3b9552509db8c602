/** The input of the engine: transfers, prices and labels in columns. Source: docs/methodology.md §1. */

/**
 * Transfer events of one contract in the order of (block, log index), without repeats. Row i of each column is event i.
 *
 * An address is an index into `addresses`; 0 is the zero address, the others are in order of first appearance.
 */
export interface History {
  rows: number;
  block: Float64Array;
  logIndex: Uint32Array;
  /** Unix seconds of the block. */
  timestamp: Float64Array;
  from: Uint32Array;
  to: Uint32Array;
  /** 32-bit words per value, enough for the largest; 1 to 8. */
  valueWords: number;
  /** Raw values: `valueWords` little-endian words a row. */
  values: Uint32Array;
  /** 20 bytes per address. */
  addresses: Uint8Array;
}

/** A step function: observation i holds from `timestamp[i]` (Unix seconds, strictly ascending) to the next. */
export interface Prices {
  timestamp: Float64Array;
  /** USD per whole token, finite and not negative. */
  usd: Float64Array;
}

/** The group of each address of a history, as engine/classification.ts numbers them. */
export type Groups = Uint8Array;

/** The properties of an asset on which the numbers depend, besides its events, prices and labels. */
export interface AssetParameters {
  decimals: number;
  /** Lower edges of balance_cohort_1 … 7 in raw units. */
  balanceEdges: bigint[];
  /** Unix seconds: events at or after it are not used. */
  asOf: number;
}
