/** The contract's totalSupply against what the transfers minted and burned. */

import type { EventKind } from "../../../input/asset/source.ts";
import type { Nodes } from "../../chain/nodes/nodes.ts";
import { firstWord, statement } from "../statements.ts";

export interface Supply {
  /** totalSupply, raw units. */
  chain: bigint;
  /** What the zero address has; undefined if that can't be read. */
  burnt?: bigint;
  /** A harmless difference, for the user. */
  notice?: string;
  /** A sentence; undefined if the supply is right. */
  problem?: string;
  isUnreadable?: true;
}

/**
 * Compares exactly. Two differences are harmless: tokens sent to the zero address that stay in totalSupply, and WETH9's
 * totalSupply, which is the contract's ether and so more than its tokens once ether was forced into it.
 *
 * @param chain totalSupply; undefined if it fails
 * @param replayed minted less burned
 * @param zeroBalance what `balanceOf` says of the zero address; undefined if it fails
 */
export function compareSupply(
  events: EventKind,
  { chain, replayed, zeroBalance }: { chain: bigint | undefined; replayed: bigint; zeroBalance: bigint | undefined },
): Supply {
  if (chain === undefined) {
    return { chain: 0n, problem: "The contract's totalSupply can't be read.", isUnreadable: true };
  }
  if (chain === replayed) return { chain };
  if (zeroBalance !== undefined && zeroBalance > 0n && chain === replayed + zeroBalance) {
    return {
      chain,
      notice: `totalSupply counts ${zeroBalance} units at the zero address; the supply by transfers does not.`,
    };
  }
  if (events === "weth9" && chain > replayed) {
    return { chain, notice: `totalSupply is ${chain - replayed} units more than the tokens: ether without a deposit.` };
  }
  return {
    chain,
    ...(zeroBalance && { burnt: zeroBalance }),
    problem: `The supply is ${replayed} by the transfers, but totalSupply is ${chain}.`,
  };
}

/**
 * totalSupply at a block, raw units; undefined if the contract does not say.
 *
 * @param node index in `nodes.hosts` of the only node to ask
 * @throws {StateUnavailable} no node has the state of the block
 * @throws {NodeFailure} as `Nodes.ask`
 */
export async function readTotalSupply(
  nodes: Nodes,
  contract: string,
  block: number,
  node?: number,
): Promise<bigint | undefined> {
  return firstWord(await statement(nodes, contract, "totalSupply()", block, node));
}
