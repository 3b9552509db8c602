/** The first logs of a contract, by which init tells how it records its transfers. */

import { readInOrder } from "../chain/in-order.ts";
import { nodeLogs } from "../chain/node-logs.ts";
import { NodeFailure, type Nodes } from "../chain/nodes.ts";
import type { BlockRange, RawLog } from "../chain/pages.ts";
import { EVENTS } from "../fetch/events.ts";

/** Blocks of the first look; each further one is twice as long. */
const FIRST_BLOCKS = 1_000;
/** Looking ends with so many logs, blocks or requests. */
const ENOUGH_LOGS = 100;
const MOST_BLOCKS = 200_000;
const MOST_REQUESTS = 300;

/** Every event that some kind of contract records transfers with. */
export const TOPICS = [...new Set(Object.values(EVENTS).flatMap((shapes) => shapes.map(({ topic0 }) => topic0)))];

export interface EarlyLogs extends BlockRange {
  /** In the order of the chain. */
  logs: RawLog[];
}

/**
 * @param last a final block
 * @returns undefined if the nodes do not keep logs that old
 */
export async function readEarlyLogs(
  nodes: Nodes,
  contract: string,
  { from: first, to: last }: BlockRange,
): Promise<EarlyLogs | undefined> {
  const logs: RawLog[] = [];
  const requests = nodes.traffic.requests;
  let to = first - 1;
  for (let blocks = FIRST_BLOCKS; ; blocks *= 2) {
    const range = { from: to + 1, to: Math.min(last, to + blocks) };
    const found = await readLogs(nodes, contract, range);
    if (!found) return undefined;
    logs.push(...found);
    to = range.to;
    const isEnough = logs.length >= ENOUGH_LOGS || to - first > MOST_BLOCKS;
    if (isEnough || to === last || nodes.traffic.requests - requests > MOST_REQUESTS) return { from: first, to, logs };
  }
}

/** @returns undefined if the nodes do not keep logs that old */
export async function readLogs(nodes: Nodes, contract: string, range: BlockRange): Promise<RawLog[] | undefined> {
  try {
    const filter = { address: contract, topics: [TOPICS] };
    return await readInOrder(nodeLogs(nodes), filter, [range], (logs) => logs);
  } catch (error) {
    if (error instanceof NodeFailure && error.kind === "pruned") return undefined;
    throw error;
  }
}
