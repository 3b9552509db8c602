/** When a contract was created. */

import { readBlock } from "../blocks.ts";
import { isBytes } from "../hex.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { askAt } from "./at-block.ts";
import { StateUnavailable } from "./kept-states.ts";
import { runAnywhere } from "./run.ts";
import { CODE_READER } from "./scanner.ts";

/**
 * @param node index in `nodes.hosts` of the only node to ask
 * @returns code in hexadecimal; `0x` where there is none
 */
export async function codeAt(nodes: Nodes, address: string, block: number, node?: number): Promise<string> {
  const header = await readBlock(nodes, block);
  const scanned = await runAnywhere(nodes, { scanner: CODE_READER, data: address, header }, () => true, node);
  if (scanned !== undefined) return scanned;
  const options = { accept: isBytes, ...(node !== undefined && { node }) };
  return (await askAt(nodes, "eth_getCode", (tag) => [address, tag], header, options)) as string;
}

/**
 * The block in which a contract was created, found by bisection.
 *
 * @param final a block at which it has code
 * @returns undefined if the nodes do not keep old states
 */
export async function findFirstBlock(nodes: Nodes, address: string, final: number): Promise<number | undefined> {
  // The contract has code at `high`, and none at `low`.
  let [low, high] = [-1, final];
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    const hasCode = await ifKept(async () => (await codeAt(nodes, address, middle)) !== "0x");
    if (hasCode === undefined) return undefined;
    if (hasCode) high = middle;
    else low = middle;
  }
  return high;
}

/** What needs an old state; undefined if no node keeps it. */
export async function ifKept<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StateUnavailable) return undefined;
    if (error instanceof NodeFailure && STATE_IS_GONE.has(error.kind)) return undefined;
    throw error;
  }
}

/** Nodes have many words for it. */
const STATE_IS_GONE = new Set(["pruned", "behind", "refused", "invalid"]);
