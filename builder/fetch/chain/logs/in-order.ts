import type { BlockRange, LogFilter, LogSource, RawLog, ReadOptions } from "./pages.ts";

/**
 * Reads logs of ranges and keeps what is decoded from them in memory.
 *
 * @returns the items of all pages, in the order of the chain
 * @throws {Failure} as `LogSource.read`
 */
export async function readInOrder<T>(
  source: LogSource,
  filter: LogFilter,
  ranges: readonly BlockRange[],
  decode: (logs: readonly RawLog[]) => readonly T[] | Promise<readonly T[]>,
  options: ReadOptions = {},
): Promise<T[]> {
  const pages: { from: number; items: readonly T[] }[] = [];
  const keep = async ({ from }: BlockRange, items: readonly T[]) => {
    if (items.length > 0) pages.push({ from, items });
  };
  await source.read(filter, ranges, decode, keep, options);
  return pages.sort((a, b) => a.from - b.from).flatMap(({ items }) => items);
}
