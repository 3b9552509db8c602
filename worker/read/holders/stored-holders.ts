/** The objects of holders and their parts: indexes and row groups, each checked against what was published. */

import {
  decodeHolders,
  type HolderColumns,
  type HolderGroupPlace,
  type HolderListsIndex,
  type HolderTableIndex,
  parseListsIndex,
  parseTableIndex,
  unpackOrder,
} from "../../../data-schema/holders.ts";
import type { Inflate } from "../../../data-schema/parquet.ts";
import {
  checkpointKey,
  type HolderGroup,
  type HolderOrder,
  type HolderSort,
  holderListsKey,
  type IndexPlace,
  type Manifest,
  type PublishedHolders,
} from "../../../data-schema/stored.ts";
import { placeName, readRange, type StoredObject, storedPart } from "../../bucket/ranges.ts";
import { verify } from "../../bucket/verify-bytes.ts";
import type { SeriesContext } from "../../context.ts";
import { damaged } from "../../problems/problem.ts";
import { inflate } from "../objects/decode-rows.ts";

/** An asset's build that has holders. */
export interface HeldAsset {
  manifest: Manifest;
  holders: PublishedHolders;
}

/** Every address by itself: the checkpoint's table. */
export function addressTable({ manifest: { symbol, checkpoint } }: HeldAsset): StoredObject {
  if (checkpoint === undefined) throw damaged(`the manifest of ${symbol} has holders and no checkpoint`);
  return { key: checkpointKey(symbol, checkpoint.hash), entry: checkpoint };
}

/** The lists of addresses; null if they are so few that there are none. */
export const listsOf = ({ manifest, holders: { lists } }: HeldAsset): StoredObject | null =>
  lists === undefined ? null : storedPart(manifest, holderListsKey(manifest.symbol, lists.hash), lists);

/** @throws {Problem} 500 or 503 as `readRange` */
export const readTableIndex = (
  table: StoredObject,
  { holders: { index } }: HeldAsset,
  context: SeriesContext,
): Promise<HolderTableIndex> => readIndex(table, index, parseTableIndex, context);

/** @throws {Problem} 500 or 503 as `readRange` */
export const readListsIndex = (
  lists: StoredObject,
  { holders }: HeldAsset,
  context: SeriesContext,
): Promise<HolderListsIndex> => readIndex(lists, holders.lists!.index, parseListsIndex, context);

/** The numbers of the rows of a list, in its order; of all addresses without a group. @throws {Problem} as `readListsIndex` */
export function readOrder(
  lists: StoredObject,
  { orders, rows }: HolderListsIndex,
  sort: HolderSort,
  order: HolderOrder,
  group: HolderGroup | null,
  context: SeriesContext,
): Promise<Uint32Array> {
  const { digest, ...place } = orders[sort][order];
  const parse = (bytes: Uint8Array, inflate: Inflate) => unpackOrder(bytes, rows, group, inflate);
  return readPage(lists, `the order by ${sort} of ${placeName(lists)}`, { ...place, hash: digest }, parse, context);
}

const readIndex = <Index>(
  object: StoredObject,
  place: IndexPlace,
  parse: (bytes: Uint8Array, inflate: Inflate) => Index,
  context: SeriesContext,
): Promise<Index> => readPage(object, `the index of ${placeName(object)}`, place, parse, context);

async function readPage<Parsed>(
  object: StoredObject,
  name: string,
  { offset, length, hash }: IndexPlace,
  parse: (bytes: Uint8Array, inflate: Inflate) => Parsed,
  context: SeriesContext,
): Promise<Parsed> {
  const bytes = await readRange(object, offset, length, (read) => verify(read, hash, name), context);
  try {
    return parse(bytes, inflate);
  } catch (cause) {
    throw damaged(`${name} cannot be read`, cause);
  } finally {
    bytes.buffer.transfer(0);
  }
}

/** Bytes of a decoded row, twice: decompressed, and in a buffer of its own. */
const ROW_BYTES = 256;

/** Bytes that reading row groups holds at once. */
export const bytesOfGroups = (groups: readonly HolderGroupPlace[]): number =>
  groups.reduce((sum, { length, rows }) => sum + length + ROW_BYTES * rows, 0);

/**
 * Neighbouring row groups, in one read.
 *
 * @param use is given each of them in order, to decode it or not; it must not keep what it has decoded
 * @throws {Problem} 500 or 503 as `readRange`; 500 `use` throws
 */
export async function eachGroup(
  object: StoredObject,
  groups: readonly HolderGroupPlace[],
  context: SeriesContext,
  use: (place: number, decode: () => HolderColumns) => void,
): Promise<void> {
  const [first, last] = [groups[0]!, groups.at(-1)!];
  const partOf = (bytes: Uint8Array<ArrayBuffer>, { offset, length }: HolderGroupPlace) =>
    bytes.subarray(offset - first.offset, offset - first.offset + length);
  const check = async (bytes: Uint8Array<ArrayBuffer>) => {
    const name = `a row group of ${placeName(object)}`;
    await Promise.all(groups.map((group) => verify(partOf(bytes, group), group.digest, name)));
  };
  const length = last.offset + last.length - first.offset;
  const bytes = await readRange(object, first.offset, length, check, context);
  try {
    for (const [place, group] of groups.entries()) {
      use(place, () => {
        const columns = decodeHolders(partOf(bytes, group), inflate);
        if (columns.rows !== group.rows) throw new Error(`it has ${columns.rows} rows instead of ${group.rows}`);
        return columns;
      });
    }
  } catch (cause) {
    throw damaged(`${placeName(object)} cannot be decoded`, cause);
  } finally {
    bytes.buffer.transfer(0);
  }
}

/**
 * Neighbouring row groups, in one read.
 *
 * @throws {Problem} 500 or 503 as `readRange`
 */
export async function readGroups(
  object: StoredObject,
  groups: readonly HolderGroupPlace[],
  context: SeriesContext,
): Promise<HolderColumns[]> {
  const read: HolderColumns[] = [];
  await eachGroup(object, groups, context, (_, decode) => read.push(decode()));
  return read;
}
