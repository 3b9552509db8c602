/** Whether nodes still have the state of a block. */

import { quantity } from "../hex.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { NodeError } from "../rpc/failures.ts";

/** No node keeps the state of the block. */
export class StateUnavailable extends Error {
  override name = "StateUnavailable";
}

/** Attempts at a node that is asked too often. */
const ATTEMPTS = 3;

/**
 * Whether a node has the state of a block. Nodes say that they lack it in many words, so a question tells that every
 * node can answer. "unknown": it does not even answer for its latest block.
 */
export async function stateAt(nodes: Nodes, node: number, block: number): Promise<"present" | "gone" | "unknown"> {
  const asks = async (tag: string) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return typeof (await nodes.attempt(node, "eth_getCode", [`0x${"0".repeat(40)}`, tag])) === "string";
      } catch (error) {
        if (!(error instanceof NodeError || error instanceof NodeFailure)) throw error;
        const isLimit = error instanceof NodeError && error.kind === "rate";
        if (!isLimit || attempt === ATTEMPTS) return false;
      }
    }
  };
  if (await asks(quantity(block))) return "present";
  return (await asks("latest")) ? "gone" : "unknown";
}

/**
 * @param node the only one that matters
 * @throws {StateUnavailable} all nodes that take part lack the state
 */
export async function checkStateIsKept(nodes: Nodes, block: number, node?: number): Promise<void> {
  const asked = node === undefined ? nodes.active : [node];
  const states = await Promise.all(asked.map((one) => stateAt(nodes, one, block)));
  if (states.every((state) => state === "gone")) throw stateUnavailable(block);
}

export const stateUnavailable = (block: number) => new StateUnavailable(`No node has the state of block ${block}.`);
