/** The rounds that an aggregator of a Chainlink feed has answered. Their numbers have no gaps, unless a round got no answer. */

import type { Facts } from "./pool.ts";
import type { PoolChange } from "./pool-events.ts";

/** Rounds without an event, first and last, both inclusive. */
export type RoundGap = readonly [first: bigint, last: bigint];

export class Rounds {
  /** 0 before the first. */
  #round = 0n;
  #answer = 0n;
  #updated = 0;
  /** The first round of all, if no earlier state is known: the one before must be older than what was read. */
  first: bigint | undefined;
  readonly gaps: RoundGap[] = [];

  apply(change: PoolChange, time: number): string | undefined {
    if (change.kind !== "answer") return undefined;
    const { round, answer } = change;
    if (this.#round === 0n) this.first = round;
    else if (round <= this.#round) return `the round ${round} comes after ${this.#round}`;
    else if (round > this.#round + 1n) this.gaps.push([this.#round + 1n, round - 1n]);
    [this.#round, this.#answer, this.#updated] = [round, answer, time];
    return undefined;
  }

  get facts(): Facts {
    return { round: this.#round, answer: this.#answer, updated: BigInt(this.#updated) };
  }

  restore({ round = 0n, answer = 0n, updated = 0n }: Facts): void {
    [this.#round, this.#answer, this.#updated] = [round, answer, Number(updated)];
  }
}
