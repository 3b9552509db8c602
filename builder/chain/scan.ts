/** Balances and code of many addresses, in few calls. */

import type { Nodes } from "./nodes.ts";

/**
 * `balanceOf` of each address at a block, raw units.
 *
 * @param addresses 20 bytes each
 * @throws {StateUnavailable} no node has the state of the block
 */
export declare function readBalances(
  nodes: Nodes,
  contract: string,
  addresses: Uint8Array,
  block: number,
  options?: { node?: number; onProgress?(done: number): void },
): Promise<bigint[]>;

/** Whether each address has code at a block: "contract", or "none" (also for an EIP-7702 delegation). */
export declare function readCodes(
  nodes: Nodes,
  addresses: Uint8Array,
  block: number,
  options?: { node?: number; onProgress?(done: number): void },
): Promise<("contract" | "none")[]>;

/** The node does not keep the state of the block. */
export class StateUnavailable extends Error {
  override name = "StateUnavailable";
}
