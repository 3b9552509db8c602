/** What a token's contract says of itself at the block of a check. */

import type { AssetFile } from "../../input/asset/asset.ts";
import { foreignLine } from "../../lib/foreign-text.ts";
import { NodeFailure, type Nodes } from "../chain/nodes/nodes.ts";
import type { FailureKind } from "../chain/rpc/failures.ts";
import { StateUnavailable } from "../chain/scan/scan.ts";
import { callView } from "../chain/scan/views.ts";
import { SELECTORS, type Signature } from "../chain/selectors.ts";
import { decodeText, fitSymbol } from "../chain/text.ts";

/** Absent where the contract does not say. */
export interface Identity {
  decimals?: number;
  /** Fit for one line. */
  symbol?: string;
}

/** What a node says where the contract does not answer. */
const OF_THE_CONTRACT: ReadonlySet<FailureKind> = new Set<FailureKind>(["refused", "invalid"]);

/**
 * What a view without parameters returns, in hexadecimal; `0x` if the contract does not answer.
 *
 * @param node index in `nodes.hosts` of the only node to ask
 * @throws {StateUnavailable} no node has the state of the block
 * @throws {NodeFailure} as `Nodes.ask`
 */
export async function statement(
  nodes: Nodes,
  contract: string,
  view: Signature,
  block: number,
  node?: number,
): Promise<string> {
  try {
    return await callView(nodes, { to: contract, data: SELECTORS[view] }, block, node);
  } catch (error) {
    if (error instanceof NodeFailure && OF_THE_CONTRACT.has(error.kind)) return "0x";
    if (error instanceof NodeFailure && error.kind === "pruned") throw new StateUnavailable(error.message);
    throw error;
  }
}

/** The first 32 bytes of an answer as a number; undefined if there are fewer. */
export const firstWord = (answer: string): bigint | undefined =>
  answer.length >= 66 ? BigInt(answer.slice(0, 66)) : undefined;

/** `decimals()` is a uint8: whatever is larger says nothing. */
const MOST_DECIMALS = 255n;

/** @throws {NodeFailure | StateUnavailable} as `statement` */
export async function readIdentity(nodes: Nodes, contract: string, block: number): Promise<Identity> {
  // Asked for at once, so that they share a request.
  const [decimals, symbol] = await Promise.all([
    statement(nodes, contract, "decimals()", block).then(firstWord),
    statement(nodes, contract, "symbol()", block).then((answer) => foreignLine(decodeText(answer.slice(2)) ?? "")),
  ]);
  return {
    ...(decimals !== undefined && decimals <= MOST_DECIMALS && { decimals: Number(decimals) }),
    ...(symbol !== "" && { symbol }),
  };
}

/** The contract's symbol, if ASSET.json has another one than `init` would make of it. */
export const otherSymbol = ({ symbol }: Identity, asset: Pick<AssetFile, "symbol">): string | undefined =>
  symbol !== undefined && fitSymbol(symbol) !== asset.symbol ? symbol : undefined;
