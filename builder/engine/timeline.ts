/**
 * A history in memory, prepared for the replay: the price at each event, and columns for the results of the replay.
 * Source: docs/methodology.md §2.
 */

import { lowerBound } from "../columns/search.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { AssetParameters, Groups, History, Prices } from "./history.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { PriceCursor } from "./prices.ts";
import { tallyDays } from "./tally.ts";

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

/** All of a history's events, and some of them. */
export interface Timeline extends Outline, ReplayedEvents {
  history: History;
  checkpoint?: Checkpoint;
}

/** @param checkpoint where the history begins; the checkpoint's holders must be the history's first addresses */
export function prepareTimeline(
  whole: History,
  prices: Prices,
  groups: Groups,
  parameters: AssetParameters,
  checkpoint?: Checkpoint,
): Timeline {
  const history = { ...whole, rows: firstRowAt(whole, parameters.asOf) };
  const { valueWords } = history;
  const days = tallyDays(history, firstPriceTime(prices));
  const { checkpoint: _, ...outline } = outlineOf(
    { prices, parameters, valueWords, ...(checkpoint && { checkpoint }) },
    days,
  );
  return {
    ...outline,
    ...(checkpoint && { checkpoint }),
    ...{ history, groups },
    price: pricesAt(prices, history),
    ...emptyStandings(history.rows),
  };
}

export const firstPriceTime = ({ timestamp }: Prices) => timestamp[0] ?? Number.POSITIVE_INFINITY;

/** USD per token at each event. */
export function pricesAt(prices: Prices, { rows, timestamp }: Pick<History, "rows" | "timestamp">): Float64Array {
  const price = new Float64Array(rows);
  const cursor = new PriceCursor(prices);
  for (let row = 0; row < rows; row++) price[row] = cursor.at(timestamp[row]!);
  return price;
}

/** The first row at or after a time (Unix seconds); the number of rows if there is none. */
export function firstRowAt({ timestamp, rows }: Pick<History, "timestamp" | "rows">, seconds: number): number {
  return lowerBound(timestamp, rows, seconds);
}
