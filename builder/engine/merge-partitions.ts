/** Merges the replays of all partitions: checks that their balances are consistent, and adds up their holdings. */

import { Failure } from "../failure.ts";
import { toBigInt } from "./amounts.ts";
import { roundHoldings, sumHoldings } from "./holdings.ts";
import type { Overdraft, PartitionReplay } from "./replay.ts";
import type { Timeline } from "./timeline.ts";

/**
 * The holdings at the close of each day, `DAY_WIDTH` numbers a day.
 *
 * @throws as `checkReplays`
 */
export function mergePartitions(timeline: Timeline, replays: readonly PartitionReplay[]): Float64Array {
  checkReplays(timeline, replays);
  return roundHoldings(sumHoldings(replays.map(({ holdings }) => holdings)), timeline.parameters.decimals);
}

/**
 * Checks that no address sent more than it had, and that all balances add up to the supply.
 *
 * @throws {Failure} the first overdraft in event order, with block, log index, address, balance and value
 * @throws {Error} the balances are not minted − burned to the last unit: a bug in the engine
 */
export function checkReplays(timeline: Timeline, replays: readonly PartitionReplay[]): void {
  const [first] = replays.flatMap(({ overdraft }) => overdraft ?? []).sort((a, b) => a.row - b.row);
  if (first) throw overdraftFailure(timeline, first);
  const held = replays.reduce((sum, { supply }) => sum + supply, 0n);
  const { minted, burned } = timeline.totals;
  if (held !== minted - burned) throw new Error(`balances sum up to ${held}, but the supply is ${minted - burned}`);
}

function overdraftFailure({ history }: Timeline, { row, balance }: Overdraft): Failure {
  const { block, logIndex, from, addresses, values, valueWords } = history;
  const address = Buffer.from(addresses.subarray(20 * from[row]!, 20 * from[row]! + 20)).toString("hex");
  return new Failure(
    `Block ${block[row]}, log index ${logIndex[row]}: 0x${address} sends ` +
      `${toBigInt(values, row * valueWords, valueWords)} but has ${balance} (raw units). ` +
      "Check the transfers up to this one: some are missing or wrong.",
  );
}
