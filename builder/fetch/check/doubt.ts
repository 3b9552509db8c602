/** Balances and a supply that are not what the transfers say: the transfers may be wrong, or the node that gave them. */

import { readBalances } from "../chain/scan/scan.ts";
import type { StateQuestion } from "../chain/scan/second-opinion.ts";
import type { BalanceDifference } from "./causes/first-difference.ts";
import type { Subject } from "./causes/subject.ts";
import { readTotalSupply } from "./causes/supply.ts";

/** Balances that each node is asked for again: they fit into one call. */
const MOST = 5_000;

/**
 * What to ask each node.
 *
 * @param supply by the transfers
 */
export function statesInDoubt(
  { nodes, source }: Pick<Subject, "nodes" | "source">,
  differences: readonly BalanceDifference[],
  supply: bigint,
  block: number,
): StateQuestion {
  const holders = differences.slice(0, MOST);
  const bytes = Buffer.from(holders.map(({ address }) => address.slice(2)).join(""), "hex");
  return {
    expected: { values: [...holders.map(({ replayed }) => replayed), supply], by: "the transfers" },
    nameOf: (index) =>
      index < holders.length
        ? `the balance of ${holders[index]!.address} at block ${block}`
        : `totalSupply at block ${block}`,
    async read(node) {
      const balances = await readBalances(nodes, source.contract, bytes, block, { node });
      return [...balances, await readTotalSupply(nodes, source.contract, block, node)];
    },
  };
}
