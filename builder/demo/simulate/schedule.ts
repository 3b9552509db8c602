/** When transfers happen: Ethereum's blocks, and the rhythm of days and weeks. */

import type { Random } from "./random.ts";

/** Ethereum's slots since the Merge: a block every 12 s. */
const SLOT_SECONDS = 12;
const SLOTS_PER_HOUR = 3600 / SLOT_SECONDS;

/** The first block of proof of stake, and its time. Blocks before it are numbered as if they had been as regular. */
const MERGE = { block: 15_537_394, timestamp: 1_663_224_179 };

/** Relative activity by hour of the day (UTC). It peaks in Asia's evening, Europe's afternoon and America's morning. */
const HOUR_RHYTHM = [
  0.9, 0.88, 0.85, 0.82, 0.8, 0.8, 0.82, 0.88, 0.95, 1, 1.02, 1.05, 1.1, 1.2, 1.3, 1.35, 1.32, 1.25, 1.15, 1.1, 1.05, 1,
  0.95, 0.92,
] as const;

/** Relative activity by day of the week, Sunday first. */
const WEEKDAY_RHYTHM = [0.75, 1.05, 1.1, 1.1, 1.08, 1.05, 0.82] as const;

/** Share of transfers in the same block as the previous one: many calls move a token more than once. */
const SAME_BLOCK = 0.25;

/** Transfers of one block. */
export interface BlockTransfers {
  block: number;
  /** Unix seconds. */
  timestamp: number;
  /** Hours since the start. */
  hour: number;
  transfers: number;
}

/** Hours after the start of the first mint. */
const FIRST_HOUR = 9;

/**
 * Spreads transfers over the hours in proportion to activity and rhythm, exactly `transfers` in all; none before the first
 * hour, which has `first` more than its part.
 */
export function spread(
  transfers: number,
  start: number,
  first: number,
  activity: Float64Array,
  random: Random,
): Uint32Array {
  const hours = activity.length;
  const cumulative = new Float64Array(hours);
  let total = 0;
  let noise = 1;
  for (let hour = 0; hour < hours; hour++) {
    if (hour % 24 === 0) noise = 0.8 + 0.4 * random.unit();
    const weekday = new Date((start + hour * 3600) * 1000).getUTCDay();
    const weight = activity[hour]! * HOUR_RHYTHM[hour % 24]! * WEEKDAY_RHYTHM[weekday]! * noise;
    if (hour >= FIRST_HOUR) total += weight;
    cumulative[hour] = total;
  }
  // Rounds the running total, not each hour: so the counts add up.
  let before = 0;
  return Uint32Array.from(cumulative, (sum) => {
    const until = sum === 0 ? 0 : first + Math.round((sum / total) * (transfers - first));
    const count = until - before;
    before = until;
    return count;
  });
}

/**
 * The blocks with transfers, in order. Always yields the same object, with other values.
 *
 * @param transfers of each hour
 */
export function* blocks(start: number, transfers: Uint32Array, random: Random): Generator<BlockTransfers> {
  const slots = new Uint32Array(SLOTS_PER_HOUR);
  const block: BlockTransfers = { block: 0, timestamp: 0, hour: 0, transfers: 0 };
  // Slots have the same phase as since the Merge.
  const phase = (((MERGE.timestamp - start) % SLOT_SECONDS) + SLOT_SECONDS) % SLOT_SECONDS;
  for (const [hour, count] of transfers.entries()) {
    if (count === 0) continue;
    slots.fill(0);
    let slot = 0;
    for (let transfer = 0; transfer < count; transfer++) {
      if (transfer === 0 || !random.chance(SAME_BLOCK)) slot = random.below(SLOTS_PER_HOUR);
      slots[slot]!++;
    }
    block.hour = hour;
    for (let slot = 0; slot < SLOTS_PER_HOUR; slot++) {
      if (slots[slot] === 0) continue;
      block.timestamp = start + hour * 3600 + slot * SLOT_SECONDS + phase;
      block.block = MERGE.block + (block.timestamp - MERGE.timestamp) / SLOT_SECONDS;
      block.transfers = slots[slot]!;
      yield block;
    }
  }
}
