/** Merges the replays of all partitions: checks that their balances are consistent, and adds up their holdings. */

import { roundHoldings, sumHoldings } from "./holdings.ts";
import type { Outline } from "./outline.ts";
import { type Overdraft, refuseOverdrafts } from "./overdraft.ts";
import type { PartitionEnd } from "./replay.ts";

/**
 * The holdings at the close of each day, `DAY_WIDTH` numbers a day.
 *
 * @throws as `checkReplays`
 */
export function mergePartitions(
  outline: Outline,
  replays: readonly (PartitionEnd & { overdraft: Overdraft | undefined })[],
): Float64Array {
  checkReplays(outline, replays);
  return roundHoldings(sumHoldings(replays.map(({ holdings }) => holdings)), outline.parameters.decimals);
}

/**
 * Checks that no address sent more than it had, and that all balances add up to the supply.
 *
 * @throws as `refuseOverdrafts` and `checkSupply`
 */
export function checkReplays(
  outline: Outline,
  replays: readonly (Pick<PartitionEnd, "supply"> & { overdraft: Overdraft | undefined })[],
): void {
  refuseOverdrafts(replays.flatMap(({ overdraft }) => overdraft ?? []));
  checkSupply(outline, replays);
}

/** @throws {Error} the balances are not minted − burned to the last unit: a bug in the engine */
export function checkSupply(
  { totals: { minted, burned } }: Pick<Outline, "totals">,
  partitions: readonly Pick<PartitionEnd, "supply">[],
): void {
  const held = partitions.reduce((sum, { supply }) => sum + supply, 0n);
  if (held !== minted - burned) throw new Error(`balances sum up to ${held}, but the supply is ${minted - burned}`);
}
