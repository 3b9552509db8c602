/** A history in memory, prepared for the replay: the price at each event, and columns for the results of the replay. */

import { DEPOSIT_ADDRESS } from "../../builder/engine/classification.ts";
import {
  type AssetParameters,
  emptyStandings,
  firstRowAt,
  type Groups,
  type History,
  type Prices,
  type ReplayedEvents,
} from "../../builder/engine/history/history.ts";
import { type Outline, outlineOf } from "../../builder/engine/history/outline.ts";
import { firstPriceTime, pricesAt } from "../../builder/engine/history/prices.ts";
import { tallyDays } from "../../builder/engine/history/tally.ts";
import type { WholeCheckpoint } from "./checkpoint.ts";

/** All of a history's events, and some of them. */
export interface Timeline extends Outline, ReplayedEvents {
  history: History;
  /** The group of each address, with a mark if it is a deposit address: `groups` have none. */
  labels: Groups;
  checkpoint?: WholeCheckpoint;
}

/** @param checkpoint where the history begins; the checkpoint's holders must be the history's first addresses */
export function prepareTimeline(
  whole: History,
  prices: Prices,
  labels: Groups,
  parameters: AssetParameters,
  checkpoint?: WholeCheckpoint,
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
    history,
    labels,
    groups: labels.map((label) => label & ~DEPOSIT_ADDRESS),
    price: pricesAt(prices, history),
    ...emptyStandings(history.rows),
  };
}
