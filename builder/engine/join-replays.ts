/** The parts of a replay put together: whether their events add up, and what all of them hold. */

import { Failure } from "../failure.ts";
import { toBigInt } from "./amounts.ts";
import { roundHoldings, sumHoldings } from "./holdings.ts";
import type { Overdraft, PartReplay } from "./replay.ts";
import type { Timeline } from "./timeline.ts";

/**
 * What is held at the close of each day, `DAY_WIDTH` numbers a day.
 *
 * @throws as `checkReplays`
 */
export function joinReplays(timeline: Timeline, replays: readonly PartReplay[]): Float64Array {
  checkReplays(timeline, replays);
  return roundHoldings(sumHoldings(replays.map(({ holdings }) => holdings)), timeline.terms.decimals);
}

/**
 * Stops where the events do not add up: at the first transfer or burn, in event order, of more than its sender has.
 *
 * @throws {Failure} naming block, log index, address, balance and value
 * @throws {Error} the balances are not minted − burned to the last unit: the engine is wrong
 */
export function checkReplays(timeline: Timeline, replays: readonly PartReplay[]): void {
  const [first] = replays
    .flatMap(({ overdraft }): Overdraft[] => (overdraft ? [overdraft] : []))
    .sort((a, b) => a.row - b.row);
  if (first) throw overdraftFailure(timeline, first);
  const held = replays.reduce((sum, { supply }) => sum + supply, 0n);
  const { minted, burned } = timeline.totals;
  if (held !== minted - burned) throw new Error(`balances sum up to ${held}, but the supply is ${minted - burned}`);
}

function overdraftFailure({ history }: Timeline, { row, balance }: Overdraft): Failure {
  const { block, logIndex, from, addresses, values, valueWords } = history;
  const address = Buffer.from(addresses.subarray(20 * from[row], 20 * from[row] + 20)).toString("hex");
  return new Failure(
    `Block ${block[row]}, log index ${logIndex[row]}: 0x${address} sends ` +
      `${toBigInt(values, row * valueWords, valueWords)} but has ${balance} (raw units): ` +
      "the transfers before it are incomplete, or some are wrong.",
  );
}
