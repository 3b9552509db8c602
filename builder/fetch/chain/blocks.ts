/** Blocks: headers, times and finality. */

import { Failure } from "../../lib/failure.ts";
import { isQuantity, quantity } from "./hex.ts";
import type { Block } from "./nodes/known.ts";
import { NodeFailure, type Nodes } from "./nodes/nodes.ts";

export type { Block } from "./nodes/known.ts";

const HASH = /^0x[0-9a-f]{64}$/i;

/** A header as nodes send it; undefined if it can't be one. */
function parseBlock(result: unknown): Block | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  const { number, hash, parentHash, timestamp } = result as Record<string, unknown>;
  const isHash = (value: unknown): value is string => typeof value === "string" && HASH.test(value);
  if (!isQuantity(number) || !isQuantity(timestamp) || !isHash(hash) || !isHash(parentHash)) return undefined;
  return {
    number: Number(number),
    hash: hash.toLowerCase(),
    parentHash: parentHash.toLowerCase(),
    time: Number(timestamp),
  };
}

/** @throws {NodeFailure} no node has the block */
export async function readBlock(nodes: Nodes, number: number): Promise<Block> {
  const [block] = await readBlocks(nodes, [number]);
  return block!;
}

/** The first block of an asset. The genesis block of many chains has no time: then the next one's counts. */
export async function readFirstBlock(nodes: Nodes, number: number): Promise<Block> {
  const block = await readBlock(nodes, number);
  return number === 0 && block.time === 0 ? { ...block, time: (await readBlock(nodes, 1)).time } : block;
}

/**
 * Headers, in batches, in the order of `numbers`. Those of final blocks are read once a run.
 *
 * @throws {NodeFailure} no node has one of the blocks
 */
export async function readBlocks(nodes: Nodes, numbers: readonly number[]): Promise<Block[]> {
  return nodes.known.headers(numbers, (missing) => readBlocksNow(nodes, missing));
}

/** @throws {NodeFailure} no node answers */
export async function newestBlock(nodes: Nodes): Promise<Block> {
  return parseBlock(await nodes.ask("eth_getBlockByNumber", ["latest", false], { accept: isBlock }))!;
}

/** A header that there may not be: of a number that another chain may have counted. */
export async function findBlock(nodes: Nodes, number: number): Promise<Block | undefined> {
  try {
    return parseBlock(await nodes.ask("eth_getBlockByNumber", [quantity(number), false], { mayLack: 1 }));
  } catch (error) {
    if (error instanceof NodeFailure) return undefined;
    throw error;
  }
}

/** The same, as the nodes have them now. */
export async function readBlocksNow(nodes: Nodes, numbers: readonly number[]): Promise<Block[]> {
  const calls = numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [quantity(number), false] }));
  const accept = (result: unknown, index: number) => parseBlock(result)?.number === numbers[index];
  const results =
    calls.length === 1
      ? [await nodes.ask(calls[0]!.method, calls[0]!.params, { accept })]
      : await nodes.askAll(calls, { accept });
  return results.map((result) => parseBlock(result)!);
}

/** The number of a node's newest block. */
export async function readHead(nodes: Nodes, node: number): Promise<number> {
  const head = Number(await nodes.ask("eth_blockNumber", [], { node, accept: isQuantity }));
  nodes.known.hasBlock(node, head);
  return head;
}

/** What each node that takes part answers; undefined where it fails. */
async function ofEachNode<T>(nodes: Nodes, ask: (node: number) => Promise<T>): Promise<T[]> {
  const results = await Promise.allSettled(nodes.active.map(ask));
  const failed = results.filter((result) => result.status === "rejected");
  const other = failed.find(({ reason }) => !(reason instanceof NodeFailure));
  if (other) throw other.reason;
  const found = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (found.length === 0) throw failed[0]!.reason;
  return found;
}

/** Nodes of chains without finality may say null, which may also be a fault of the moment. */
const ATTEMPTS_AT_FINALITY = 5;

/**
 * The last final block: that of the tag `finalized`, or `confirmations` blocks below the head. Of nodes that differ, the
 * one that knows most: what is final for one is final for all.
 *
 * @param known a block that was final: it stays so, even if nodes that are behind answer now
 * @param isFresh asks the nodes again: otherwise an answer of the last half minute will do
 * @throws {Failure} the chain has no tag `finalized` (says to use --confirmations)
 */
export async function finalizedBlock(nodes: Nodes, confirmations?: number, known = 0, isFresh = false): Promise<Block> {
  const final = await nodes.known.final(confirmations, () => lastFinalBlock(nodes, confirmations), isFresh);
  return final.number < known ? readBlock(nodes, known) : final;
}

async function lastFinalBlock(nodes: Nodes, confirmations: number | undefined): Promise<Block> {
  if (confirmations !== undefined) {
    return readBlock(nodes, Math.max(0, Math.max(...(await readHeads(nodes))) - confirmations));
  }
  const options = { mayLack: ATTEMPTS_AT_FINALITY, accept: isBlock };
  const ask = async (node: number) => {
    const block = parseBlock(await nodes.ask("eth_getBlockByNumber", ["finalized", false], { node, ...options }))!;
    nodes.known.hasBlock(node, block.number);
    return block;
  };
  try {
    const blocks = await ofEachNode(nodes, ask);
    return blocks.reduce((best, block) => (block.number > best.number ? block : best));
  } catch (error) {
    if (!(error instanceof NodeFailure) || !["unusable", "invalid", "refused", "behind"].includes(error.kind))
      throw error;
    throw new Failure(
      `The chain ${nodes.chainId} has no finalized block, its nodes say (${error.reason.message}). ` +
        "Use --confirmations N to count a block as final once N blocks follow it.",
    );
  }
}

const isBlock = (result: unknown) => parseBlock(result) !== undefined;

/** The number of the newest block of each node. */
export const readHeads = (nodes: Nodes): Promise<number[]> => ofEachNode(nodes, (node) => readHead(nodes, node));

/** Attempts at a block that a node may not have yet: then it is not compared. */
const ATTEMPTS_TO_COMPARE = 2;

/** The hash that each node has for a block, those left out that don't have it. */
export function hashesAt(nodes: Nodes, number: number): Promise<{ host: string; hash: string }[]> {
  const accept = (result: unknown) => parseBlock(result)?.number === number;
  const params = [quantity(number), false];
  return ofEachNode(nodes, async (node) => {
    const options = { node, accept, mayLack: ATTEMPTS_TO_COMPARE };
    const { hash } = parseBlock(await nodes.ask("eth_getBlockByNumber", params, options))!;
    return { host: nodes.hosts[node]!, hash };
  });
}

/**
 * Compares the hash of a final block on all nodes: one that follows another fork has other logs and balances.
 *
 * @throws {Failure} two nodes differ
 */
export async function checkSameChain(nodes: Nodes, number: number): Promise<void> {
  if (nodes.active.length < 2 || nodes.known.compared.has(number)) return;
  const found = await hashesAt(nodes, number);
  const [first] = found;
  const other = found.find(({ hash }) => hash !== first!.hash);
  if (!other) {
    nodes.known.compared.add(number);
    return;
  }
  throw new Failure(
    `The nodes have different blocks ${number}: ${first!.host} has ${first!.hash}, ${other.host} has ${other.hash}. One of ` +
      "them follows another fork: leave it out.",
  );
}

/** Two blocks with the block that is looked for in (low, high]: the first one at or after `time`. */
interface Search {
  time: number;
  low: Block;
  high: Block;
  /** Whether the last guess did not narrow it well. */
  isHard: boolean;
}

/** How far beyond a guess the search looks, as a power of the distance to the nearer end. */
const MARGIN_POWER = 0.4;
/** A look that leaves more than this share is followed by halving. */
const WELL_NARROWED = 0.5;

/**
 * The next block to look at: where the time should be if blocks came evenly, and a bit towards the farther end, so that
 * this end is most likely the one that moves. Takes 8 looks on average in a chain of 20 million blocks.
 */
function guess({ time, low, high, isHard }: Search): number {
  const width = high.number - low.number;
  if (isHard || width <= 4) return low.number + Math.floor(width / 2);
  const below = Math.round((width * (time - low.time)) / (high.time - low.time));
  const margin = Math.max(1, Math.round(Math.min(below, width - below) ** MARGIN_POWER));
  const distance = below < width - below ? below + margin : below - margin;
  return low.number + Math.min(Math.max(distance, 1), width - 1);
}

/** The first block of [first, last] with a time at or after each of `times`; undefined after the last one. */
export async function firstBlocksAt(
  nodes: Nodes,
  times: readonly number[],
  { first, last }: { first: Block; last: Block },
): Promise<(Block | undefined)[]> {
  /** Headers that have been read; what one search learns narrows the others. */
  const before = await nodes.known.headersOf({ from: first.number, to: last.number });
  const known = new Map([first, ...before, last].map((block) => [block.number, block]));
  const results: (Block | undefined)[] = new Array(times.length);
  const searches = new Map<number, Search>();
  times.forEach((time, index) => {
    if (time <= first.time) results[index] = first;
    else if (time <= last.time) searches.set(index, { time, low: first, high: last, isHard: false });
  });
  let wanted: number[] = [];
  while (searches.size > 0) {
    for (const block of await readBlocks(nodes, wanted)) known.set(block.number, block);
    const blocks = [...known.values()];
    for (const [index, search] of searches) {
      const before = search.high.number - search.low.number;
      for (const block of blocks) {
        if (block.time < search.time && block.number > search.low.number) search.low = block;
        if (block.time >= search.time && block.number < search.high.number) search.high = block;
      }
      const after = search.high.number - search.low.number;
      search.isHard = wanted.length > 0 && after > before * WELL_NARROWED && !search.isHard;
      if (after > 1) continue;
      results[index] = search.high;
      searches.delete(index);
    }
    wanted = [...new Set([...searches.values()].map(guess))].filter((number) => !known.has(number));
  }
  return results;
}
