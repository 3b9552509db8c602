/** Whether the logs of an answer can be what was asked for, and in what order they are. */

import { isQuantity } from "../hex.ts";
import { BadPage, type BlockRange, type LogFilter, type RawLog } from "./pages.ts";

/** A filter whose addresses and topics can be looked up, lower-case. */
export interface PreparedFilter {
  addresses: ReadonlySet<string>;
  /** Allowed values by position; undefined: any. */
  topics: readonly (ReadonlySet<string> | undefined)[];
}

const lowered = (value: string | readonly string[]) =>
  new Set((typeof value === "string" ? [value] : value).map((text) => text.toLowerCase()));

export function prepareFilter({ address, topics }: LogFilter): PreparedFilter {
  return { addresses: lowered(address), topics: topics.map((topic) => (topic === null ? undefined : lowered(topic))) };
}

const WORD = 66;
const HEX = /^0x[0-9a-fA-F]*$/;

const isWord = (value: unknown) => typeof value === "string" && value.length === WORD && HEX.test(value);

/** A set has few entries and nearly always lower-case ones. */
const has = (set: ReadonlySet<string>, value: string) => set.has(value) || set.has(value.toLowerCase());

/** Every member that counts is the same. */
function isRepeat(a: RawLog, b: RawLog): boolean {
  return (
    a.data.toLowerCase() === b.data.toLowerCase() &&
    a.blockHash.toLowerCase() === b.blockHash.toLowerCase() &&
    a.address.toLowerCase() === b.address.toLowerCase() &&
    a.topics.length === b.topics.length &&
    a.topics.every((topic, position) => topic.toLowerCase() === b.topics[position]!.toLowerCase())
  );
}

function checkLog(log: unknown, filter: PreparedFilter): asserts log is RawLog {
  if (typeof log !== "object" || log === null) throw new BadPage("a log is not an object");
  const { address, topics, data, blockNumber, blockHash, logIndex, blockTimestamp, removed } = log as RawLog;
  if (removed) throw new BadPage("a log is marked as removed");
  if (typeof address !== "string" || !has(filter.addresses, address)) {
    throw new BadPage("a log is from another contract");
  }
  if (!Array.isArray(topics) || topics.length > 4 || !topics.every(isWord))
    throw new BadPage("a log has malformed topics");
  if (typeof data !== "string" || data.length % 2 !== 0 || !HEX.test(data))
    throw new BadPage("a log has malformed data");
  if (!isQuantity(blockNumber)) throw new BadPage("a log has no block number");
  if (!isQuantity(logIndex)) throw new BadPage("a log has no index");
  if (!isWord(blockHash)) throw new BadPage("a log has no block hash");
  // Not every node knows it, or how to write it. A block's header has it, too.
  if (blockTimestamp !== undefined && !isQuantity(blockTimestamp)) delete (log as RawLog).blockTimestamp;
  for (let position = 0; position < filter.topics.length; position++) {
    const allowed = filter.topics[position];
    if (!allowed) continue;
    const topic = topics[position];
    if (topic === undefined || !has(allowed, topic)) throw new BadPage("a log does not match the filter");
  }
}

/**
 * The logs of a block that match a filter.
 *
 * @param receipts what a node answered to `eth_getBlockReceipts`
 * @throws {BadPage} it is no list of receipts
 */
export function matchingLogs(receipts: unknown, { addresses, topics }: PreparedFilter): Partial<RawLog>[] {
  if (!Array.isArray(receipts)) throw new BadPage("the answer is not a list of receipts");
  return receipts.flatMap((receipt: { logs?: Partial<RawLog>[] } | null) => {
    if (!Array.isArray(receipt?.logs)) throw new BadPage("a receipt has no logs");
    return receipt.logs.filter(
      (log) =>
        has(addresses, String(log?.address)) &&
        topics.every((allowed, position) => !allowed || has(allowed, String(log.topics?.[position]))),
    );
  });
}

/**
 * Logs by block and index, without exact repeats.
 *
 * @param result what a node answered to `eth_getLogs`
 * @throws {BadPage} it can't be the logs of the range
 */
export function checkPage(result: unknown, filter: PreparedFilter, range: BlockRange): RawLog[] {
  if (!Array.isArray(result)) throw new BadPage("the answer is not a list of logs");
  const count = result.length;
  const blocks = new Float64Array(count);
  const indexes = new Float64Array(count);
  let isAscending = true;
  for (let i = 0; i < count; i++) {
    const log: unknown = result[i];
    checkLog(log, filter);
    blocks[i] = Number(log.blockNumber);
    indexes[i] = Number(log.logIndex);
    if (blocks[i]! < range.from || blocks[i]! > range.to) throw new BadPage("a log is from a block outside the range");
    if (i > 0 && (blocks[i]! < blocks[i - 1]! || (blocks[i] === blocks[i - 1] && indexes[i]! <= indexes[i - 1]!))) {
      isAscending = false;
    }
  }
  const logs = result as RawLog[];
  if (isAscending) {
    checkHashes(logs, blocks);
    return logs;
  }
  const order = Array.from(logs, (_, i) => i).sort((a, b) => blocks[a]! - blocks[b]! || indexes[a]! - indexes[b]!);
  const kept = order.filter((i, position) => {
    const before = order[position - 1];
    if (before === undefined || blocks[before] !== blocks[i] || indexes[before] !== indexes[i]) return true;
    if (!isRepeat(logs[before]!, logs[i]!)) throw new BadPage("two different logs have the same block and index");
    return false;
  });
  const sorted = kept.map((i) => logs[i]!);
  checkHashes(
    sorted,
    kept.map((i) => blocks[i]!),
  );
  return sorted;
}

/** A block has one hash: others are of another chain, or of a chain that was reorganised meanwhile. */
function checkHashes(logs: readonly RawLog[], blocks: ArrayLike<number>): void {
  for (let i = 1; i < logs.length; i++) {
    if (blocks[i] !== blocks[i - 1]) continue;
    const hash = logs[i]!.blockHash;
    const before = logs[i - 1]!.blockHash;
    if (hash !== before && hash.toLowerCase() !== before.toLowerCase()) {
      throw new BadPage("logs of one block have different block hashes");
    }
  }
}
