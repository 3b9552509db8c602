/** The replay of all lots of a history, and the CPU time that it takes. */

import { LotReplay, type LotTerms } from "../../builder/engine/lots.ts";
import { type EventChunk, Partition } from "../../builder/engine/replay.ts";

/** What sends take: how many of them take pieces, how many these are, the most that one takes, and the seconds of CPU time of the replay. */
export type TakenLots = Record<"sends" | "pieces" | "mostPieces" | "seconds", number>;

/** Lots that are told at once. */
const PART_LOTS = 65_536;

/** Has all addresses in one partition, and drops the books. */
export class TimedLots {
  readonly #replay: LotReplay;
  readonly #addresses: number;

  /** @param others exchanges and contracts */
  constructor(terms: LotTerms, others: Iterable<number> = []) {
    this.#replay = new LotReplay(new Partition(0, 1), terms, () => {});
    this.#addresses = terms.addresses;
    for (const address of others) this.#replay.setOther(address);
  }

  take(chunks: Iterable<EventChunk>): TakenLots {
    const taken = { sends: 0, pieces: 0, mostPieces: 0, seconds: 0 };
    for (const chunk of chunks) {
      const began = process.threadCpuUsage();
      const { events } = this.#replay.replay(chunk);
      const { user, system } = process.threadCpuUsage(began);
      taken.seconds += (user + system) / 1e6;
      for (let first = 0, end = 0; first < events.length; first = end) {
        while (end < events.length && events[end] === events[first]) end++;
        taken.sends++;
        taken.mostPieces = Math.max(taken.mostPieces, end - first);
      }
      taken.pieces += events.length;
    }
    return taken;
  }

  /** The lots that are held, and how many addresses hold them. */
  held(): Record<"lots" | "holders", number> {
    const addresses = Uint32Array.from({ length: this.#addresses }, (_, address) => address);
    const held = { lots: 0, holders: 0 };
    for (const { owners } of this.#replay.lotsOf(addresses, PART_LOTS)) {
      held.lots += owners.length;
      held.holders += new Set(owners).size;
    }
    return held;
  }
}
