/** Reads transfers from a chain: its logs, decoded, with their blocks' times. */

import { type Block, readBlocks } from "../chain/blocks.ts";
import { type BlockRange, joined, type LogSource, type RawLog, type ReadOptions } from "../chain/logs/pages.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { type LoggedBlock, newestOf } from "../times/log-hashes.ts";
import { type LogTimes, senderOf } from "../times/log-times.ts";
import { decodeLogs, type EventSource, transferFilter } from "./decode-logs.ts";
import type { TransferColumns } from "./fetched-columns.ts";
import { completeTimes, type TimeBounds } from "./times.ts";

/** Where transfers are read from. */
export interface TransferSource {
  nodes: Nodes;
  logs: LogSource;
  events: EventSource;
  /** Is told of wrong times in logs. */
  times: LogTimes;
}

/** Blocks whose times are known to lie within bounds. */
export interface TimedRange extends BlockRange {
  bounds: TimeBounds;
}

/** The transfers of some blocks, and the newest of these that has logs. */
interface Page {
  range: BlockRange;
  columns: TransferColumns;
  newest: LoggedBlock | undefined;
}

/**
 * Reads the transfers of ranges, several pages at once, in any order of pages. Ranges that follow each other share requests.
 *
 * @param ranges ascending; each page lies in one of them
 * @param onPage called once for each block of the ranges, with pages that don't overlap; awaited
 * @throws {Failure} as `LogSource.read`, or the contract does not record its transfers as its kind does
 */
export async function readTransferPages(
  { nodes, logs, events, times }: TransferSource,
  ranges: readonly TimedRange[],
  onPage: (range: BlockRange, page: TransferColumns, newest: LoggedBlock | undefined) => Promise<void>,
  options: ReadOptions = {},
): Promise<void> {
  const wanted = ranges.filter(({ from, to }) => from <= to);
  const headers = {
    read: (numbers: readonly number[]) => readBlocks(nodes, numbers),
    compare: (header: Block, said: number) => times.compare(header, said, senderOf(logs.name, nodes)),
  };
  const decode = async (page: readonly RawLog[], { from, to }: BlockRange): Promise<Page[]> => {
    const pages: Page[] = [];
    for (const { bounds, ...range } of wanted) {
      const part = { from: Math.max(from, range.from), to: Math.min(to, range.to) };
      if (part.from > part.to) continue;
      const isWhole = part.from === from && part.to === to;
      const found = isWhole ? page : page.filter(({ blockNumber }) => isWithin(Number(blockNumber), part));
      const columns = await completeTimes(decodeLogs(found, events), bounds, headers);
      pages.push({ range: part, columns, newest: newestOf(found) });
    }
    return pages;
  };
  const put = async (_: BlockRange, pages: readonly Page[]) => {
    for (const { range, columns, newest } of pages) await onPage(range, columns, newest);
  };
  await logs.read(transferFilter(events), joined(wanted), decode, put, options);
}

const isWithin = (block: number, { from, to }: BlockRange) => block >= from && block <= to;
