/**
 * Whether the times in logs can be believed. Balances don't tell a wrong time, but it would move transfers to other days and
 * prices to other hours. Once one is wrong, everything of a fetch gets the times of headers. Source: docs/chain.md#events.
 */

import { isoTime } from "../../../data-schema/text.ts";
import { type Block, readBlocks, readBlocksNow } from "../chain/blocks.ts";
import type { LogSource } from "../chain/logs/pages.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { type LoggedBlock, type ReplacedBlock, replacedBlock } from "./log-hashes.ts";

/** Headers that are asked for together. */
const AT_ONCE = 1_000;

export class LogTimes {
  readonly #note: (text: string) => void;
  #areWrong = false;

  /** @param note tells the user */
  constructor(note: (text: string) => void = () => {}) {
    this.#note = note;
  }

  get areWrong(): boolean {
    return this.#areWrong;
  }

  /**
   * Compares what logs say with a header.
   *
   * @param said Unix seconds; 0 where logs don't say
   * @param sender host or portal, for the notice
   */
  compare({ number, time }: Pick<Block, "number" | "time">, said: number, sender: string): void {
    if (said === 0 || said === time || this.#areWrong) return;
    this.#areWrong = true;
    this.#note(
      `Logs of ${sender} have wrong times: those of block ${number} say ${timeText(said)}, its header ${isoTime(time)}. ` +
        "All files and prices of this fetch get the times of headers.",
    );
  }
}

/** Who sent logs, for notices. */
export const senderOf = (source: LogSource["name"], { hosts }: Nodes): string =>
  source === "portal" ? "SQD's portal" : hosts.join(", ");

/** A node may say anything. */
const timeText = (seconds: number) => (Math.abs(seconds) < 1e11 ? isoTime(seconds) : String(seconds));

/** The times of blocks by their headers, Unix seconds. */
export async function timesOfHeaders(nodes: Nodes, numbers: readonly number[]): Promise<Map<number, number>> {
  const times = new Map<number, number>();
  for (let first = 0; first < numbers.length; first += AT_ONCE) {
    for (const { number, time } of await readBlocks(nodes, numbers.slice(first, first + AT_ONCE)))
      times.set(number, time);
  }
  return times;
}

/** Blocks of a stream, at least, if it has so many; at most twice as many. A wrong time is rarely alone. */
const SAMPLED = 16;

/** Blocks with their times, spread evenly over all that are added; and those whose time is before that of an earlier block. */
export class TimeSample {
  #times = new Map<number, number>();
  readonly #disordered = new Map<number, number>();
  #every = 1;
  #passed = 0;
  #last = { block: -1, time: 0 };

  /** @param block not below the one before */
  add(block: number, time: number): void {
    const last = this.#last;
    if (block === last.block) return;
    if (time < last.time && this.#disordered.size < SAMPLED)
      this.#disordered.set(last.block, last.time).set(block, time);
    this.#last = { block, time };
    if (this.#passed++ % this.#every === 0) this.#times.set(block, time);
    if (this.#times.size < 2 * SAMPLED) return;
    this.#times = new Map([...this.#times].filter((_, index) => index % 2 === 0));
    this.#every *= 2;
  }

  /**
   * Compares the sample with headers, and what logs say of the hashes of blocks.
   *
   * @param logged ascending
   * @returns the first block that has been replaced
   */
  async compare(
    nodes: Nodes,
    logTimes: LogTimes,
    sender: string,
    logged: readonly LoggedBlock[],
  ): Promise<ReplacedBlock | undefined> {
    const said = new Map([...this.#disordered, ...this.#times]);
    const numbers = new Set([...said.keys(), ...logged.map(({ number }) => number)]);
    const headers = await (logged.length > 0 ? readBlocksNow : readBlocks)(nodes, [...numbers]);
    const replaced = replacedBlock(logged, headers);
    if (replaced) return replaced;
    for (const header of headers) logTimes.compare(header, said.get(header.number) ?? 0, sender);
    return undefined;
  }
}
