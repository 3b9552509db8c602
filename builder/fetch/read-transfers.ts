/** Reads transfers from a chain: its logs, decoded, with their blocks' times. */

import { readBlocks } from "./chain/blocks.ts";
import type { Nodes } from "./chain/nodes.ts";
import type { BlockRange, LogSource, ReadOptions } from "./chain/pages.ts";
import type { TransferColumns } from "./columns.ts";
import { decodeLogs, type EventSource, transferFilter } from "./decode.ts";
import { type LoggedBlock, newestOf } from "./log-hashes.ts";
import { type LogTimes, senderOf } from "./log-times.ts";
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

/**
 * Reads the transfers of ranges, several pages at once, in any order of pages.
 *
 * @param ranges ascending; each page lies in one of them
 * @param onPage called once for each block of the ranges, with pages that don't overlap, and the newest block that has logs;
 *   awaited
 * @throws {Failure} as `LogSource.read`, or the contract does not record its transfers as its kind does
 */
export async function readTransfers(
  { nodes, logs, events, times }: TransferSource,
  ranges: readonly TimedRange[],
  onPage: (range: BlockRange, page: TransferColumns, newest: LoggedBlock | undefined) => Promise<void>,
  options: ReadOptions = {},
): Promise<void> {
  const boundsOf = (block: number) => ranges.findLast(({ from }) => from <= block)!.bounds;
  await logs.read(
    transferFilter(events),
    ranges.filter(({ from, to }) => from <= to),
    async (page, range) => ({
      columns: await completeTimes(decodeLogs(page, events), boundsOf(range.from), {
        read: (numbers) => readBlocks(nodes, numbers),
        compare: (header, said) => times.compare(header, said, senderOf(logs.name, nodes)),
      }),
      newest: newestOf(page),
    }),
    (range, { columns, newest }) => onPage(range, columns, newest),
    options,
  );
}

/** The parts of ranges that no page covers. */
export function missingParts<R extends BlockRange>(ranges: readonly R[], pages: readonly BlockRange[]): R[] {
  const missing: R[] = [];
  let page = 0;
  for (const range of ranges) {
    let { from } = range;
    while (page < pages.length && pages[page]!.to < from) page++;
    for (let next = page; next < pages.length && pages[next]!.from <= range.to; next++) {
      if (pages[next]!.from > from) missing.push({ ...range, from, to: pages[next]!.from - 1 });
      from = Math.max(from, pages[next]!.to + 1);
    }
    if (from <= range.to) missing.push({ ...range, from });
  }
  return missing;
}
