/** Block times of a page: from its logs where they are plausible, else from headers. */

import type { Block } from "../chain/blocks.ts";
import { BadPage } from "../chain/logs/pages.ts";
import type { DecodedPage } from "./decode-logs.ts";
import type { TransferColumns } from "./fetched-columns.ts";

/** The times between which the blocks of a page lie, Unix seconds, both inclusive. */
export interface TimeBounds {
  least: number;
  greatest: number;
}

/**
 * Completes the times of a page. A time that is missing, 0 or out of bounds is read from the block's header; if the times
 * then decrease, all of them are.
 *
 * @param headers those of blocks, in their order; and what is told of each that was read, with the log's time, 0 if it has none
 * @returns the page's columns; their times never decrease
 * @throws {BadPage} the headers are of other blocks than the logs, or their times are out of bounds, too
 */
export async function completeTimes(
  { columns, blocks }: DecodedPage,
  bounds: TimeBounds,
  headers: { read(numbers: readonly number[]): Promise<Block[]>; compare?(header: Block, said: number): void },
): Promise<TransferColumns> {
  const times = blocks.map(({ firstRow }) => columns.time[firstRow]!);
  const isWithin = (time: number) => time > 0 && time >= bounds.least && time <= bounds.greatest;
  const readAgain = async (indexes: number[]) => {
    const read = await headers.read(indexes.map((index) => blocks[index]!.number));
    for (const [order, index] of indexes.entries()) {
      const { hash, time } = read[order]!;
      const { number, hash: ofLogs } = blocks[index]!;
      if (hash !== ofLogs) throw new BadPage(`its block ${number} is ${ofLogs}, but the chain's is ${hash}`);
      if (!isWithin(time))
        throw new BadPage(`its block ${number} has the time ${time}, before or after its neighbours`);
      headers.compare?.(read[order]!, columns.time[blocks[index]!.firstRow]!);
      times[index] = time;
    }
  };
  const all = [...times.keys()];
  const missing = all.filter((index) => !isWithin(times[index]!));
  if (missing.length > 0) await readAgain(missing);
  const decreasing = (index: number) => index > 0 && times[index]! < times[index - 1]!;
  if (all.some(decreasing)) await readAgain(all);
  const wrong = all.find(decreasing);
  if (wrong !== undefined)
    throw new BadPage(`the time of its block ${blocks[wrong]!.number} is before that of the block before`);

  for (const [index, { firstRow }] of blocks.entries()) {
    columns.time.fill(times[index]!, firstRow, blocks[index + 1]?.firstRow ?? columns.rows);
  }
  return columns;
}
