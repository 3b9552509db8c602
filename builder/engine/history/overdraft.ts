/** A transfer or burn of more than its sender has: the history before it is incomplete or wrong. */

import { Failure } from "../../lib/failure.ts";

export interface Overdraft {
  block: number;
  logIndex: number;
  /** `0x…`, in lower case. */
  sender: string;
  /** Raw, as what follows. */
  value: bigint;
  /** What the sender has, exactly. */
  balance: bigint;
}

/** @throws {Failure} the first overdraft in event order, if there is one */
export function refuseOverdrafts(overdrafts: readonly Overdraft[]): void {
  const [first] = overdrafts.toSorted((a, b) => a.block - b.block || a.logIndex - b.logIndex);
  if (!first) return;
  const { block, logIndex, sender, value, balance } = first;
  throw new Failure(
    `Block ${block}, log index ${logIndex}: ${sender} sends ${value} but has ${balance} (raw units). ` +
      "Check the transfers up to this one: some are missing or wrong.",
  );
}
