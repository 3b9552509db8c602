/** Pieces of lots as events that the flows add up: one for each piece, in the order of the sends. Source: docs/methodology.md §14. */

import type { ReplayedEvents } from "../history.ts";

/** Pieces that a partition has, in the order of its events. */
export interface PieceColumns {
  count: number;
  /** The events that take them, by their numbers among those of `SentEvents`. */
  row: Uint32Array;
  /** Whole tokens. */
  tokens: Float64Array;
  /** Start of the hour of purchase, Unix seconds, and the price then, USD per token. */
  time: Float64Array;
  price: Float64Array;
  /** The packed classification of the lot (engine/classification.ts). */
  sender: Uint16Array;
}

type SentEvents = Pick<ReplayedEvents, "history" | "groups" | "price">;

/**
 * The pieces as events. A send is of one partition, so that their order does not depend on how many there are.
 *
 * @param partitions in pieces of any size, those of a partition in their order
 */
export function pieceEvents(
  { history, groups, price }: SentEvents,
  partitions: readonly PieceColumns[],
): ReplayedEvents {
  /** Where the next piece of each event goes. */
  const next = new Uint32Array(history.rows + 1);
  for (const { count, row } of partitions) for (let i = 0; i < count; i++) next[row[i]! + 1]!++;
  for (let event = 0; event < history.rows; event++) next[event + 1]! += next[event]!;
  const rows = next[history.rows]!;
  const events = {
    history: {
      rows,
      block: new Float64Array(rows),
      timestamp: new Float64Array(rows),
      from: new Uint32Array(rows),
      to: new Uint32Array(rows),
    },
    groups,
    price: new Float64Array(rows),
    tokens: new Float64Array(rows),
    basis: new Float64Array(rows),
    since: new Float64Array(rows),
    sender: new Uint16Array(rows),
    receiver: new Uint16Array(rows),
    firsts: new Uint16Array(rows),
  };
  for (const pieces of partitions) {
    for (let i = 0; i < pieces.count; i++) {
      const event = pieces.row[i]!;
      const at = next[event]!++;
      events.history.block[at] = history.block[event]!;
      events.history.timestamp[at] = history.timestamp[event]!;
      events.history.from[at] = history.from[event]!;
      events.history.to[at] = history.to[event]!;
      events.price[at] = price[event]!;
      events.tokens[at] = pieces.tokens[i]!;
      events.basis[at] = pieces.price[i]!;
      events.since[at] = pieces.time[i]!;
      events.sender[at] = pieces.sender[i]!;
    }
  }
  return events;
}
