/** Pages that have been fetched but are in no file yet: `inputs/<SYMBOL>/.part/`. Survives a kill at any moment. */

import type { BlockRange } from "../chain/pages.ts";

export interface Journal {
  /** The pages that are there, ascending; they do not overlap. */
  readonly pages: readonly BlockRange[];
  /** Stores a page: written, flushed, renamed. */
  put(range: BlockRange, payload: Uint8Array): Promise<void>;
  /** @throws {Failure} the page is damaged; it has been removed and is fetched again by the next run */
  get(range: BlockRange): Promise<Uint8Array>;
  remove(ranges: readonly BlockRange[]): Promise<void>;
}

/**
 * Opens a journal, and drops what is not usable: pages that were being written, damaged ones, those of another identity.
 *
 * @param folder one for each stream of pages, such as `.part/transfers`
 * @param identity what the pages depend on, such as chain, contract and events
 */
export declare function openJournal(folder: string, identity: string): Promise<Journal>;
