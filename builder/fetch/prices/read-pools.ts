/** Hourly prices from the logs of pools and feeds, proven against what the chain says of them. */

import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../lib/failure.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";
import { type Block, firstBlocksAt, readBlock } from "../chain/blocks.ts";
import { nodeLogs } from "../chain/logs/node-logs.ts";
import type { LogSource } from "../chain/logs/pages.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { codeAt, findFirstBlock, ifKept } from "../chain/scan/creation.ts";
import { StateUnavailable } from "../chain/scan/scan.ts";
import { BLOCKS_TRIED, isStillThere, stateBlock } from "../chain/scan/state-block.ts";
import type { LogTimes } from "../times/log-times.ts";
import { addressesOf, type HourlyNotices, HourlyPrices, type HourPrice } from "./hourly.ts";
import type { PricedPool } from "./pools/pool.ts";
import { POOL_KINDS } from "./pools/pool-kinds.ts";
import { mergeEvents, PoolLogs, type PoolQuestion, withTimesOfHeaders } from "./pools/pool-logs.ts";
import { type AllFacts, PriceStates } from "./pools/pool-states.ts";
import { type PriceDifference, priceDifferences } from "./pools/proof.ts";

export interface PoolWork {
  nodes: Nodes;
  logs: LogSource;
  pools: readonly PricedPool[];
  /** The folder of the journal. */
  folder: string;
  /** Start of the first hour, and end of the last, Unix seconds. */
  start: number;
  end: number;
  /** The last block before `end`. */
  last: Block;
  /** The asset's first block. */
  assetBlock: number;
  /** Blocks that a block waits for to be final; by default, the chain says. */
  confirmations?: number | undefined;
  /** The proven states after the block before `start`; absent before the first proof. */
  before?: { block: number; facts: AllFacts } | undefined;
  /** Blocks of the first page, if it is known how many have few enough logs. */
  firstPage?: number | undefined;
  times: LogTimes;
  onProgress?(done: number, total: number): void;
  onNotice?(text: string): void;
}

/** Hours that have been proven. */
export interface ProvenHours {
  /** Hours that have a price. */
  hours: HourPrice[];
  notices: HourlyNotices;
  /** The block at which the chain's states were compared. */
  block: Block;
  /** The states after the last block before `end`. */
  facts: AllFacts;
  /** The logs of these hours and after them, and their blocks. */
  read: { from: number; to: number; rows: number };
}

/** No logs lead to what the chain says. */
export class UnprovenPrices extends Failure {
  override name = "UnprovenPrices";
  /** Whether the states that the proof began with may be wrong, and not the logs. */
  readonly areStatesDoubtful: boolean;

  constructor(message: string, areStatesDoubtful: boolean) {
    super(message);
    this.areStatesDoubtful = areStatesDoubtful;
  }
}

/**
 * The hours of [start, end) that have a price.
 *
 * @throws {UnprovenPrices} they can't be proven
 * @throws {Failure} as the nodes
 */
export async function readPoolPrices(work: PoolWork): Promise<ProvenHours> {
  const { nodes, logs, pools, folder, start, last, times, before } = work;
  const begin = (await firstBlocksAt(nodes, [start], { first: await readBlock(nodes, 0), last }))[0];
  const firstBlock = begin?.number ?? last.number + 1;
  // States of another block don't continue here.
  const continued = before?.block === firstBlock - 1 ? before.facts : undefined;
  const unknownFeeds = feedsWithout(continued, pools);
  const known = continued && { ...continued, rounds: withoutKeys(continued.rounds, new Set(unknownFeeds.flat())) };
  const { older, assumed } = await olderPools(work, known, firstBlock);
  let question: PoolQuestion = {
    nodes,
    start,
    firstBlock,
    times,
    // Blocks of a first proof go back to the pools' creation.
    firstPage: known && work.firstPage,
    onProgress: work.onProgress,
    addresses: [...new Set(pools.flatMap(({ address, quote }) => [address, ...addressesOf(quote)]))].sort(),
    older,
    unknownFeeds,
  };
  const proof = new Proof(work, known);
  let first = new PoolLogs(question, logs, folder);
  let tried = await proof.of([first]);
  if (tried.differences.some(({ address }) => assumed.has(address))) {
    question = { ...question, older: new Map([...older, ...Array.from(assumed, (address) => [address, 0] as const)]) };
    first = new PoolLogs(question, logs, folder);
    tried = await proof.of([first]);
  }
  if (tried.differences.length === 0) return tried;

  // Another node may have what is missing. What several send is one history: logs are left out, not made up.
  const sources = [first];
  for (const node of nodes.active) {
    if (!nodes.active.includes(node)) continue;
    const one = new PoolLogs(question, nodeLogs(nodes), `${folder}-${node}`, node);
    sources.push(one);
    for (const together of [[one], sources]) {
      const found = await proof.of(together, { areTimesOfHeaders: true });
      if (found.differences.length > 0) {
        tried = found;
        continue;
      }
      work.onNotice?.(await mendedText(first, together, nodes.hosts[node]!));
      return found;
    }
  }
  for (const source of sources) await source.clear();
  const areDoubtful = known !== undefined && !(await areOfChain(work, known, firstBlock - 1));
  throw new UnprovenPrices(unprovenText(work, firstBlock, tried), areDoubtful);
}

/** Whether states are the chain's; of a block whose state no node keeps, nobody can say so. */
async function areOfChain({ nodes, pools, start }: PoolWork, facts: AllFacts, block: number): Promise<boolean> {
  const states = new PriceStates(pools);
  states.restore(facts);
  try {
    return (await priceDifferences(nodes, states, block, () => start)).length === 0;
  } catch (error) {
    if (error instanceof StateUnavailable) return false;
    throw error;
  }
}

/** The aggregators of each feed whose last answer is not known: their last rounds are read again. */
const feedsWithout = (known: AllFacts | undefined, pools: readonly PricedPool[]): (readonly string[])[] =>
  pools.flatMap(({ quote }) => {
    if (quote.kind !== "feed") return [];
    const isKnown = known?.feeds[quote.address] && quote.aggregators.every((address) => known.rounds[address]);
    return isKnown ? [] : [quote.aggregators];
  });

const withoutKeys = <T>(record: Readonly<Record<string, T>>, keys: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.has(key)));

/** Where the logs of pools begin whose state before the first hour is not known. */
interface OlderPools {
  /** By address, the block of the pool's creation or one before it. */
  older: Map<string, number>;
  /** Pools that are taken to be no older than the asset, since no node keeps the states that tell. */
  assumed: Set<string>;
}

/**
 * Pools whose state before the first hour is not known. It follows from all logs since their creation, which are read for
 * the proof alone. A pool of a quote token may be older than the asset, and so may one that is initialised before the asset's
 * contract exists.
 */
async function olderPools(
  { nodes, pools, assetBlock }: PoolWork,
  known: AllFacts | undefined,
  firstBlock: number,
): Promise<OlderPools> {
  const older = new Map<string, number>();
  const assumed = new Set<string>();
  for (const { address, kind, quote } of pools) {
    if (!known?.pools[address]) {
      const created = POOL_KINDS[kind].startsEmpty ? await creationOf(nodes, address, assetBlock - 1) : assetBlock;
      if (created === undefined) assumed.add(address);
      older.set(address, created ?? assetBlock);
    }
    if (quote.kind !== "pool" || known?.pools[quote.pool.address]) continue;
    older.set(quote.pool.address, (await creationOf(nodes, quote.pool.address, firstBlock - 1)) ?? 0);
  }
  return { older, assumed };
}

/** The block of a pool's creation; `before` + 1 if the pool is newer than that; undefined if no node keeps old states. */
async function creationOf(nodes: Nodes, address: string, before: number): Promise<number | undefined> {
  if (before < 0) return 0;
  const code = await ifKept(() => codeAt(nodes, address, before));
  if (code === undefined) return undefined;
  return code === "0x" ? before + 1 : findFirstBlock(nodes, address, before);
}

/** Blocks that a notice names. */
const NAMED = 10;

/** What the first reading lacked. */
async function mendedText(first: PoolLogs, whole: readonly PoolLogs[], host: string): Promise<string> {
  const had = new Set<string>();
  for await (const { block, logIndex } of first.events()) had.add(`${block} ${logIndex}`);
  const blocks = new Set<number>();
  let missing = 0;
  for await (const { block, logIndex } of mergeEvents(whole.map((source) => source.events()))) {
    if (had.has(`${block} ${logIndex}`)) continue;
    missing++;
    blocks.add(block);
  }
  if (missing === 0) return `Prices: the times of logs were wrong. They are proven with those of headers.`;
  const named = [...blocks].slice(0, NAMED).map(count).join(", ");
  const more = blocks.size > NAMED ? ` and ${count(blocks.size - NAMED)} more` : "";
  return (
    `Prices: ${counted(missing, "log")} of pools and feeds ${missing === 1 ? "was" : "were"} missing, in ` +
    `${blocks.size === 1 ? "block" : "blocks"} ${named}${more}. Read again from ${host}, and proven.`
  );
}

/** Contracts that a failure names. */
const MOST_NAMED = 5;

function unprovenText({ nodes }: PoolWork, firstBlock: number, { differences: found, block }: Attempt): string {
  const named = found.slice(0, MOST_NAMED).map(({ what, address, why }) => `the ${what} ${address}: ${why}`);
  const more = found.length > MOST_NAMED ? `; and ${count(found.length - MOST_NAMED)} more` : "";
  return (
    `Prices can't be proven: the logs of blocks ${firstBlock} to ${block.number} from ${nodes.hosts.join(", ")} don't ` +
    `lead to what the chain says. Of ${named.join("; of ")}${more}. Logs are missing, or wrong. No price was written. Add ` +
    "another node with --rpc, and run this again."
  );
}

function stateText({ hosts }: Nodes, { number }: Block): string {
  return (
    `No node (${hosts.join(", ")}) keeps the state of block ${number} for long enough to prove the prices. Add an --rpc ` +
    "URL of a node that keeps more states."
  );
}

interface Attempt extends ProvenHours {
  differences: PriceDifference[];
}

/** Replays logs up to the block at which states are read, and compares what they lead to with the chain. */
class Proof {
  readonly #work: PoolWork;
  readonly #known: AllFacts | undefined;
  /** The last final block that was seen. */
  #final = 0;

  /** @param known the states before the first hour, of contracts whose state is known */
  constructor(work: PoolWork, known: AllFacts | undefined) {
    this.#work = work;
    this.#known = known;
  }

  async of(sources: readonly PoolLogs[], { areTimesOfHeaders = false } = {}): Promise<Attempt> {
    const { nodes, confirmations, last, times } = this.#work;
    let gone: number | undefined;
    for (let tried = 1; ; tried++) {
      const block = await stateBlock(nodes, confirmations, Math.max(this.#final, last.number), gone);
      this.#final = block.final;
      for (const source of sources) {
        await source.readUpTo(block);
        await source.compare(block, areTimesOfHeaders || times.areWrong);
      }
      try {
        const attempt = await this.#replay(sources, block, areTimesOfHeaders || times.areWrong);
        if (await isStillThere(nodes, block)) return attempt;
      } catch (error) {
        if (!(error instanceof StateUnavailable)) throw error;
        gone = block.number;
      }
      if (tried === BLOCKS_TRIED) throw new Failure(stateText(nodes, block));
      // The chain may not have moved on yet.
      if (tried > 1) await sleep(nodes.patience.firstPauseMs * 2 ** tried);
    }
  }

  async #replay(sources: readonly PoolLogs[], block: Block, areTimesOfHeaders: boolean): Promise<Attempt> {
    const { nodes, pools, start, end, last } = this.#work;
    const states = new PriceStates(pools);
    if (this.#known) states.restore(this.#known);
    const hourly = new HourlyPrices(pools, start, states);
    const hours: HourPrice[] = [];
    let facts: AllFacts | undefined;
    /** What follows belongs to no hour. */
    const finish = () => {
      if (facts) return;
      for (const hour of hourly.until(end)) hours.push(hour);
      facts = states.facts;
    };
    const merged = mergeEvents(sources.map((source) => source.events()));
    for await (const event of areTimesOfHeaders ? withTimesOfHeaders(merged, nodes) : merged) {
      if (event.block <= last.number) for (const hour of hourly.take(event)) hours.push(hour);
      else {
        finish();
        states.apply(event);
      }
    }
    finish();
    const since = (aggregator: string) =>
      Math.max(...sources.map(({ lookedFrom }) => lookedFrom.get(aggregator) ?? start));
    const found = await priceDifferences(nodes, states, block.number, since);
    const { read } = sources[0]!;
    return { hours, notices: hourly.notices, block, facts: facts!, read, differences: found };
  }
}
