/** Whose balance Issue and Redeem move: the contract's owner, who may have changed. */

import type { Source } from "../../input/asset/source.ts";
import { quantity } from "../chain/hex.ts";
import type { BlockRange } from "../chain/logs/pages.ts";
import { NodeFailure, type Nodes } from "../chain/nodes/nodes.ts";
import { ifKept } from "../chain/scan/creation.ts";
import type { StateBlock } from "../chain/scan/state-block.ts";
import type { Contract } from "./contract.ts";

type Owners = NonNullable<Source["owners"]>;

/** OwnershipTransferred(address,address), of OpenZeppelin's Ownable. */
export const OWNERSHIP_TRANSFERRED = "0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0";

/**
 * The owners by the states of old blocks; where no node keeps them, by the contract's events, if one request brings them;
 * else today's, from the first block on.
 *
 * @param at a block whose state nodes have
 * @returns those of final blocks, ascending; empty if the contract has no owner
 */
export async function findOwners(
  nodes: Nodes,
  contract: Contract,
  firstBlock: number,
  at: StateBlock,
): Promise<Owners> {
  const last = await contract.ownerAt(at.number);
  const byState = await ifKept(async () => {
    const first = await contract.ownerAt(firstBlock);
    const start = first === undefined ? [] : [{ fromBlock: firstBlock, address: first }];
    const changes = await changesBetween(
      contract,
      { block: firstBlock, owner: first },
      { block: at.number, owner: last },
    );
    return [...start, ...changes].filter(({ fromBlock }) => fromBlock <= at.final);
  });
  if (byState) return byState;
  if (last === undefined) return [];
  const range = { from: firstBlock, to: Math.min(at.number, at.final) };
  return (await ownersByEvents(nodes, contract.address, range)) ?? [{ fromBlock: firstBlock, address: last }];
}

interface OwnerAt {
  block: number;
  owner: string | undefined;
}

/** Bisects for every block at which a different owner is seen. */
async function changesBetween(contract: Contract, before: OwnerAt, after: OwnerAt): Promise<Owners> {
  if (before.owner === after.owner) return [];
  if (after.block - before.block === 1) {
    return after.owner === undefined ? [] : [{ fromBlock: after.block, address: after.owner }];
  }
  const block = Math.floor((before.block + after.block) / 2);
  const middle = { block, owner: await contract.ownerAt(block) };
  return [...(await changesBetween(contract, before, middle)), ...(await changesBetween(contract, middle, after))];
}

async function ownersByEvents(
  nodes: Nodes,
  address: string,
  { from: firstBlock, to: last }: BlockRange,
): Promise<Owners | undefined> {
  const filter = { address, topics: [OWNERSHIP_TRANSFERRED], fromBlock: quantity(firstBlock), toBlock: quantity(last) };
  try {
    const logs = (await nodes.ask("eth_getLogs", [filter], { attempts: 1, accept: Array.isArray })) as {
      topics: string[];
      blockNumber: string;
    }[];
    const owners = new Map(
      logs
        .filter(({ topics }) => topics.length === 3)
        .map(({ topics, blockNumber }) => [Number(blockNumber), `0x${topics[2]!.slice(-40).toLowerCase()}`]),
    );
    if (owners.size === 0) return undefined;
    const listed = [...owners].map(([fromBlock, owner]) => ({ fromBlock, address: owner }));
    // The first event may come after the first block.
    const [first] = logs;
    const before = `0x${first!.topics[1]!.slice(-40).toLowerCase()}`;
    const isLate = listed[0]!.fromBlock > firstBlock && BigInt(before) > 0n;
    return [...(isLate ? [{ fromBlock: firstBlock, address: before }] : []), ...listed];
  } catch (error) {
    if (error instanceof NodeFailure) return undefined;
    throw error;
  }
}
