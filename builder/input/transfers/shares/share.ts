/**
 * Shares of an asset's transfers: ranges of blocks that are read on their own, on any thread or machine. Rows that repeat
 * or contradict each other are of one block, so they meet in one share.
 */

import type { History } from "../../../engine/history.ts";
import type { InputFile } from "../../files/files.ts";
import type { HistoryRole } from "../../files/known-files.ts";
import type { RowCounts } from "../columns/transfer-columns.ts";
import type { ShapeUse } from "../columns/transfer-shape.ts";

/** A contract that the token had before. JSON. */
export interface FormerContract {
  /** Its position in the asset's `predecessors`. */
  at: number;
  contract: string;
  /** The last block whose transfers count; absent if all do. */
  until?: number;
}

/** A file of transfers, or of the times of their blocks. JSON. */
export interface HistoryFile {
  role: HistoryRole;
  file: InputFile;
  /** If its transfers are of a contract that the token had before. */
  former?: FormerContract;
  /** For transfers, the name of the column of contracts, if it has a name of its own; null if there is none. */
  contractColumn?: string | null;
  /** For transfers, the shape that it is read through; absent if it has the plain columns. */
  shape?: ShapeUse;
  /** Whether it is what the last build read. */
  isSame: boolean;
  /** Rows when the last build read it, those of them after its checkpoint, and rows now, if the survey has counted them. */
  known?: { rows: number; rowsAfter?: number };
  added?: { rows: number };
}

/** The part of a survey that reading needs. JSON. */
export interface Files {
  history: readonly HistoryFile[];
}

/** The blocks from `from` up to, but not including, `to`; open where undefined. JSON. */
export interface Share {
  from?: number;
  to?: number;
  /** Positions in the survey's `history` of the files that may have rows of these blocks. */
  files: number[];
  /** The asset's rows that it may have; a little less in bad cases. Undefined for a single share. */
  rows?: number;
}

/** What the asset's rows of a file say of themselves. JSON. */
export interface FileEvidence {
  /** How many a reorganisation has removed, and the number of the first of them in the file, from 0. */
  removed?: { rows: number; first: number };
}

/** What is known of the files of transfers before their rows are read, and how the rows are shared out. JSON. */
export interface Reading {
  /** The shares in the order of blocks; every block is in one of them. */
  shares: Share[];
  /** The rows of each file of the survey's `history`; null if only reading tells, which a single share then does. Files of blocks have none of the asset. */
  counts: (RowCounts | null)[];
  /** The asset's rows, repeats included; an estimate from the files' sizes where `counts` has null. */
  rows: number;
  /** How many addresses those have, about; undefined if they were not counted. */
  addresses?: number;
  /** By position in `history`: the path of a copy that is sorted by block and has the asset's rows only. */
  sorted: Record<number, string>;
  /** By position in `history`, what rows say. Undefined if only reading tells, which a single share then does. */
  evidence?: Record<number, FileEvidence>;
  /** By the name of a log (`logName`) that gave out what a holder had in a snapshot: what it gave beyond that, raw. Absent without. */
  claims?: Record<string, string>;
  /** Where the balances of snapshots differ from those by the transfers. Absent if they don't. */
  settlements?: Settlement[];
  /** What of snapshots has not been given out: sentences for the user. */
  unclaimed?: string[];
  /** Why a build can't resume: what was given out before its checkpoint may count otherwise by now. A clause. */
  reopened?: string;
  /** When a build resumes: the last block of its checkpoint. Only rows after it are read. */
  after?: number;
  /** The first and the last block of the transfers, if their times come from files of blocks and shares are many. */
  extent?: [first: number, last: number];
}

/** A row of a share. JSON. */
export interface RowPlace {
  /** Position in the reading's `shares`. */
  share: number;
  /** Position in the survey's `history`. */
  file: number;
  /** Number among the asset's rows of that file in the share, from 0. */
  row: number;
  block: number;
  /** Unix seconds. */
  time: number;
}

/** How the balances of a snapshot differ from those by the transfers: what is minted and burned right after a block. JSON. */
export interface Settlement {
  block: number;
  /** When the block was, Unix seconds. */
  time: number;
  /** Addresses, ascending, and raw amounts; negative ones are burned. */
  changes: [address: string, raw: string][];
}

/** Swaps of old tokens for new ones that have been carried over: how many, and their tokens, raw. JSON. */
export interface Swapped {
  swaps: number;
  raw: string;
}

/** What happened to the rows of a share. JSON. */
export interface ShareFacts {
  /** The first and the last row in block order, before the cut at as-of. Undefined without rows. */
  first?: RowPlace;
  last?: RowPlace;
  duplicates: number;
  skippedAfterAsOf: number;
  /** By position in `history`: the asset's rows of each UTC day (its start in Unix seconds), repeats and rows after as-of included. */
  rowsByDay: Record<number, [day: number, rows: number][]>;
  /** By position in `history`: all rows of the share's files, of the asset or not. */
  counts: Record<number, number>;
  /** What was swapped; absent where the token had no contract before. */
  swapped?: Swapped;
  /** What rows say, as in a reading without it. Undefined if they say nothing. */
  evidence?: Record<number, FileEvidence>;
  /** Whether the times of some transfers come from files of blocks. */
  needsBlocks: boolean;
}

export interface ReadShare extends ShareFacts {
  /** Sorted, without repeats, cut at the asset's as-of if it has one. */
  history: History;
}
