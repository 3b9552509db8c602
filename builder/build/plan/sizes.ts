/** How large tasks are, so that those in flight fit the memory that a build may use. */

import { MAX_PARTITIONS } from "../left/partitions.ts";

const MB = 2 ** 20;

/** What the process needs before it has a task, and each thread: code, heaps, DuckDB. */
const PROCESS_BYTES = 220 * MB;
const THREAD_BYTES = 90 * MB;

/** What `map` needs a row: columns, their order, and what is written of them. */
const ROW_BYTES = 380;
/** What `replay` needs an address: the dictionary, a record, and the order at the close. */
const REPLAY_BYTES = 220;
/** What it needs a lot: the lot, and its share of the keys. */
const LOT_BYTES = 60;

/** What the process has grown to when it writes blocks, also by memory that the allocator keeps. */
const GROWN_BYTES = 340 * MB;

/** With less memory for a task there would be more tasks than they are worth. */
const LEAST_BYTES = 56 * MB;

/** Larger runs save nothing. */
const MOST_ROWS = 1_000_000;
const LEAST_ROWS = 100_000;
/** Up to so many rows, one task is quicker than several. */
export const FEW_ROWS = 200_000;

/** Few tokens have more years of history. */
const HOUR_TASKS = 8;

/** Rows that a share has at most, if its task may use so many bytes. */
export const mostRows = (bytes: number) => Math.min(MOST_ROWS, Math.max(1, Math.floor(bytes / ROW_BYTES)));

/**
 * Partitions of so many addresses, if one may use so many bytes: a power of two.
 *
 * @param each bytes of an address; left out, those that its replay needs
 */
export const leastPartitions = (addresses: number, bytes: number, each = REPLAY_BYTES) =>
  Math.min(MAX_PARTITIONS, 2 ** Math.ceil(Math.log2(Math.max(1, (addresses * each) / bytes))));

export interface TaskSizes {
  /** Roughly how many rows a share should have, given the number of all rows. */
  rows(all: number): number;
  /** Bytes that a task may use. */
  bytes: number;
  /**
   * @param events and addresses of the checkpoint before
   * @param addresses of both
   * @param lots that they may have by one method
   * @returns a power of two
   */
  partitions(events: number, addresses: number, lots?: number): number;
  /** How many tasks write hours: roughly one a year, or fewer. */
  hours(rows: number, held: number): number;
  /** How many tasks write blocks and the checkpoint. */
  writes(rows: number, held: number): number;
  /** How many of these run at once if one needs so many bytes. */
  writesAtOnce(bytes: number): number;
}

/** How many of the threads have room in the memory, in bytes. */
export function threadsThatFit(memory: number, threads: number): number {
  return atOnce(memory - PROCESS_BYTES, LEAST_BYTES, threads);
}

const atOnce = (room: number, taskBytes: number, threads: number) =>
  Math.min(threads, Math.max(1, Math.floor(room / (taskBytes + THREAD_BYTES))));

/**
 * @param memory bytes that the tasks in flight may use together
 * @param threads how many they are, of those that fit
 */
export function taskSizes(memory: number, threads: number): TaskSizes {
  const bytes = Math.max(LEAST_BYTES, (memory - PROCESS_BYTES) / threads - THREAD_BYTES);
  return {
    rows(all) {
      if (all <= FEW_ROWS) return FEW_ROWS;
      const most = Math.max(LEAST_ROWS, mostRows(bytes));
      // A multiple of the threads: none waits for the last share of another.
      return Math.ceil(all / (threads * Math.ceil(all / most / threads)));
    },
    bytes,
    writesAtOnce: (bytes) => atOnce(memory - GROWN_BYTES, bytes, threads),
    partitions(events, addresses, lots = 0) {
      if (events <= FEW_ROWS) return 1;
      const needed = Math.max(threads, (addresses * REPLAY_BYTES + lots * LOT_BYTES) / bytes);
      return Math.min(MAX_PARTITIONS, 2 ** Math.ceil(Math.log2(needed)));
    },
    hours: (rows, held) => (rows + held <= FEW_ROWS ? threads : Math.max(threads, HOUR_TASKS)),
    // A few a thread, because some take longer than others.
    writes: (rows, held) => (rows + held <= FEW_ROWS ? threads : Math.max(4 * threads, Math.ceil(rows / MOST_ROWS))),
  };
}
