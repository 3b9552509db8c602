/**
 * Whether logs are of the chain's blocks. A node may answer from blocks that have been replaced, or they are replaced while
 * logs are read: their hashes tell. Source: docs/chain.md#resume.
 */

import type { Block } from "../chain/blocks.ts";
import type { BlockRange, RawLog } from "../chain/logs/pages.ts";

/** Blocks of a file whose hashes are compared, at most. The newest one is always among them. */
const COMPARED = 16;

/** Some 200 bytes each: of more pages, every other one. */
const KEPT = 20_000;

/** Readings of blocks that have been replaced meanwhile. */
export const READINGS = 3;

/** A block with logs, and its hash by them: lower-case. */
export interface LoggedBlock {
  number: number;
  hash: string;
}

/** The newest block of a page's logs; undefined without logs. */
export function newestOf(logs: readonly RawLog[]): LoggedBlock | undefined {
  const last = logs.at(-1);
  return last && { number: Number(last.blockNumber), hash: last.blockHash.toLowerCase() };
}

/** The newest blocks of the pages of this run. */
export class LogHashes {
  readonly #hashes = new Map<number, string>();

  add(block: LoggedBlock | undefined): void {
    if (!block) return;
    const others = this.#hashes.size < KEPT ? [] : [...this.#hashes.keys()].filter((_, index) => index % 2 === 0);
    for (const number of others) this.#hashes.delete(number);
    this.#hashes.set(block.number, block.hash);
  }

  /** Blocks of a range, spread over it; ascending. */
  of({ from, to }: BlockRange): LoggedBlock[] {
    const there = [...this.#hashes].filter(([number]) => number >= from && number <= to).sort(([a], [b]) => b - a);
    const every = Math.ceil(there.length / COMPARED);
    return there
      .filter((_, index) => index % every === 0)
      .map(([number, hash]) => ({ number, hash }))
      .reverse();
  }

  /** The pages that end at or after a block are read again. */
  forget(from: number): void {
    for (const number of this.#hashes.keys()) if (number >= from) this.#hashes.delete(number);
  }
}

/** A block of which logs tell another hash than the chain. */
export interface ReplacedBlock {
  /** The first block after the last one that is the chain's, of those compared. */
  after: number;
  number: number;
  logged: string;
  chain: string;
}

/** @param logged ascending */
export function replacedBlock(logged: readonly LoggedBlock[], headers: readonly Block[]): ReplacedBlock | undefined {
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]));
  const index = logged.findIndex(({ number, hash }) => hashes.get(number) !== hash);
  const found = logged[index];
  if (!found) return undefined;
  const after = (logged[index - 1]?.number ?? -1) + 1;
  return { after, number: found.number, logged: found.hash, chain: hashes.get(found.number)! };
}

export function replacedText({ number, logged, chain }: ReplacedBlock, hosts: readonly string[]): string {
  return (
    `${hosts.join(", ")}: block ${number} had the hash ${logged} when it was fetched, and has ${chain} now. Blocks that were ` +
    "final have been replaced, or a node follows another fork. Nothing was changed; run this again to fetch them again."
  );
}
