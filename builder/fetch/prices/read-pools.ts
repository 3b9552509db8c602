/** Hourly prices from the logs of pools and feeds: what stood before, then page by page through the journal. */

import { type Block, firstBlocksAt, readBlock, readBlocks } from "../../chain/blocks.ts";
import { readInOrder } from "../../chain/in-order.ts";
import type { Nodes } from "../../chain/nodes.ts";
import { BadPage, type BlockRange, type LogFilter, type LogSource, type RawLog } from "../../chain/pages.ts";
import { openJournal } from "../journal.ts";
import { missingParts } from "../read-transfers.ts";
import { formatEvents, isAbsolute, type PriceEvent, parseEvents, readChange, TOPICS } from "./events.ts";
import { addressesOf, HOUR, type HourlyNotices, HourlyPrices, type HourPrice, type PricedPool } from "./hourly.ts";
import { LONGEST_STANDING } from "./states.ts";

export interface PoolWork {
  nodes: Nodes;
  logs: LogSource;
  pools: readonly PricedPool[];
  /** Of the journal. */
  folder: string;
  /** Start of the first hour, and end of the last, Unix seconds. */
  start: number;
  end: number;
  /** The last block before `end`. */
  last: Block;
  onProgress?(done: number, total: number): void;
}

/** How far to look back for what stood at the start, in seconds: a pool that is traded is found in the first. */
const LOOK_BACK = [HOUR, 24 * HOUR, LONGEST_STANDING];

/** The hours of [start, end) that have a price. */
export async function readPoolPrices(work: PoolWork): Promise<{ hours: HourPrice[]; notices: HourlyNotices }> {
  const { nodes, logs, pools, start, end, last } = work;
  const hourly = new HourlyPrices(pools, start);
  const genesis = await readBlock(nodes, 0);
  const times = [...LOOK_BACK.map((seconds) => start - seconds), start];
  const blocks = await firstBlocksAt(nodes, times, { first: genesis, last });
  const begins = blocks.map((block) => block?.number ?? last.number + 1);
  const firstBlock = begins.pop()!;
  for (const event of await standingBefore(work, begins, firstBlock)) for (const _ of hourly.take(event));

  const addresses = [...new Set(pools.flatMap(({ address, quote }) => [address, ...addressesOf(quote)]))].sort();
  const filter: LogFilter = { address: addresses, topics: [TOPICS] };
  const range = { from: firstBlock, to: last.number };
  const identity = JSON.stringify(["prices", 1, nodes.chainId, addresses]);
  const journal = await openJournal(work.folder, identity, { join: (texts) => Buffer.concat(texts) });
  await journal.remove(journal.pages.filter(({ from, to }) => from < range.from || to > range.to));
  const missing = missingParts([range], journal.pages);
  const total = lengthOf([range]);
  let done = total - lengthOf(missing);
  work.onProgress?.(done, total);
  const decode = async (page: readonly RawLog[]) =>
    Buffer.from(formatEvents(await decodeEvents(nodes, page, start, last)));
  await logs.read(filter, missing, decode, async (page, payload) => {
    await journal.put(page, payload);
    done += lengthOf([page]);
    work.onProgress?.(done, total);
  });
  const hours: HourPrice[] = [];
  for (const page of journal.pages) {
    const text = Buffer.from(await journal.get(page)).toString();
    for (const event of parseEvents(text)) hours.push(...hourly.take(event));
  }
  hours.push(...hourly.until(end));
  return { hours, notices: hourly.notices };
}

/**
 * The events that tell what stands at the start: of each pool the last trade and what changed its liquidity since, of each
 * feed the last answer. What is older than a week counts as dead, so it is not looked for: the prices of an hour depend
 * on the week before it alone, wherever a fetch begins.
 *
 * @param begins first blocks of the stretches to look at, the last stretch first
 */
async function standingBefore(work: PoolWork, begins: readonly number[], firstBlock: number): Promise<PriceEvent[]> {
  const { nodes, logs, pools, start, last } = work;
  /** Addresses of which one must be found, as a feed has several aggregators. */
  const groups = new Map<string, readonly string[]>();
  for (const { address, quote } of pools) {
    for (const group of [[address], addressesOf(quote)]) if (group.length > 0) groups.set(group.join(), group);
  }
  const found: PriceEvent[][] = [];
  let before = firstBlock;
  for (const begin of begins) {
    const wanted = [...groups.values()].flat();
    if (wanted.length === 0 || begin >= before) continue;
    const filter = { address: wanted, topics: [TOPICS] };
    const decode = (page: readonly RawLog[]) => decodeEvents(nodes, page, start - LONGEST_STANDING, last);
    const events = await readInOrder(logs, filter, [{ from: begin, to: before - 1 }], decode);
    for (const [key, group] of groups) {
      if (events.some((event) => group.includes(event.address) && isSettling(event))) groups.delete(key);
    }
    found.unshift(events);
    before = begin;
  }
  return found.flat();
}

/** Whether what came before an event does not matter after it. */
const isSettling = ({ change }: PriceEvent) => isAbsolute(change) && !(change.kind === "answer" && change.answer <= 0n);

/**
 * The events of a page's logs, in order, with the times of their blocks. Of each address and block only those that
 * matter after the block.
 *
 * @throws {BadPage} a log is not what was asked for, or the times can't be right
 */
async function decodeEvents(nodes: Nodes, logs: readonly RawLog[], least: number, last: Block): Promise<PriceEvent[]> {
  const kept: { block: number; address: string; event: Omit<PriceEvent, "time"> }[] = [];
  const settled = new Set<string>();
  // Backwards: what an absolute change of the same block follows leaves no trace.
  for (const log of logs.toReversed()) {
    const [block, address] = [Number(log.blockNumber), log.address.toLowerCase()];
    const key = `${block} ${address}`;
    if (settled.has(key)) continue;
    const event = { address, change: readChange(log) };
    if (isSettling({ ...event, time: 0 })) settled.add(key);
    kept.push({ block, address, event });
  }
  const times = await blockTimes(nodes, logs, new Set(kept.map(({ block }) => block)), least, last);
  return kept.reverse().map(({ block, event }) => ({ time: times.get(block)!, ...event }));
}

/** Block times from the logs where they are plausible, else from headers. */
async function blockTimes(
  nodes: Nodes,
  logs: readonly RawLog[],
  blocks: ReadonlySet<number>,
  least: number,
  last: Block,
): Promise<Map<number, number>> {
  const times = new Map<number, number>();
  let latest = least;
  let isPlausible = true;
  for (const { blockNumber, blockTimestamp } of logs) {
    if (!blocks.has(Number(blockNumber))) continue;
    const time = Number(blockTimestamp ?? 0);
    isPlausible &&= time >= latest && time <= last.time;
    latest = time;
    times.set(Number(blockNumber), time);
  }
  if (isPlausible) return times;
  const headers = await readBlocks(
    nodes,
    [...blocks].sort((a, b) => a - b),
  );
  for (const [index, { number, time }] of headers.entries()) {
    if (time < (headers[index - 1]?.time ?? 0)) throw new BadPage(`its block ${number} is older than the block before`);
    times.set(number, time);
  }
  return times;
}

const lengthOf = (ranges: readonly BlockRange[]) => ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
