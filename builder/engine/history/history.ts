/**
 * The input of the engine: transfers, prices and labels in columns; and what the replay leaves of each event.
 * Source: docs/methodology.md §1 and §2.
 */

import { lowerBound } from "../../lib/columns/lower-bound.ts";

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

/** Results of the replay, by event. */
export interface Standings {
  /** Whole tokens; 0 for an event that counts nowhere (value 0, or from = to). */
  tokens: Float64Array;
  /** The sender's average purchase price just before the event. */
  basis: Float64Array;
  /** The sender's average purchase time just before the event, Unix seconds. */
  since: Float64Array;
  /** The sender's packed standing (engine/classification.ts): its classification is that just before the event. */
  sender: Uint16Array;
  /** The receiver's packed standing: its classification is that just after the event. */
  receiver: Uint16Array;
  /** The packed firsts (engine/classification.ts): the buckets of which it is the first send, receipt or deposit of its sender or receiver. */
  firsts: Uint16Array;
}

export const emptyStandings = (rows: number): Standings => ({
  tokens: new Float64Array(rows),
  basis: new Float64Array(rows),
  since: new Float64Array(rows),
  sender: new Uint16Array(rows),
  receiver: new Uint16Array(rows),
  firsts: new Uint16Array(rows),
});

/** Events that have been replayed, in order. */
export interface ReplayedEvents extends Standings {
  history: Pick<History, "rows" | "block" | "timestamp" | "from" | "to">;
  groups: Groups;
  /** USD per token at each event. */
  price: Float64Array;
}

/** The first row at or after a time (Unix seconds); the number of rows if there is none. */
export function firstRowAt({ timestamp, rows }: Pick<History, "timestamp" | "rows">, seconds: number): number {
  return lowerBound(timestamp, rows, seconds);
}
