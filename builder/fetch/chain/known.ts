/**
 * What a run has learned of a chain. Assets that are fetched together ask for most of it only once: days begin at the same
 * blocks, and what is final stays as it is.
 */

export interface Block {
  number: number;
  /** 0x and 64 lower-case digits. */
  hash: string;
  parentHash: string;
  /** Unix seconds. */
  time: number;
}

/** Nodes without archives forget the state of a block after minutes: the last final one is looked up again after this time. */
const FINAL_IS_FRESH_MS = 30_000;

/** Some 200 bytes each. */
const MOST_HEADERS = 20_000;

export class KnownChain {
  readonly #headers = new Map<number, Promise<Block>>();
  /** By the confirmations that it needs; undefined where the chain says. */
  readonly #final = new Map<number | undefined, { block: Promise<Block>; at: number }>();
  /** Highest number of a block that was final. */
  #finalTo = -1;
  readonly #constants = new Map<string, Promise<string>>();
  /** The last block of each node, when it was last asked. */
  readonly heads = new Map<number, number>();
  readonly #asked = new Map<number, Promise<number>>();
  /** The blocks that each node says it takes in a page. */
  readonly widestPages = new Map<number, number>();
  /** Blocks of which all nodes have said the same. */
  readonly compared = new Set<number>();

  /**
   * The last final block.
   *
   * @param confirmations blocks that it has above it; undefined if the chain says which are final
   * @param read asks the nodes
   * @param isFresh asks them anyhow
   */
  async final(confirmations: number | undefined, read: () => Promise<Block>, isFresh: boolean): Promise<Block> {
    let final = this.#final.get(confirmations);
    if (isFresh || !final || Date.now() - final.at > FINAL_IS_FRESH_MS) {
      const asked = { block: read(), at: Date.now() };
      final = asked;
      this.#final.set(confirmations, asked);
      asked.block.catch(() => {
        if (this.#final.get(confirmations) === asked) this.#final.delete(confirmations);
      });
    }
    const block = await final.block;
    this.#finalTo = Math.max(this.#finalTo, block.number);
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
      this.#keep(number, block);
    }
    return Promise.all(numbers.map((number) => found.get(number)!));
  }

  /**
   * Asks a node for its last block, once for all who want to know at the same time.
   *
   * @param signal ends the waiting of this one alone
   */
  async head(node: number, read: () => Promise<number>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const asked = this.#asked.get(node) ?? read().finally(() => this.#asked.delete(node));
    this.#asked.set(node, asked);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    this.heads.set(node, await Promise.race([asked, aborted]));
  }

  /** What a contract always answers. @param ask is called once for each key, unless it fails */
  constant(key: string, ask: () => Promise<string>): Promise<string> {
    const answer = this.#constants.get(key) ?? ask();
    this.#constants.set(key, answer);
    answer.catch(() => this.#constants.delete(key));
    return answer;
  }

  /** Others may ask for it while it is on its way, whether it is final or not. */
  #keep(number: number, block: Promise<Block>): void {
    this.#headers.set(number, block);
    const forget = () => {
      if (this.#headers.get(number) === block) this.#headers.delete(number);
    };
    block.then(() => number > this.#finalTo && forget(), forget);
    for (const oldest of this.#headers.keys()) {
      if (this.#headers.size <= MOST_HEADERS) break;
      this.#headers.delete(oldest);
    }
  }
}
