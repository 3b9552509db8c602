/** What the engine refuses, in words for whoever builds. */

import type { Overdraft } from "../../engine/history.ts";
import { EngineRefusal, type RefusalCause } from "../../engine/refusal.ts";
import { Failure } from "../../lib/failure.ts";

const SENTENCES: { [K in RefusalCause["kind"]]: (refusal: Extract<RefusalCause, { kind: K }>) => string } = {
  memory: ({ of }) =>
    of === "partition"
      ? "A thread's partition of the addresses needs more than 4 GB of memory. Build with more --threads."
      : "The block series of one month need more than 4 GB of memory. Leave the resolution block out of the asset file.",
  overflow: ({ metric }) =>
    `${metric} is too large for a 64-bit float. Check decimals in the asset file, and the prices.`,
};

/** Does what the engine may refuse. @throws {Failure} in place of its refusal */
export async function inWords<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    const sentence = SENTENCES[error.refusal.kind] as (refusal: RefusalCause) => string;
    throw new Failure(sentence(error.refusal), { cause: error });
  }
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
