/**
 * Questions about the state of a block that no scanner answers. A block is named by its hash (EIP-1898): a node that has
 * another block there refuses. What a node that takes no hashes answers by number, nothing proves.
 */

import { quantity } from "../hex.ts";
import type { Block } from "../nodes/known.ts";
import { type CallOptions, NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { NodeError } from "../rpc/failures.ts";
import { sentence } from "../rpc/node-sentences.ts";

export const byHash = ({ hash }: Block) => ({ blockHash: hash });
export const byNumber = ({ number }: Block) => quantity(number);

/** Whether each node takes hashes, as far as it was asked. */
const hashes = new WeakMap<Nodes, Map<number, boolean>>();

/**
 * Whether a node takes hashes of blocks.
 *
 * @throws {NodeError} `stale`: it does, but does not have this one
 */
export async function takesHashes(nodes: Nodes, node: number, header: Block): Promise<boolean> {
  const known = hashes.get(nodes) ?? new Map<number, boolean>();
  hashes.set(nodes, known);
  const before = known.get(node);
  if (before !== undefined) return before;
  try {
    await nodes.attempt(node, "eth_getCode", [`0x${"0".repeat(40)}`, byHash(header)]);
    known.set(node, true);
    return true;
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof NodeFailure)) throw error;
    if (error.kind === "behind") throw withoutBlock(header);
    if (error.kind === "invalid" || error.kind === "refused") known.set(node, false);
    return false;
  }
}

export const withoutBlock = ({ number, hash }: Block) =>
  new NodeError("stale", `it does not have block ${number}, ${hash}`);

/**
 * Makes one call at a block.
 *
 * @param paramsAt the call's parameters for a block
 * @throws {NodeFailure} as `Nodes.ask`
 */
export async function askAt(
  nodes: Nodes,
  method: string,
  paramsAt: (tag: unknown) => readonly unknown[],
  header: Block,
  options: CallOptions,
): Promise<unknown> {
  const asked = options.node === undefined ? nodes.active : [options.node];
  const able = await Promise.all(asked.map((node) => takesHashes(nodes, node, header).catch(isStale)));
  if (!able.includes(true)) return nodes.ask(method, paramsAt(byNumber(header)), options);
  try {
    return await nodes.ask(method, paramsAt(byHash(header)), { attempts: asked.length + 2, ...options });
  } catch (error) {
    if (!(error instanceof NodeFailure) || error.kind !== "behind") throw error;
    const reason = withoutBlock(header);
    throw new NodeFailure(reason, sentence(asked.map((node) => nodes.hosts[node]).join(", "), reason));
  }
}

/** One that has stopped does take hashes. */
function isStale(error: unknown): boolean {
  if (error instanceof NodeError) return true;
  throw error;
}
