/** The first logs of a contract, by which init tells how it records its transfers. */

import { readInOrder } from "../chain/logs/in-order.ts";
import { nodeLogs } from "../chain/logs/node-logs.ts";
import type { BlockRange, RawLog } from "../chain/logs/pages.ts";
import { NodeFailure, type Nodes } from "../chain/nodes/nodes.ts";
import { EVENT_SHAPES } from "../transfers/event-shapes.ts";

/** Blocks of the first look; each further one is twice as long. */
const FIRST_BLOCKS = 1_000;
/** Looking ends with so many logs, blocks or requests. */
const ENOUGH_LOGS = 100;
const MOST_BLOCKS = 200_000;
const MOST_REQUESTS = 300;

/** Every event that some kind of contract records transfers with. */
const TOPICS = [...new Set(Object.values(EVENT_SHAPES).flatMap((shapes) => shapes.map(({ topic0 }) => topic0)))];

/** Requests for the first log of an event that a contract's code names. */
const MOST_SEARCHING = 60;

export interface EarlyLogs extends BlockRange {
  /** The logs, in the order of the chain. */
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
  let logs: RawLog[] = [];
  const requests = nodes.traffic.requests;
  let to = first - 1;
  for (let blocks = FIRST_BLOCKS; ; blocks *= 2) {
    const range = { from: to + 1, to: Math.min(last, to + blocks) };
    const found = await readFirstLogs(nodes, contract, range, TOPICS, ENOUGH_LOGS - logs.length);
    if (!found) return undefined;
    logs = logs.concat(found.logs);
    to = found.to;
    const isEnough = logs.length >= ENOUGH_LOGS || to - first > MOST_BLOCKS;
    if (isEnough || to === last || nodes.traffic.requests - requests > MOST_REQUESTS) return { from: first, to, logs };
  }
}

/**
 * Reads a range until it has given enough logs: an airdrop may begin in it.
 *
 * @returns all logs up to the end of a block; undefined if the nodes do not keep logs that old
 */
async function readFirstLogs(
  nodes: Nodes,
  contract: string,
  range: BlockRange,
  topics: readonly string[],
  wanted: number,
): Promise<EarlyLogs | undefined> {
  /** Pages in order. Those behind a gap may be dropped. */
  let pages: EarlyLogs[] = [];
  const enough = new AbortController();
  const keep = async ({ from, to }: BlockRange, logs: readonly RawLog[]) => {
    pages = [...pages, { from, to, logs: untilEnough(logs, wanted) }].sort((a, b) => a.from - b.from);
    if (gapless(pages, range.from).reduce((sum, { logs }) => sum + logs.length, 0) >= wanted) enough.abort();
  };
  try {
    const filter = { address: contract, topics: [topics] };
    await nodeLogs(nodes).read(filter, [range], (logs) => logs, keep, { signal: enough.signal });
  } catch (error) {
    if (error instanceof NodeFailure && error.kind === "pruned") return undefined;
    if (!enough.signal.aborted) throw error;
  }
  const logs = untilEnough(
    gapless(pages, range.from).flatMap((page) => page.logs),
    wanted,
  );
  const isWhole = logs.length < wanted;
  return { from: range.from, to: isWhole ? range.to : Number(logs.at(-1)!.blockNumber), logs };
}

/** Pages that follow each other from a block on. */
function gapless(pages: readonly EarlyLogs[], first: number): EarlyLogs[] {
  const end = pages.findIndex(({ from }, index) => from !== (index === 0 ? first : pages[index - 1]!.to + 1));
  return pages.slice(0, end < 0 ? pages.length : end);
}

/** Logs in order up to the end of the block in which there are enough of them. */
function untilEnough(logs: readonly RawLog[], wanted: number): RawLog[] {
  if (logs.length <= wanted) return [...logs];
  const last = Number(logs[wanted - 1]!.blockNumber);
  const end = logs.findIndex(({ blockNumber }) => Number(blockNumber) > last);
  return logs.slice(0, end < 0 ? logs.length : end);
}

/**
 * The logs of the first block in which an event is, if the nodes find it with few requests.
 *
 * @returns of all events; none if there is no such block
 */
export async function readFirstOf(
  nodes: Nodes,
  contract: string,
  topic0: string,
  { from: first, to: last }: BlockRange,
): Promise<RawLog[]> {
  const requests = nodes.traffic.requests;
  let from = first;
  for (let blocks = FIRST_BLOCKS; from <= last && nodes.traffic.requests - requests < MOST_SEARCHING; blocks *= 2) {
    const range = { from, to: Math.min(last, from + blocks - 1) };
    const found = await readFirstLogs(nodes, contract, range, [topic0], 1);
    const [log] = found?.logs ?? [];
    if (log) {
      const block = Number(log.blockNumber);
      return (await readLogs(nodes, contract, { from: block, to: block })) ?? [];
    }
    from = range.to + 1;
  }
  return [];
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
