/** The first block after which a balance is not the chain's, by bisection over states of the past. */

import { ZERO_ADDRESS } from "../../../../data-schema/asset.ts";
import { Failure } from "../../../lib/failure.ts";
import type { BlockRange } from "../../chain/logs/pages.ts";
import type { Nodes } from "../../chain/nodes/nodes.ts";
import { readBalances, StateUnavailable } from "../../chain/scan/scan.ts";
import type { Subject, Transfer } from "./subject.ts";
import { readTotalSupply } from "./supply.ts";

/** An address whose balance differs. */
export interface BalanceDifference {
  /** 0x and 40 lower-case digits. */
  address: string;
  /** By the transfers, raw units; negative if the address sends what it never had. */
  replayed: bigint;
  /** The balance on the chain; undefined if `balanceOf` fails. */
  chain: bigint | undefined;
  /** Transfers from and to the address. */
  moves: number;
}

/** Where a balance went wrong. */
export interface FirstDifference {
  block: number;
  address: string;
  /** The balance on the chain, after the block. */
  balance: bigint;
  /** All addresses that differ after the block, and what they have more on the chain. */
  others: { address: string; more: bigint }[];
}

/**
 * The first block at whose end a balance differs, by bisection.
 *
 * @param range at its end balances differ
 * @returns undefined if no node has the states
 */
export async function firstDifference(
  { nodes, source }: Subject,
  suspects: readonly BalanceDifference[],
  ours: readonly Transfer[],
  range: BlockRange,
): Promise<FirstDifference | undefined> {
  const bytes = Buffer.from(suspects.map(({ address }) => address.slice(2)).join(""), "hex");
  const isOfSupply = suspects[0]!.address === ZERO_ADDRESS;
  /** The suspects whose balances differ after a block. */
  const wrongAt = async (block: number) => {
    const balances = isOfSupply
      ? [await readMinted(nodes, source.contract, block)]
      : await readBalances(nodes, source.contract, bytes, block);
    const replayed = new Map<string, bigint>();
    const move = (address: string, by: bigint) => replayed.set(address, (replayed.get(address) ?? 0n) + by);
    for (const { from, to, value } of ours.filter((transfer) => transfer.block <= block)) {
      move(from, -value);
      move(to, value);
    }
    return suspects.flatMap(({ address }, i) => {
      // Before the contract was created, balanceOf fails and nobody has anything.
      const balance = balances[i] ?? 0n;
      const more = balance - (replayed.get(address) ?? 0n);
      return more === 0n ? [] : [{ address, balance, more }];
    });
  };
  try {
    let [low, high] = [range.from, range.to];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await wrongAt(middle)).length > 0) high = middle;
      else low = middle + 1;
    }
    const wrong = await wrongAt(high);
    // An address without a transfer there tells most.
    const moved = new Set(ours.filter(({ block }) => block === high).flatMap(({ from, to }) => [from, to]));
    const telling = wrong.find(({ address }) => !moved.has(address)) ?? wrong[0];
    return telling && { block: high, ...telling, others: wrong };
  } catch (error) {
    if (error instanceof StateUnavailable || error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * What the zero address would have if it had minted everything. What was sent to it is burnt, also where totalSupply
 * still counts it.
 *
 * @throws {Failure} no node has the state
 */
async function readMinted(nodes: Nodes, contract: string, block: number): Promise<bigint | undefined> {
  const [burnt = 0n] = await readBalances(nodes, contract, Buffer.alloc(20), block);
  const supply = await readTotalSupply(nodes, contract, block);
  return supply === undefined ? undefined : burnt - supply;
}
