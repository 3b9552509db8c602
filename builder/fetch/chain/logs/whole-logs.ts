/**
 * Answers that may have been cut at a limit, without an error: they are read again in parts, which together have more if so.
 * Source: docs/chain.md#nodes-and-limits.
 */

import { count } from "../../../lib/terminal/amount-text.ts";
import type { AnswerLimit, Doubts } from "../nodes/answer-limit.ts";
import { NodeError } from "../rpc/failures.ts";
import { BadPage, type BlockRange, type LogFilter, type RawLog } from "./pages.ts";

/** What a node is asked for. */
export interface LogQuestion {
  filter: LogFilter;
  range: BlockRange;
}

/** One node. Its logs are in order, and what was asked for. */
export interface Answerer {
  limit: AnswerLimit;
  logs(question: LogQuestion): Promise<RawLog[]>;
  /** Logs of a single block, by the receipts of its transactions; undefined if the node does not give them. */
  logsOfReceipts(question: LogQuestion): Promise<RawLog[] | undefined>;
}

/**
 * Reads the logs of a page, and proves that they are all if they may have been cut.
 *
 * @throws {NodeError} `oversized`: they were
 * @throws {BadPage} it can't be told, or the node's answers don't agree
 */
export async function wholeLogs(
  node: Answerer,
  question: LogQuestion,
  doubts: Omit<Doubts, "isOfBlock">,
): Promise<RawLog[]> {
  const { from, to } = question.range;
  const logs = await node.logs(question);
  if (!node.limit.takes(logs.length, { ...doubts, isOfBlock: from === to })) return logs;
  return from === to ? provenBlock(node, question, logs) : provenPage(node, question, logs);
}

async function provenPage(node: Answerer, question: LogQuestion, logs: RawLog[]): Promise<RawLog[]> {
  const { limit } = node;
  if (limit.isNear(logs.length)) throw cut(logs.length);
  const parts = partsOf(question.range, logs);
  const found: RawLog[][] = [];
  for (const range of parts) found.push(await node.logs({ ...question, range }));
  const sum = found.reduce((total, { length }) => total + length, 0);
  if (sum < logs.length) throw new BadPage("its logs were not there when they were read again");
  if (sum > logs.length) {
    // An answer that is another one each time, or shorter than one of its parts, was not cut at a limit.
    const again = await node.logs(question);
    const isSame = again.length === logs.length && found.every(({ length }) => length <= logs.length);
    if (isSame && limit.isCut(logs.length)) throw cut(logs.length);
    throw new BadPage("it lacks logs that were there when they were read again");
  }
  const block = found.findIndex(({ length }) => length === logs.length);
  if (block >= 0) return provenBlock(node, { ...question, range: parts[block]! }, logs);
  limit.isWhole(logs.length);
  return logs;
}

const cut = (length: number) =>
  new NodeError("oversized", `its answers end after ${count(length)} logs without saying so`);

/** Parts of a page that have about half of its logs; if all are of one block, what is before it, itself, and what is after it. */
function partsOf({ from, to }: BlockRange, logs: readonly RawLog[]): BlockRange[] {
  const [first, middle, last] = [0, logs.length >> 1, logs.length - 1].map((index) => Number(logs[index]!.blockNumber));
  const starts = first === last ? [from, first!, first! + 1] : [from, first === middle ? middle! + 1 : middle!];
  return starts
    .map((start, index) => ({ from: start, to: (starts[index + 1] ?? to + 1) - 1 }))
    .filter((part) => part.from <= part.to);
}

/** A block can't be read in parts, but by contract, by event, and by its receipts. */
async function provenBlock(node: Answerer, question: LogQuestion, logs: RawLog[]): Promise<RawLog[]> {
  const filters = partsOfFilter(question.filter);
  const found = filters
    ? await logsOfFilters(node, question, filters, logs.length)
    : await node.logsOfReceipts(question);
  // Receipts that are pruned are an empty list.
  const isTold = found !== undefined && found.length >= logs.length;
  if (!isTold && node.limit.isAt(logs.length)) {
    throw new BadPage(`its answers end after ${count(logs.length)} logs, and the block may have more`);
  }
  if (isTold && found.length > logs.length) node.limit.isCut(logs.length);
  else node.limit.isWhole(logs.length);
  return isTold ? found : logs;
}

/** @param limit logs with which an answer may have been cut */
async function logsOfFilters(node: Answerer, question: LogQuestion, filters: readonly LogFilter[], limit: number) {
  const found: RawLog[] = [];
  for (const filter of filters) {
    const part = { ...question, filter };
    const logs = await node.logs(part);
    found.push(...(logs.length < limit ? logs : await provenBlock(node, part, logs)));
  }
  return found.sort((a, b) => Number(a.logIndex) - Number(b.logIndex));
}

function partsOfFilter({ address, topics }: LogFilter): LogFilter[] | undefined {
  const [events, ...others] = topics;
  if (typeof address !== "string" && address.length > 1) {
    return halvesOf(address).map((part) => ({ address: part, topics }));
  }
  if (typeof events !== "string" && events && events.length > 1) {
    return halvesOf(events).map((part) => ({ address, topics: [part, ...others] }));
  }
  return undefined;
}

function halvesOf<T>(list: readonly T[]): [T[], T[]] {
  const middle = list.length >> 1;
  return [list.slice(0, middle), list.slice(middle)];
}
