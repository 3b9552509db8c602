/** A list of addresses → its rows: from the lists where there are some, otherwise from all addresses, sorted here. */

import {
  groupOfLabel,
  HOLDER_KEYS,
  type HolderColumns,
  type HolderContext,
  type HolderGroupPlace,
  type HolderListsIndex,
  holderValues,
  rawAt,
  tokensOfRaw,
} from "../../../data-schema/holders.ts";
import { GROUP_LETTERS, HOLDER_GROUPS, type HolderGroup, type HolderValues } from "../../../data-schema/stored.ts";
import type { StoredObject } from "../../bucket/ranges.ts";
import type { SeriesContext } from "../../context.ts";
import { damaged } from "../../problems/problem.ts";
import type { HoldersQuery } from "../../request/holders-query.ts";
import {
  addressTable,
  bytesOfGroups,
  type HeldAsset,
  listsOf,
  readGroups,
  readListsIndex,
  readTableIndex,
} from "./stored-holders.ts";

type Page = Pick<HoldersQuery, "sort" | "order" | "group" | "limit" | "offset">;

/** What the values of an asset's addresses depend on. */
export const holderContext = ({
  manifest: { decimals },
  holders: { price, supply, cohorts },
}: HeldAsset): HolderContext => ({
  price,
  decimals,
  supply: tokensOfRaw(BigInt(supply), decimals),
  ...(cohorts && { cohorts }),
});

/**
 * The addresses of a page, in its order.
 *
 * @param rowBytes that each of them takes while it is written
 * @throws {Problem} 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function readList(
  page: Page,
  asset: HeldAsset,
  rowBytes: number,
  context: SeriesContext,
): Promise<HolderValues[]> {
  await context.lease.enter();
  const lists = listsOf(asset);
  const read =
    lists === null ? sortedHere(page, asset, rowBytes, context) : listed(page, lists, asset, rowBytes, context);
  return (await read).map(([columns, row]) => holderValues(columns, row, holderContext(asset)));
}

type Place = readonly [columns: HolderColumns, row: number];

/** From the table, which has all addresses in ascending order. */
async function sortedHere(
  { sort, order, group, limit, offset }: Page,
  asset: HeldAsset,
  rowBytes: number,
  context: SeriesContext,
): Promise<Place[]> {
  const table = addressTable(asset);
  const { groups } = await readTableIndex(table, asset, context);
  if (groups.length === 0) return [];
  await context.lease.grow(bytesOfGroups(groups) + rowBytes * limit);
  const { decimals } = asset.manifest;
  const places = [...placesFrom(await readGroups(table, groups, context), 0)];
  const wanted =
    group === null ? places : places.filter(([columns, row]) => groupOfLabel(columns.label[row]!) === group);
  const keyed = wanted.map((place) => ({ place, key: keyOf(place, sort, decimals, asset.holders.price) }));
  const sign = order === "desc" ? -1 : 1;
  // Balances are compared exactly: doubles round them. A sort keeps the order of equal ones, which is that of addresses.
  const rest = sort === "balance" ? compareBalances : () => 0;
  keyed.sort((a, b) => sign * (a.key - b.key || rest(a.place, b.place)));
  return keyed.slice(offset, offset + limit).map(({ place }) => place);
}

function compareBalances([a, row]: Place, [b, other]: Place): number {
  const [left, right] = [rawAt(a.balance, row, a.words), rawAt(b.balance, other, b.words)];
  return left < right ? -1 : Number(left > right);
}

function keyOf([columns, row]: Place, sort: Page["sort"], decimals: number, price: number): number {
  const balance = tokensOfRaw(rawAt(columns.balance, row, columns.words), decimals);
  const facts = {
    balance,
    basis: columns.basis[row]!,
    realised: columns.realised[row]!,
    sent: columns.sent[row]!,
    firstEvent: columns.firstEvent[row]!,
    lastEvent: columns.lastEvent[row]!,
  };
  return HOLDER_KEYS[sort](facts, price);
}

/** From the lists, of which each group of addresses has its own. */
async function listed(
  { sort, order, group, limit, offset }: Page,
  lists: StoredObject,
  asset: HeldAsset,
  rowBytes: number,
  context: SeriesContext,
): Promise<Place[]> {
  const index = await readListsIndex(lists, asset, context);
  const mix =
    group === null ? index.mixes[sort][order] : GROUP_LETTERS[group].repeat(index.lists[group][sort][order].rows);
  const shown = mix.slice(offset, offset + limit);
  const parts = HOLDER_GROUPS.flatMap((name) => {
    const letter = GROUP_LETTERS[name];
    const count = countOf(letter, shown);
    if (count === 0) return [];
    const from = countOf(letter, mix.slice(0, offset));
    return [{ letter, ...partOf(index, name, sort, order, from, count) }];
  });
  await context.lease.grow(parts.reduce((sum, { groups }) => sum + bytesOfGroups(groups), rowBytes * limit));
  const places = await Promise.all(
    parts.map(async ({ letter, groups, skip }) => {
      const read = await readGroups(lists, groups, context);
      return [letter, placesFrom(read, skip)] as const;
    }),
  );
  const next = new Map(places);
  return Array.from(shown, (letter) => {
    const { value, done } = next.get(letter)!.next();
    if (done) throw damaged(`${lists.key} has fewer rows than its index says`);
    return value;
  });
}

const countOf = (letter: string, mix: string): number => mix.split(letter).length - 1;

/** The row groups that have rows of a list, and how many rows they have before. */
function partOf(
  { groups, lists }: HolderListsIndex,
  name: HolderGroup,
  sort: Page["sort"],
  order: Page["order"],
  from: number,
  count: number,
): { groups: readonly HolderGroupPlace[]; skip: number } {
  const list = lists[name][sort][order];
  const size = groups[list.group]!.rows;
  const first = Math.floor(from / size);
  const last = Math.floor((from + count - 1) / size);
  return { groups: groups.slice(list.group + first, list.group + last + 1), skip: from - first * size };
}

/** The rows of row groups, without some of the first one. */
function* placesFrom(groups: readonly HolderColumns[], skip: number): Generator<Place, undefined> {
  for (const [index, columns] of groups.entries()) {
    for (let row = index === 0 ? skip : 0; row < columns.rows; row++) yield [columns, row];
  }
}
