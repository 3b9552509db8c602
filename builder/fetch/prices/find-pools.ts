/** Finds pools that price a token: those of Uniswap against the chain's main tokens, or those that the user names. */

import type { Nodes } from "../../chain/nodes.ts";
import type { PricePool } from "../../input/source.ts";

export interface FoundPool extends PricePool {
  /** The quote token's symbol, such as WETH. */
  quote: string;
  /** Value of the quote token's side now, USD. */
  depthUsd: number;
  /** USD per token now. */
  priceUsd: number;
}

/**
 * @param addresses pools that the user names; without, Uniswap's factories are asked where the chain's are known
 * @returns the deepest first, at most four; those below the floor of depth are left out unless they were named
 * @throws {Failure} a named address is no pool of the token, or nothing tells what its quote token is worth
 */
export declare function findPools(
  nodes: Nodes,
  token: { contract: string; decimals: number },
  addresses?: readonly string[],
): Promise<FoundPool[]>;
