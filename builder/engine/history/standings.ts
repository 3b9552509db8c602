/** What the replay leaves of each event. Source: docs/methodology.md §2. */

import { lowerBound } from "../../lib/columns/lower-bound.ts";
import type { Groups, History } from "./history.ts";

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
  /** The packed deposits (engine/classification.ts): the days, weeks and months of which it is its sender's or receiver's first. */
  deposits: Uint8Array;
}

export const emptyStandings = (rows: number): Standings => ({
  tokens: new Float64Array(rows),
  basis: new Float64Array(rows),
  since: new Float64Array(rows),
  sender: new Uint16Array(rows),
  receiver: new Uint16Array(rows),
  deposits: new Uint8Array(rows),
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
