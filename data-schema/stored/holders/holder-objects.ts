/**
 * The objects that serve holders: the checkpoint's table, by address; the lists, by each column that they can be sorted by;
 * and the largest of each day, by month. Source: docs/formats.md#holders.
 */

import * as v from "valibot";
import { hash, ownSelector, positive, time, wholeCount } from "../fields.ts";
import { placeField } from "../packs.ts";

/** What holders can be sorted by. */
export const HOLDER_SORTS = [
  "balance",
  "cost",
  "unrealised_profit",
  "realised_profit",
  "received",
  "first_seen",
  "last_active",
] as const;
export type HolderSort = (typeof HOLDER_SORTS)[number];

export const HOLDER_ORDERS = ["desc", "asc"] as const;
export type HolderOrder = (typeof HOLDER_ORDERS)[number];

/** The groups of addresses. Those of all groups are `all`. */
export const HOLDER_GROUPS = ["users", "sc", "cex"] as const;
export type HolderGroup = (typeof HOLDER_GROUPS)[number];

/** How many of a sort, an order and a group are reached. An asset of no more addresses has no lists. */
export const MOST_LISTED = 10_000;

/** How many the largest of a day are. */
export const MOST_LARGEST = 1_000;

/** Where in its object an index is, in bytes, and the first 32 hex digits of its SHA-256. */
const indexPlace = v.strictObject({ offset: positive, length: positive, hash });
export type IndexPlace = v.InferOutput<typeof indexPlace>;

const listedLargest = v.strictObject({
  /** The month, `2024-03`. */
  name: v.pipe(v.string(), v.regex(/^\d{4}-\d{2}$/)),
  hash,
  size: positive,
  at: placeField,
});

/** How the table's and the lists' rows are stored. */
export const HOLDERS_FORMAT = 2;

/** What a manifest says of holders. */
export const holdersSchema = v.strictObject({
  /** Absent in builds of 0.4.0: nobody reads their rows any more. */
  format: v.exactOptional(v.literal(HOLDERS_FORMAT)),
  /** The close of the last complete day, Unix seconds: events before it count. */
  time,
  /** The price at that close, USD per token; 0 before the first price. */
  price: v.pipe(v.number(), v.finite(), v.minValue(0)),
  /** The sum of all balances, raw. */
  supply: v.pipe(v.string(), v.regex(/^(0|[1-9]\d*)$/)),
  /** Addresses that have ever held the token, and those that hold it. */
  addresses: wholeCount,
  holders: wholeCount,
  /** Own cohorts, in the order of the bits of the column `cohorts`; absent without. */
  cohorts: v.exactOptional(v.array(ownSelector)),
  /** The index of the checkpoint's table. */
  index: indexPlace,
  /** Absent if there are at most `MOST_LISTED` addresses. */
  lists: v.exactOptional(v.strictObject({ hash, size: positive, index: indexPlace, at: placeField })),
  /** The months of the largest by day, ascending: those in which a day has a holder. */
  largest: v.array(listedLargest),
});
export type PublishedHolders = v.InferOutput<typeof holdersSchema>;

/** Prefix of the objects of an asset's holders. */
export const holdersPrefix = (symbol: string): string => `holders/${symbol}/`;

/** The lists of an asset's holders. @param hash the first 32 hex digits of the SHA-256 of its bytes */
export const holderListsKey = (symbol: string, hash: string): string => `${holdersPrefix(symbol)}lists.${hash}.parquet`;

/** The largest of each day of a month, `2024-03`. @param hash as `holderListsKey` */
export const largestKey = (symbol: string, month: string, hash: string): string =>
  `${holdersPrefix(symbol)}${month}.${hash}.parquet`;
