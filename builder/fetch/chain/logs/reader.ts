/** What reading logs learns of one node: how large its pages may be, how many at once, and which blocks it has. */

import type { KnownChain } from "../nodes/known.ts";
import { PageSize } from "./page-size.ts";
import type { BlockRange } from "./pages.ts";

/** Pages in flight of a node, at most. */
export const IN_FLIGHT_A_NODE = 4;

/** A head is asked for again when it is this old, in milliseconds. */
const HEAD_IS_FRESH_MS = 1000;

export class Reader {
  readonly node: number;
  readonly size: PageSize;
  /** Pages in flight, and at most. */
  busy = 0;
  most = 2;
  /** The node does not keep logs of blocks before. */
  keptFrom = 0;
  readonly #known: KnownChain;
  #headReadAt = Number.NEGATIVE_INFINITY;
  #isReadingHead = false;
  /** Successes since the last change of `most`. */
  #streak = 0;

  /**
   * @param node its number among the nodes
   * @param firstPage blocks of the first page, if it is known how many have few enough logs
   */
  constructor(node: number, firstPage: number | undefined, known: KnownChain) {
    this.node = node;
    this.#known = known;
    this.size = new PageSize(firstPage, known.widestPages.get(node));
  }

  /** The blocks that it can be asked for. */
  get reach() {
    return { node: this.node, from: this.keptFrom, to: this.head, blocks: this.size.blocks };
  }

  /** Its last block; -1 before it is known. */
  get head(): number {
    return this.#known.heads.get(this.node) ?? -1;
  }

  canRead({ from, to }: BlockRange): boolean {
    return this.head >= from && this.keptFrom <= to;
  }

  speedUp(): void {
    if (++this.#streak < 2 * this.most) return;
    this.#streak = 0;
    this.most = Math.min(IN_FLIGHT_A_NODE, this.most + 1);
  }

  slowDown(): void {
    this.#streak = 0;
    this.most = Math.max(1, Math.floor(this.most / 2));
  }

  /** Whether it is not known to have a block, and has not been asked just now. */
  needsHead(last: number): boolean {
    const isKnown = this.head >= last || Date.now() - this.#headReadAt < HEAD_IS_FRESH_MS;
    return !isKnown && !this.#isReadingHead;
  }

  async updateHead(read: () => Promise<number>, signal: AbortSignal): Promise<void> {
    this.#isReadingHead = true;
    try {
      await this.#known.head(this.node, read, signal);
    } finally {
      this.#headReadAt = Date.now();
      this.#isReadingHead = false;
    }
  }

  forgetHead(): void {
    this.#known.heads.delete(this.node);
    this.#headReadAt = Number.NEGATIVE_INFINITY;
  }
}
