/**
 * The largest transfers of each day: where they are stored, and what is told of each. Source: docs/methodology.md §13 and
 * docs/formats.md#large-transfers.
 */

import * as v from "valibot";
import type { ExchangeSelector } from "../registry/exchanges.ts";
import { hash, positive } from "./fields.ts";
import type { RecordColumn } from "./holders/holder-columns.ts";
import type { HolderGroup } from "./holders/holder-objects.ts";
import { placeField } from "./packs.ts";

/** How many of a day are kept. */
export const MOST_LARGE_TRANSFERS = 20;

/** What a manifest says of them: the months in which a day has a transfer, ascending. */
export const publishedTransfersSchema = v.strictObject({
  largest: v.array(
    v.strictObject({
      /** The month, `2024-03`. */
      name: v.pipe(v.string(), v.regex(/^\d{4}-\d{2}$/)),
      hash,
      size: positive,
      at: placeField,
    }),
  ),
});
export type PublishedTransfers = v.InferOutput<typeof publishedTransfersSchema>;

/** Prefix of the objects of an asset's transfers. */
export const transfersPrefix = (symbol: string): string => `transfers/${symbol}/`;

/**
 * The largest transfers of each day of a month, `2024-03`.
 *
 * @param hash the first 32 hex digits of the SHA-256 of its bytes
 */
export const largeTransfersKey = (symbol: string, month: string, hash: string): string =>
  `${transfersPrefix(symbol)}${month}.${hash}.parquet`;

/** What is told of a transfer. */
export interface TransferValues {
  /** Unix seconds. */
  t: number;
  block: number;
  log_index: number;
  /** Null: inputs have no hashes. */
  hash: string | null;
  /** `0x` and 40 hex digits. */
  from: string;
  from_group: HolderGroup;
  from_label: ExchangeSelector | null;
  to: string;
  to_group: HolderGroup;
  to_label: ExchangeSelector | null;
  tokens: number;
  raw: string;
  dollars: number;
}

const sideColumns = <const Side extends "from" | "to">(side: Side, does: string) =>
  [
    { name: side, type: "text", description: `The address that ${does}, in lower case.` },
    { name: `${side}_group`, type: "text", description: "Its group: users, sc (contracts) or cex (exchanges)." },
    { name: `${side}_label`, type: "text", nullable: true, description: "The exchange that it belongs to." },
  ] as const;

/** What is told of a transfer, in the order in which it is shown. */
export const LARGE_TRANSFER_COLUMNS = [
  { name: "t", type: "time", description: "The time of its block." },
  { name: "block", type: "count", description: "The number of its block." },
  { name: "log_index", type: "count", description: "Its log's place in the block." },
  {
    name: "hash",
    type: "text",
    nullable: true,
    description: "The hash of its transaction; none as long as the inputs of builds have no hashes.",
  },
  ...sideColumns("from", "sent"),
  ...sideColumns("to", "received"),
  { name: "tokens", type: "number", unit: "token", description: "Whole tokens that moved." },
  { name: "raw", type: "text", description: "The same as an exact integer, in the token's base unit." },
  {
    name: "dollars",
    type: "number",
    unit: "usd",
    description: "What they were worth at the price of that time; 0 before the first price.",
  },
] as const satisfies readonly RecordColumn[];
