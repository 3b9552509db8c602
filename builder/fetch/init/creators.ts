/** Who may have created a contract. */

import { quantity } from "../chain/hex.ts";
import { NodeFailure, type Nodes } from "../chain/nodes/nodes.ts";

interface Transaction {
  hash: string;
  from: string;
  to: string | null;
}

/** Receipts that are asked for, at most: a contract created by another one is in none of them. */
const MOST_RECEIPTS = 50;

/**
 * The sender of the transaction that created a contract. If another contract created it, the parties of all transactions
 * of the block, among whom the initiator is.
 *
 * @param block of the creation
 * @returns lower-case addresses; none if the node no longer has the block's transactions
 */
export async function creatorsAt(nodes: Nodes, contract: string, block: number): Promise<string[]> {
  try {
    const found = (await nodes.ask("eth_getBlockByNumber", [quantity(block), true])) as {
      transactions?: Transaction[];
    } | null;
    const transactions = (found?.transactions ?? []).filter(({ from }) => typeof from === "string");
    const creations = transactions.filter(({ to }) => to === null || to === undefined).slice(0, MOST_RECEIPTS);
    const receipts = (await nodes.askAll(
      creations.map(({ hash }) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
    )) as ({ contractAddress?: string | null } | null)[];
    const own = creations.findIndex((_, index) => receipts[index]?.contractAddress?.toLowerCase() === contract);
    if (own >= 0) return [creations[own]!.from.toLowerCase()];
    const parties = transactions.flatMap(({ from, to }) => [from, ...(to ? [to] : [])]);
    return [...new Set(parties.map((address) => address.toLowerCase()))];
  } catch (error) {
    if (error instanceof NodeFailure) return [];
    throw error;
  }
}
