/** The block at which init looks at a contract: one whose state a node has. */

import type { Nodes } from "../chain/nodes/nodes.ts";
import { codeAt, ifKept } from "../chain/scan/creation.ts";
import { BLOCKS_TRIED, isStillThere, type StateBlock, stateBlock } from "../chain/scan/state-block.ts";

/** The last final block; a newer one where no node has its state. */
export async function readableBlock(nodes: Nodes, address: string, confirmations?: number): Promise<StateBlock> {
  let block = await stateBlock(nodes, confirmations);
  for (let tried = 1; tried < BLOCKS_TRIED; tried++) {
    if ((await ifKept(() => codeAt(nodes, address, block.number))) !== undefined) break;
    block = await stateBlock(nodes, confirmations, 0, block.number);
  }
  return block;
}

/** What logs and states say at such a block; again at another one if it was replaced meanwhile. */
export async function atReadableBlock<T>(
  nodes: Nodes,
  address: string,
  confirmations: number | undefined,
  read: (block: StateBlock) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    const block = await readableBlock(nodes, address, confirmations);
    const [outcome] = await Promise.allSettled([read(block)]);
    if (tried < BLOCKS_TRIED && !(await isStillThere(nodes, block))) continue;
    if (outcome.status === "fulfilled") return outcome.value;
    throw outcome.reason;
  }
}
