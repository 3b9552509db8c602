/** Hourly prices in USD: `inputs/<SYMBOL>/prices.csv`, which grows by the hours that are complete and final. */

import type { Block } from "../../chain/blocks.ts";
import type { Nodes } from "../../chain/nodes.ts";
import type { LogSource } from "../../chain/pages.ts";
import type { PriceSource } from "../../input/source.ts";

export interface PriceWork {
  nodes: Nodes;
  logs: LogSource;
  /** The member `source.prices` of ASSET.json; a path needs no update. */
  source: PriceSource;
  contract: string;
  decimals: number;
  /** `inputs/<SYMBOL>`. The journal is below its `.part/prices`. */
  folder: string;
  /** The asset's first block, and the last block before `asOf`. */
  first: Block;
  last: Block;
  /** End of the last final day, Unix seconds: hours that end after it are left for another night. */
  asOf: number;
  /** What the last update returned, from fetch.json. */
  previous?: PricesDone | undefined;
  signal?: AbortSignal | undefined;
  onNotice?(text: string): void;
  onProgress?(done: number, total: number): void;
}

/** For fetch.json, so that hours without a price are not looked at every night. */
export interface PricesDone {
  /** Hours that end at or before this time are done; ISO 8601. */
  until: string;
  /** Digest of the source that they were made with. */
  source: string;
}

export interface UpdatedPrices {
  /** Rows that are new, and times of the first and last row of all, Unix seconds. */
  rows: number;
  first: number | undefined;
  last: number | undefined;
  done: PricesDone;
  /** Renames `.part/prices.csv` to `prices.csv`, and removes the journal. Until then nothing has changed. */
  commit(): Promise<void>;
}

/**
 * Adds the hours since the last update.
 *
 * @returns undefined where the source is a CSV of the user's own
 * @throws {Failure} the source can't be read, or prices.csv was edited
 */
export declare function updatePrices(work: PriceWork): Promise<UpdatedPrices | undefined>;
