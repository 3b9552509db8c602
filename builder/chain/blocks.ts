/** Blocks: headers, times and finality. */

import type { Nodes } from "./nodes.ts";

export interface Block {
  number: number;
  /** 0x and 64 lower-case digits. */
  hash: string;
  parentHash: string;
  /** Unix seconds. */
  time: number;
}

/** @throws {Failure} no node has the block */
export declare function readBlock(nodes: Nodes, number: number): Promise<Block>;

/** Headers, in batches, in the order of `numbers`. */
export declare function readBlocks(nodes: Nodes, numbers: readonly number[]): Promise<Block[]>;

/**
 * The last final block: that of the tag `finalized`, or `confirmations` blocks below the head.
 *
 * @throws {Failure} the chain has no tag `finalized` (says to use --confirmations)
 */
export declare function finalizedBlock(nodes: Nodes, confirmations?: number): Promise<Block>;

/** The first block of [first, last] with a time at or after each of `times`; undefined after the last one. */
export declare function firstBlocksAt(
  nodes: Nodes,
  times: readonly number[],
  range: { first: Block; last: Block },
): Promise<(Block | undefined)[]>;
