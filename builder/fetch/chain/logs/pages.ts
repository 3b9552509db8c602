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
  /** Blocks of the first page. Default: 20. */
  firstPage?: number | undefined;
  /** These blocks were read before, and logs were missing: no answer is believed to be whole. */
  isRepeated?: boolean | undefined;
  /** Ends the reading with the signal's reason. */
  signal?: AbortSignal | undefined;
}
