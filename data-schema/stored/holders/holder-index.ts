/** The indexes in objects of holders: where their row groups are. Source: docs/formats.md#holders. */

import * as v from "valibot";
import { encodeChunk } from "../../parquet/chunk.ts";
import type { Inflate } from "../../parquet/plain-pages.ts";
import { plainColumns } from "../../parquet/plain-pages.ts";
import { positive, wholeCount } from "../fields.ts";
import { HOLDER_GROUPS, HOLDER_ORDERS, HOLDER_SORTS } from "./holder-objects.ts";

/** A row group: where its columns are in the object, in bytes; its rows; and the first 16 hex digits of the SHA-256 of those bytes. */
const group = {
  offset: positive,
  length: positive,
  rows: positive,
  digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
};
const holderGroup = v.strictObject(group);
export type HolderGroupPlace = v.InferOutput<typeof holderGroup>;

const tableIndexSchema = v.strictObject({
  /** `first` is the first address, 40 hex digits; ascending. */
  groups: v.array(v.strictObject({ ...group, first: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/)) })),
});
export type HolderTableIndex = v.InferOutput<typeof tableIndexSchema>;

const forEach = <const Names extends readonly string[], Of>(names: Names, of: Of) =>
  Object.fromEntries(names.map((name) => [name, of])) as { [Name in Names[number]]: Of };

const { rows: _, ...page } = group;
const orderPage = v.strictObject(page);
export type HolderOrderPlace = v.InferOutput<typeof orderPage>;

const listsIndexSchema = v.strictObject({
  /** The row groups of all listed addresses, each of as many rows as the first, but for the last. */
  groups: v.array(holderGroup),
  /** Rows of each list, by group of addresses. */
  rows: v.strictObject(forEach(HOLDER_GROUPS, wholeCount)),
  /** By column and order: where in the object the lists are (`holder-order.ts`). */
  orders: v.strictObject(forEach(HOLDER_SORTS, v.strictObject(forEach(HOLDER_ORDERS, orderPage)))),
});
export type HolderListsIndex = v.InferOutput<typeof listsIndexSchema>;

/** Reads an index: JSON, in a page as columns are. @throws {Error} it is none of this version */
export const parseTableIndex = (bytes: Uint8Array, inflate?: Inflate): HolderTableIndex =>
  v.parse(tableIndexSchema, unpack(bytes, inflate));
export const parseListsIndex = (bytes: Uint8Array, inflate?: Inflate): HolderListsIndex =>
  v.parse(listsIndexSchema, unpack(bytes, inflate));

/** Bytes of the JSON of an index are a multiple of this, as those of columns are: blanks fill it up. */
const INDEX_UNIT_BYTES = 4;

/** The bytes of an index. */
export function packIndex(index: object): Uint8Array<ArrayBuffer> {
  const json = JSON.stringify(index);
  // All of it is ASCII.
  const data = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / INDEX_UNIT_BYTES) * INDEX_UNIT_BYTES));
  const rows = data.length / INDEX_UNIT_BYTES;
  return encodeChunk({ name: "index", type: "INT32", codec: "ZSTD", rows, encoding: "PLAIN", data }).bytes;
}

function unpack(bytes: Uint8Array, inflate?: Inflate): unknown {
  const [page] = plainColumns(bytes, 1, inflate);
  return JSON.parse(new TextDecoder().decode(page!.values));
}

/** The row group that may have an address; undefined if no group has. @param address 40 hex digits, lower-case */
export function groupOfAddress(
  { groups }: HolderTableIndex,
  address: string,
): HolderTableIndex["groups"][number] | undefined {
  let [low, high] = [0, groups.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (groups[middle]!.first <= address) low = middle + 1;
    else high = middle;
  }
  return groups[low - 1];
}
