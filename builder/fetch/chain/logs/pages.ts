/** Logs of ranges of blocks, in pages: what their sources have in common. */

/** Both ends inclusive. */
export interface BlockRange {
  from: number;
  to: number;
}

/** A filter of logs, as `eth_getLogs` takes it. */
export interface LogFilter {
  address: string | readonly string[];
  topics: readonly (string | readonly string[] | null)[];
}

/** A log as nodes send it: hexadecimal texts, unchecked. */
export interface RawLog {
  address: string;
  topics: string[];
  data: string;
  blockNumber: string;
  blockHash: string;
  logIndex: string;
  /** Missing or 0x0 where a node does not know it. */
  blockTimestamp?: string;
  removed?: boolean;
}

/** Why a page can't be used. Another node is asked, or a narrower range. */
export class BadPage extends Error {
  override name = "BadPage";
}

/** Where logs come from: nodes, or SQD's portal. */
export interface LogSource {
  /** For fetch.json and messages. */
  readonly name: "rpc" | "portal";
  /**
   * Reads the logs of ranges, several pages at once, in any order of pages.
   *
   * @param decode checks and converts the logs of a page; throws `BadPage` if they can't be right
   * @param onPage called once for each block of the ranges, with pages that don't overlap; awaited
   * @throws {Failure} a single block can't be read from any node, or as `Nodes.ask`
   */
  read<T>(
    filter: LogFilter,
    ranges: readonly BlockRange[],
    decode: (logs: readonly RawLog[], range: BlockRange) => T | Promise<T>,
    onPage: (range: BlockRange, page: T) => Promise<void>,
    options?: ReadOptions,
  ): Promise<void>;
}

export interface ReadOptions {
  /** Index of the only node to ask. */
  node?: number;
  /** Blocks of the first page. Default: as many as have few logs by their density, or 20. */
  firstPage?: number | undefined;
  /** Logs that a block most likely has. Readings of few logs that begin at the same time share requests. */
  density?: number | undefined;
  /** These blocks were read before, and logs were missing: no answer is believed to be whole. */
  isRepeated?: boolean | undefined;
  /** Ends the reading with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Blocks of ranges, those that follow each other or overlap as one range; ascending. */
export function joined(ranges: readonly BlockRange[]): BlockRange[] {
  const whole: BlockRange[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last && last.to + 1 >= from) last.to = Math.max(last.to, to);
    else whole.push({ from, to });
  }
  return whole;
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
