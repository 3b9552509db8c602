/**
 * At which block states are read: the last final one, or, where that is so far below the head that ordinary nodes have
 * dropped its state, a newer one. What was read there counts only if the block is still the chain's afterwards.
 * Source: docs/chain.md#the-check.
 */

import { type Block, finalizedBlock, hashesAt, newestBlock, readBlock, readHeads } from "../blocks.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";

/** A block whose state nodes should have. */
export interface StateBlock extends Block {
  /** The last final block when it was chosen: what is above is not written anywhere. */
  final: number;
}

/** Blocks above one that is not final: reorganisations are rarely deeper, and chains with fast blocks drop states in seconds. */
const BLOCKS_ABOVE = 16;
/** Full nodes have the states of 128 blocks: below so many, one vanishes while it is read. */
const BLOCKS_KEPT = 100;

/** Nodes that have not had the state of a final block. */
const forgetful = new WeakSet<Nodes>();

/**
 * The last final block; where its state is gone, a newer one.
 *
 * @param known a block that was final
 * @param gone a block whose state no node has had: the next one is not below it
 */
export function stateBlock(
  nodes: Nodes,
  confirmations: number | undefined,
  known = 0,
  gone?: number,
): Promise<StateBlock> {
  const key = JSON.stringify(["state block", confirmations, known, gone]);
  return nodes.known.inOneTurn(key, () => chooseBlock(nodes, confirmations, known, gone));
}

async function chooseBlock(
  nodes: Nodes,
  confirmations: number | undefined,
  known: number,
  gone: number | undefined,
): Promise<StateBlock> {
  const final = await finalizedBlock(nodes, confirmations, known, gone !== undefined);
  const atFinal = { ...final, final: final.number };
  if (gone === undefined && !forgetful.has(nodes)) return atFinal;
  const head = Math.max(...(await readHeads(nodes)));
  // It may have moved on, as on chains that finalise their blocks within minutes.
  if (final.number > (gone ?? -1) && head - final.number < BLOCKS_KEPT) return atFinal;
  forgetful.add(nodes);
  const newer = Math.max(head - BLOCKS_ABOVE, gone ?? 0);
  return newer > final.number ? { ...(await readBlock(nodes, newer)), final: final.number } : atFinal;
}

/**
 * The block at which contracts are asked for what does not change, and for proposals: the last final one; a newer one
 * where its state is gone; the newest one if nobody has asked which is final.
 *
 * @param gone a block whose state no node has had
 */
export async function usualBlock(nodes: Nodes, gone?: number): Promise<number> {
  const { lastFinal } = nodes.known;
  if (!lastFinal) return (await newestBlock(nodes)).number;
  if (gone !== undefined) forgetful.add(nodes);
  if (!forgetful.has(nodes)) return lastFinal.number;
  return Math.max(lastFinal.number, Math.max(...(await readHeads(nodes))) - BLOCKS_ABOVE);
}

/** Whether a block that was not final is still the chain's, by all nodes. */
export async function isStillThere(nodes: Nodes, { number, hash, final }: StateBlock): Promise<boolean> {
  if (number <= final) return true;
  try {
    const found = await nodes.known.inOneTurn(`hashes of ${number}`, () => hashesAt(nodes, number));
    return found.every((one) => one.hash === hash);
  } catch (error) {
    // The chain is shorter now.
    if (error instanceof NodeFailure && (error.kind === "unusable" || error.kind === "behind")) return false;
    throw error;
  }
}

/** Blocks to try before what needs a state is given up: it may vanish, or the block be replaced, while it is read. */
export const BLOCKS_TRIED = 6;
