/** What the replay leaves of each event. Source: docs/methodology.md §2. */

import { lowerBound } from "../lib/columns/search.ts";
import type { Groups, History } from "./history.ts";

/** Results of the replay, by event. */
export interface Standings {
  /** Whole tokens; 0 for an event that counts nowhere (value 0, or from = to). */
  tokens: Float64Array;
  /** The sender's average purchase price just before the event. */
  basis: Float64Array;
  /** The sender's packed classification (kernel/classification.ts) just before the event. */
  senderClassification: Uint16Array;
  /** The receiver's packed classification just after the event. */
  receiverClassification: Uint16Array;
}

export const emptyStandings = (rows: number): Standings => ({
  tokens: new Float64Array(rows),
  basis: new Float64Array(rows),
  senderClassification: new Uint16Array(rows),
  receiverClassification: new Uint16Array(rows),
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
