/**
 * What a run has learned of a chain. Assets that are fetched together ask for most of it only once: days begin at the same
 * blocks, and what is final stays as it is.
 */

import { setImmediate } from "node:timers/promises";
import { AnswerLimit } from "./answer-limit.ts";

export interface Block {
  number: number;
  /** 0x and 64 lower-case digits. */
  hash: string;
  parentHash: string;
  /** Unix seconds. */
  time: number;
}

/** Nodes without archives forget a block's state after minutes: the last final block is looked up again after this time. */
const FINAL_IS_FRESH_MS = 30_000;

/** Some 200 bytes each. */
const MOST_HEADERS = 20_000;

export class KnownChain {
  readonly #headers = new Map<number, Promise<Block>>();
  /** By the confirmations that it needs; undefined where the chain says. */
  readonly #final = new Map<number | undefined, Promise<Block>>();
  /** When it was asked for, milliseconds. */
  readonly #finalAt = new Map<number | undefined, number>();
  /** Highest number of a block that was final. */
  #finalTo = -1;
  readonly #turn = new Map<string, Promise<unknown>>();
  readonly #constants = new Map<string, Promise<string>>();
  /** The last block of each node, when it was last asked. */
  readonly heads = new Map<number, number>();
  readonly #asked = new Map<number, Promise<number>>();
  /** The blocks that each node says it takes in a page. */
  readonly widestPages = new Map<number, number>();
  /** The contracts that each node has been found to take in a filter, and those that it has taken. */
  readonly listLimits = new Map<number, { most: number; proven: number }>();
  readonly #limits = new Map<number | "portal", AnswerLimit>();
  /** Blocks of which all nodes have said the same. */
  readonly compared = new Set<number>();
  /** What NUMBER and BLOCKHASH have turned out to mean in the calls of this chain; undefined until it shows. */
  readonly opcodes: { isNumberOwn?: boolean; tellsParent?: boolean } = {};
  /** The last block that was found to be final. */
  lastFinal: Block | undefined;

  /**
   * The last final block.
   *
   * @param confirmations blocks that it has above it; undefined if the chain says which are final
   * @param read asks the nodes
   * @param isFresh asks them anyhow
   */
  async final(confirmations: number | undefined, read: () => Promise<Block>, isFresh: boolean): Promise<Block> {
    const last = this.#final.get(confirmations);
    const isKnown =
      last !== undefined && !isFresh && Date.now() - this.#finalAt.get(confirmations)! <= FINAL_IS_FRESH_MS;
    if (!isKnown) this.#finalAt.set(confirmations, Date.now());
    const block = await (isKnown ? last : keep(this.#final, confirmations, read()));
    this.#finalTo = Math.max(this.#finalTo, block.number);
    this.lastFinal = block;
    if (!this.#headers.has(block.number)) this.#headers.set(block.number, Promise.resolve(block));
    return block;
  }

  /**
   * Headers, in the order of `numbers`. Those of final blocks are kept.
   *
   * @param read asks the nodes for those that are not known, each once
   */
  async headers(numbers: readonly number[], read: (missing: number[]) => Promise<Block[]>): Promise<Block[]> {
    const found = new Map(numbers.map((number) => [number, this.#headers.get(number)]));
    const missing = [...found].flatMap(([number, block]) => (block ? [] : [number]));
    const asked = missing.length === 0 ? Promise.resolve([]) : read(missing);
    for (const [i, number] of missing.entries()) {
      const block = asked.then((blocks) => blocks[i]!);
      found.set(number, block);
      keep(this.#headers, number, block, () => number <= this.#finalTo);
      this.#dropOldest();
    }
    return Promise.all(numbers.map((number) => found.get(number)!));
  }

  /** Headers of a range that have been read. */
  async headersOf({ from, to }: { from: number; to: number }): Promise<Block[]> {
    const asked = [...this.#headers].flatMap(([number, block]) => (number >= from && number <= to ? [block] : []));
    const found = await Promise.allSettled(asked);
    return found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }

  /** A node has answered with a block. */
  hasBlock(node: number, number: number): void {
    this.heads.set(node, Math.max(number, this.heads.get(node) ?? -1));
  }

  /**
   * Asks a node for its last block, once for all who want to know at the same time.
   *
   * @param signal ends the waiting of this one alone
   */
  async head(node: number, read: () => Promise<number>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const asked = this.#asked.get(node) ?? keep(this.#asked, node, read(), () => false);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    this.heads.set(node, await Promise.race([asked, aborted]));
  }

  /** What a contract always answers. @param ask is called once for each key, unless it fails */
  constant(key: string, ask: () => Promise<string>): Promise<string> {
    return this.#constants.get(key) ?? keep(this.#constants, key, ask());
  }

  /**
   * Asks once for all who want to know the same in the same turn of the event loop: nobody gets an answer to a question that
   * was asked before its own.
   */
  inOneTurn<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#turn.get(key) as Promise<T> | undefined;
    if (known) return known;
    const asked = setImmediate().then(() => {
      this.#turn.delete(key);
      return ask();
    });
    this.#turn.set(key, asked);
    return asked;
  }

  /** Where the answers of a node, or of the portal, end. */
  limitOf(sender: number | "portal"): AnswerLimit {
    const limit = this.#limits.get(sender) ?? new AnswerLimit();
    this.#limits.set(sender, limit);
    return limit;
  }

  #dropOldest(): void {
    for (const oldest of this.#headers.keys()) {
      if (this.#headers.size <= MOST_HEADERS) break;
      this.#headers.delete(oldest);
    }
  }
}

/**
 * Gives an answer to all who ask while it is on its way, and from then on unless it fails.
 *
 * @param isLasting whether to keep it once it is there
 */
function keep<Key, Value>(
  answers: Map<Key, Promise<Value>>,
  key: Key,
  answer: Promise<Value>,
  isLasting: () => boolean = () => true,
): Promise<Value> {
  answers.set(key, answer);
  const forget = () => {
    if (answers.get(key) === answer) answers.delete(key);
  };
  answer.then(() => isLasting() || forget(), forget);
  return answer;
}
