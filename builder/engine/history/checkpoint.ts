/**
 * The engine's state at the end of a day, but for its holders: those are as many rows of a file. A build that resumes from it, without the events before, publishes the same
 * bits as a build from the start. Source: docs/methodology.md §8.
 */

import type { CalendarResolution } from "../../../data-schema/registry.ts";

/** Number and time (Unix seconds) of a block. */
export interface BlockTime {
  block: number;
  t: number;
}

/** Counts and sums over all events up to some time. */
export interface Totals {
  transfers: number;
  mints: number;
  burns: number;
  /** How many of all these came before the first price. */
  beforeFirstPrice: number;
  /** Raw. */
  minted: bigint;
  burned: bigint;
  /** The first and the last event that count. */
  first?: BlockTime;
  last?: BlockTime;
}

export const NO_EVENTS: Totals = { transfers: 0, mints: 0, burns: 0, beforeFirstPrice: 0, minted: 0n, burned: 0n };

/** The block period that is not full yet. */
export interface OpenBlocks {
  /** Start of the period, Unix seconds. */
  from: number;
  /** The number of blocks in which each row of sums (flow-sums.ts) is used. */
  rows: number[];
}

/** A week or month that is not complete, and what the days of it so far add up to. */
export interface OpenBucket {
  /** Start of the bucket, Unix seconds. */
  from: number;
  /**
   * By flow metric and selector: the sums of what days add (`DAY_ADDENDS`), or of their values, added up in the order of
   * days. Those without anything but zeros are left out.
   */
  sums: Record<string, Record<string, number[]>>;
}

export interface Checkpoint {
  /** The end of a day, Unix seconds: the checkpoint includes all events before it. */
  time: number;
  /** The last event before it, whether it counts or not. */
  lastEvent: BlockTime;
  totals: Totals;
  /** The sum of all days' `coin_days_destroyed` of total, in token-days. */
  coinDaysDestroyed: number;
  openBlocks: OpenBlocks;
  /** The buckets that contain `time`, of the days before it. */
  openBuckets: Record<CalendarResolution, OpenBucket>;
}
