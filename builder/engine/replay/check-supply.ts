import type { Outline } from "../history/outline.ts";
import type { PartitionEnd } from "./replay.ts";

/**
 * Checks that the balances of all partitions add up to the supply.
 *
 * @throws {Error} they are not minted − burned to the last unit: a bug in the engine
 */
export function checkSupply(
  { totals: { minted, burned } }: Pick<Outline, "totals">,
  partitions: readonly Pick<PartitionEnd, "supply">[],
): void {
  const held = partitions.reduce((sum, { supply }) => sum + supply, 0n);
  if (held !== minted - burned) throw new Error(`balances sum up to ${held}, but the supply is ${minted - burned}`);
}
