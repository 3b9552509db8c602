/**
 * Filters that name many contracts. How many a node takes shows when it refuses a list and answers for one of its contracts;
 * from then on it is asked for shorter ones. Source: docs/chain.md#nodes-and-limits.
 */

import type { KnownChain } from "../nodes/known.ts";
import { type FailureKind, NodeError, OF_THE_NODE } from "../rpc/failures.ts";
import { BadPage, type LogFilter, type RawLog } from "./pages.ts";

/** Failures that have nothing to do with the list. */
const OF_OTHERS = new Set<FailureKind>([...OF_THE_NODE, "behind", "pruned", "garbled", "timed-out"]);

/** @param error also of a node that heeds no list: its logs are of other contracts */
const mayBeOfList = (error: unknown) =>
  error instanceof BadPage || (error instanceof NodeError && (error.isAmbiguous || !OF_OTHERS.has(error.kind)));

/**
 * The logs that match a filter, in the order of the chain.
 *
 * @param read asks the node
 * @throws what `read` throws of a list that is not too long
 */
export async function logsOfLists(
  { listLimits }: Pick<KnownChain, "listLimits">,
  node: number,
  filter: LogFilter,
  read: (filter: LogFilter) => Promise<RawLog[]>,
): Promise<RawLog[]> {
  const { address } = filter;
  if (typeof address === "string" || address.length < 2) return read(filter);
  const limit = listLimits.get(node) ?? { most: Number.POSITIVE_INFINITY, proven: 1 };
  listLimits.set(node, limit);
  const found: RawLog[][] = [];
  for (let first = 0; first < address.length; ) {
    const part = address.slice(first, first + limit.most);
    try {
      found.push(await read({ ...filter, address: part }));
      limit.proven = Math.max(limit.proven, part.length);
      first += part.length;
    } catch (error) {
      const isOfList = mayBeOfList(error) && part.length > limit.proven;
      if (!isOfList || !(await succeeds(() => read({ ...filter, address: part[0]! })))) throw error;
      limit.most = Math.min(limit.most, part.length >> 1);
    }
  }
  if (found.length === 1) return found[0]!;
  const places = found.flat().map((log) => ({ log, block: Number(log.blockNumber), index: Number(log.logIndex) }));
  return places.sort((a, b) => a.block - b.block || a.index - b.index).map(({ log }) => log);
}

async function succeeds(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof NodeError || error instanceof BadPage) return false;
    throw error;
  }
}
