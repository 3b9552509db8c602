/** Balances and code of many addresses, in few calls. Source: docs/chain.md#the-check. */

import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../lib/failure.ts";
import { ADDRESS_BYTES } from "../../../lib/widths.ts";
import { readBlock } from "../blocks.ts";
import { NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { NodeError } from "../rpc/failures.ts";
import { sentence } from "../rpc/node-sentences.ts";
import { stateAt, stateUnavailable } from "./kept-states.ts";
import { sharedBalances } from "./shared-balances.ts";
import { BALANCES, CODES, type Target, type Way, WrongAnswer } from "./ways.ts";

export { StateUnavailable } from "./kept-states.ts";

export interface ScanOptions<T> {
  /** Index in `nodes.hosts` of the only node to ask. */
  node?: number;
  /** Index of the only node not to ask. */
  except?: number;
  onProgress?(done: number): void;
  /** The results of each call as they come, also of a scan that fails later: those of the addresses from `first` on. */
  onRead?(first: number, results: readonly T[], node: number): void;
}

/**
 * `balanceOf` of each address at a block, raw units; undefined where it reverts or returns no number.
 *
 * @param addresses 20 bytes each
 * @throws {StateUnavailable} no node has the state of the block
 * @throws {Failure} as `Nodes.ask`
 */
export async function readBalances(
  nodes: Nodes,
  contract: string,
  addresses: Uint8Array,
  block: number,
  options: Omit<ScanOptions<bigint | undefined>, "onRead"> & {
    onRead?(first: number, balances: readonly (bigint | undefined)[]): void;
  } = {},
): Promise<(bigint | undefined)[]> {
  const isOfAny = options.node === undefined && options.except === undefined;
  const shared = isOfAny ? await sharedBalances(nodes, contract, addresses, block) : undefined;
  if (!shared) return scan(nodes, BALANCES, contract, block, addresses, options);
  options.onRead?.(0, shared);
  options.onProgress?.(shared.length);
  return shared;
}

export type Code = "contract" | "none";

/**
 * Whether each address has code at a block: "contract", or "none" (also for an EIP-7702 delegation).
 *
 * @param addresses 20 bytes each
 * @throws as `readBalances`
 */
export function readCodes(
  nodes: Nodes,
  addresses: Uint8Array,
  block: number,
  options: ScanOptions<Code> = {},
): Promise<Code[]> {
  return scan(nodes, CODES, "", block, addresses, options);
}

/** How a node takes one kind of scan. Starts with the best way, and learns from failures. */
interface Learned {
  /** Index in the ways. */
  way: number;
  /** Whether a call of this way has worked. */
  isProven: boolean;
  /** Addresses a call. */
  size: number;
}

/** What is known of each node; forgotten with the nodes. */
const learned = new WeakMap<Nodes, Map<string, Learned>>();

function learnedOf<T>(nodes: Nodes, node: number, ways: readonly Way<T>[]): Learned {
  const known = learned.get(nodes) ?? new Map<string, Learned>();
  learned.set(nodes, known);
  const key = `${node} ${ways[0]!.name}`;
  const one = known.get(key) ?? { way: 0, isProven: false, size: ways[0]!.most };
  known.set(key, one);
  return one;
}

/** Calls in flight at each node: it works on one while the other's answer travels. */
const IN_FLIGHT = 2;
/** A call of one address is repeated so often before its way is given up. */
const ATTEMPTS = 3;
/** After a call that worked. Slow, so that a node's limit is hit by few calls. */
const GROWTH = 1.05;

interface Range {
  begin: number;
  end: number;
}

/** What a scan has read and what is left: all that its workers share. */
class ScanState<T> {
  readonly results: T[];
  /** Ranges that nobody reads. */
  readonly left: Range[];
  done = 0;
  /** The last call that failed. */
  failure: { node: number; error: unknown } | undefined;
  /** Whether a node has said that it no longer has the state. */
  isStateGone = false;

  constructor(addresses: number) {
    this.results = new Array<T>(addresses);
    this.left = [{ begin: 0, end: addresses }];
  }

  /** Takes up to `size` addresses. */
  take(size: number): Range | undefined {
    const range = this.left.pop();
    if (!range || range.end - range.begin <= size) return range;
    this.left.push({ begin: range.begin + size, end: range.end });
    return { begin: range.begin, end: range.begin + size };
  }

  keep({ begin }: Range, read: readonly T[]): void {
    for (const [i, result] of read.entries()) this.results[begin + i] = result;
    this.done += read.length;
  }
}

/** What follows from a call that failed: the node leaves, the same is asked again, after a pause or at once, or less is asked. */
type Sequel = "leave" | "pause" | "again" | "less";

async function scan<T>(
  nodes: Nodes,
  ways: readonly Way<T>[],
  contract: string,
  block: number,
  addresses: Uint8Array,
  { node: only, except, onProgress, onRead }: ScanOptions<T>,
): Promise<T[]> {
  const target: Target = { contract, header: await readBlock(nodes, block) };
  const state = new ScanState<T>(addresses.length / ADDRESS_BYTES);
  const chosen = only === undefined ? nodes.active.filter((node) => node !== except) : [only];

  /** Works until nothing is left, or the node can't help. */
  async function work(node: number): Promise<void> {
    const known = learnedOf(nodes, node, ways);
    let failures = 0;
    let silences = 0;
    for (let range = state.take(known.size); range; range = state.take(known.size)) {
      const { begin, end } = range;
      const { way } = known;
      const part = addresses.subarray(ADDRESS_BYTES * begin, ADDRESS_BYTES * end);
      try {
        const read = await ways[way]!.read(nodes, node, target, part);
        state.keep(range, read);
        onRead?.(begin, read, node);
        onProgress?.(state.done);
        failures = silences = 0;
        known.isProven = true;
        known.size = Math.min(ways[known.way]!.most, Math.ceil(known.size * GROWTH));
        continue;
      } catch (error) {
        state.left.push(range);
        const sequel = await afterFailure(error, node);
        if (sequel === "leave" || (sequel === "pause" && ++silences === ATTEMPTS)) return;
        if (sequel === "pause") await sleep(nodes.patience.firstPauseMs * 2 ** silences);
        if (sequel !== "less") continue;
      }
      // Another call of this node has already changed the way.
      if (known.way !== way) continue;
      failures++;
      const isLimit = end - begin > 1 && (known.isProven || (await works(ways[way]!, nodes, node, target, part)));
      if (isLimit) known.size = Math.max(1, Math.min(known.size, (end - begin) >> 1));
      else if (!known.isProven || failures >= ATTEMPTS) {
        if (way + 1 >= ways.length) return;
        if (known.way === way) Object.assign(known, { way: way + 1, isProven: false, size: ways[way + 1]!.most });
        failures = 0;
      }
    }
  }

  /** @throws an error that concerns more than one call of one node */
  async function afterFailure(error: unknown, node: number): Promise<Sequel> {
    if (!isOfCall(error)) throw error;
    const kind = error instanceof NodeError ? error.kind : undefined;
    // The next call waits for as long as the node wants.
    if (kind === "rate") return "again";
    state.failure = { node, error };
    // Behind one URL there may be nodes that have not stopped.
    if (kind === "stale") return chosen.length > 1 ? "leave" : "pause";
    const found = await stateAt(nodes, node, block);
    if (found === "gone") state.isStateGone = true;
    if (found === "gone" || !nodes.active.includes(node)) return "leave";
    return found === "unknown" ? "pause" : "less";
  }

  const workers = chosen.flatMap((node) => Array.from({ length: IN_FLIGHT }, () => work(node)));
  await Promise.all(workers);
  // A range that a node gave back may have come after the others had finished.
  for (const node of chosen) if (state.left.length > 0) await work(node);
  if (state.left.length === 0) return state.results;
  throw state.isStateGone ? stateUnavailable(block) : scanFailure(nodes, chosen, block, state.failure!);
}

/** Why the rest can't be read. */
function scanFailure(
  nodes: Nodes,
  chosen: readonly number[],
  block: number,
  { node, error }: { node: number; error: unknown },
): Failure {
  if (error instanceof NodeFailure) return error;
  if (error instanceof NodeError && error.kind === "stale") {
    return new NodeFailure(error, sentence(nodes.hosts[node]!, error));
  }
  const reason = error instanceof Error ? error.message : "it did not answer";
  return new Failure(
    `The state of block ${block} can't be read from ${chosen.map((node) => nodes.hosts[node]).join(", ")}: ${reason}. ` +
      "Run this again later, or add another node with --rpc.",
  );
}

/** Whether an error concerns one call of one node, so that another may work. */
const isOfCall = (error: unknown) =>
  error instanceof NodeError || error instanceof NodeFailure || error instanceof WrongAnswer;

/** Whether a way works for one address: if so, a larger call has failed because of its size. */
async function works<T>(way: Way<T>, nodes: Nodes, node: number, target: Target, addresses: Uint8Array) {
  try {
    await way.read(nodes, node, target, addresses.subarray(0, ADDRESS_BYTES));
    return true;
  } catch (error) {
    if (!isOfCall(error)) throw error;
    return false;
  }
}
