import type { Overdraft } from "../../engine/overdraft.ts";

/** What is known of a replayed partition. */
export interface PartitionFacts {
  /** The number of addresses with a balance at the end, and the sum of their balances, raw. */
  holders: number;
  supply: bigint;
  /** Distinct addresses of the events. */
  addresses: number;
  /** 32-bit words of each balance of `closing`, and how many of them the largest needs. */
  words: number;
  wordsInUse: number;
  /** The first overdraft: the events after it were not replayed. */
  overdraft: Overdraft | undefined;
}
