/**
 * What the stages leave for one another. A *run* is the events of a task of `map`, in order; a *half* is an event as a
 * partition sees it, which knows its own addresses only.
 */

import type { Layout } from "../../lib/fixed-width-table.ts";
import { KEPT_COLUMNS } from "../checkpoint/checkpoint-rows.ts";

/** By run. The first row group has the run's first day, so that the run before can complete its last day with it. */
export const EVENT_LAYOUT = {
  block: "f64",
  logIndex: "u32",
  /** Unix seconds. */
  time: "f64",
  /** The groups of sender and receiver plus 1, of those that are not on the list with a mark; 0 is the zero address. */
  from: "u8",
  to: "u8",
} as const satisfies Layout;

/** By run; a row group a partition, with the addresses of the run that it has. */
export const DICTIONARY = { address: ["u8", 20], label: "u8" } as const satisfies Layout;

/** By run; a row group a partition, with the events that count. @param words 32-bit words of each value */
export const halves = <const W extends number>(words: W) =>
  ({
    /** Number of the event in the run. */
    row: "rising u32",
    /**
     * 0 is the zero address, 1 one of another partition, 2 that of an exchange; 3 is the first of the partition's row group of
     * `DICTIONARY`.
     */
    from: "u32",
    to: "u32",
    time: "f64",
    value: ["u32", words],
  }) as const satisfies Layout;

/** By partition; two row groups a run, with the events of its first day and the others. As `Standings` of engine/history/history.ts. */
export const STANDINGS = {
  row: "rising u32",
  /** 0 where only the receiver is the partition's, and the sender another's; not in a replay of a list. */
  tokens: "f64",
  /** 0 where the sender is not the partition's; so are the standings of sender and receiver. */
  basis: "f64",
  since: "f64",
  sender: "u16",
  receiver: "u16",
  firsts: "u16",
} as const satisfies Layout;

/**
 * Addresses that have held the token, in ascending order, with what they hold: of the checkpoint before, a row group a
 * partition; at the close of the last day, by partition in batches. @param words 32-bit words of each balance
 */
export const held = <const W extends number>(words: W) =>
  ({
    address: ["u8", 20],
    label: "u8",
    balance: ["u32", words],
    ...KEPT_COLUMNS,
  }) as const satisfies Layout;

/**
 * By method and partition: the pieces of lots that the partition's sends take, in their order. For each row group of `STANDINGS`
 * there are as many as the file's entry says.
 */
export const PIECES = {
  /** Number of the event in the run. */
  row: "rising u32",
  tokens: "f64",
  /** The hour of purchase, since 1970, and the price then, USD per token. */
  hour: "u32",
  price: "f64",
  sender: "u16",
} as const satisfies Layout;

/**
 * By method, partition and run: how what is held of each key of lots changes, from close to close, in one row group or none.
 * @param words 32-bit words of a change of all addresses and of one of users, in two's complement
 */
export const book = <const W extends number>(words: W) =>
  ({
    /** The number of the close, from 1; 0 is what the checkpoint has. */
    close: "rising u32",
    hour: "u32",
    price: "f64",
    amounts: ["u32", words],
  }) as const satisfies Layout;

/** By partition, a file for each row of engine/closes/closes.ts: its digits. What is needed to read them is the file's entry. */
export const CLOSE_LAYOUT = { digit: "u32" } as const satisfies Layout;

/** By partition; a row group a calendar year: how the buckets of distributions change (engine/distributions/change-log.ts). */
export const CHANGES = { word: "u32" } as const satisfies Layout;

/**
 * By run, of the days that begin in it, and of the days of the week and the month that the last build has left open: the transfers
 * of a day, in one or more row groups (stages/transfers.ts).
 */
export const TRANSFERS = {
  /** Whole tokens, and USD per token. */
  tokens: "f64",
  price: "f64",
} as const satisfies Layout;

/**
 * By run, and as they are published by month: the largest transfers of each day, day by day, in one row group, or none.
 * Readers are in data-schema/stored/large-transfer-rows.ts. @param words 32-bit words of each value
 */
export const largeTransfers = <const W extends number>(words: W) =>
  ({
    /** Unix seconds. */
    time: "i64",
    block: "i64",
    logIndex: "u32",
    from: ["u8", 20],
    to: ["u8", 20],
    fromLabel: "u8 as i32",
    toLabel: "u8 as i32",
    /** USD per token; 0 before the first price. */
    price: "f64",
    value: ["u32", words],
  }) as const satisfies Layout;

/** By run: times as differences, and the values of its hours and days for each kind and metric; a row group each (stages/run-points.ts). */
export const POINTS = { number: "f64" } as const satisfies Layout;
