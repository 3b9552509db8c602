/**
 * The lists by a column in an order: a page of 32-bit integers. Of each group of addresses it has the numbers of the rows, in
 * the order of the list; then, for each place among all addresses, the group whose next row it is. Source: docs/formats.md#holders.
 */

import { encodeChunk } from "../../parquet/chunk.ts";
import type { Inflate } from "../../parquet/plain-pages.ts";
import { plainColumns } from "../../parquet/plain-pages.ts";
import { splitBytes } from "../../parquet/split-bytes.ts";
import { HOLDER_GROUPS, type HolderGroup } from "./holder-objects.ts";

/** Numbers of rows, by group of addresses. */
export type HolderNumbers = Readonly<Record<HolderGroup, Uint32Array>>;

/** @param mix places of groups in `HOLDER_GROUPS` */
export function packOrder(lists: HolderNumbers, mix: readonly number[]): Uint8Array<ArrayBuffer> {
  const parts = [...HOLDER_GROUPS.map((group) => lists[group]), mix];
  const numbers = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    numbers.set(part, at);
    at += part.length;
  }
  const data = new Uint8Array(numbers.buffer);
  return encodeChunk({
    ...{ name: "order", type: "INT32", codec: "ZSTD", rows: numbers.length },
    ...{ encoding: "BYTE_STREAM_SPLIT", data: splitBytes(data, 4) },
  }).bytes;
}

/**
 * The numbers of the rows of a list, in its order.
 *
 * @param rows of each group's list
 * @param group null for all addresses
 * @throws {Error} the bytes are no such page
 */
export function unpackOrder(
  bytes: Uint8Array,
  rows: Readonly<Record<HolderGroup, number>>,
  group: HolderGroup | null,
  inflate?: Inflate,
): Uint32Array {
  const [page] = plainColumns(bytes, 1, inflate);
  const numbers = new Uint32Array(page!.values.buffer, 0, page!.rows);
  const ends: number[] = [];
  for (const name of HOLDER_GROUPS) ends.push((ends.at(-1) ?? 0) + rows[name]);
  const starts = [0, ...ends];
  const place = group === null ? -1 : HOLDER_GROUPS.indexOf(group);
  if (numbers.length < ends.at(-1)!) throw new Error("it lacks rows of lists");
  if (place >= 0) return numbers.subarray(starts[place], ends[place]);
  return numbers.subarray(ends.at(-1)).map((own) => {
    const next = starts[own]!++;
    if (!(next < ends[own]!)) throw new Error("it mixes more rows than there are");
    return numbers[next]!;
  });
}
