/** A list of addresses → its rows: from the lists where there are some, otherwise from all addresses, sorted here. */

import {
  groupOfLabel,
  HOLDER_KEYS,
  type HolderColumns,
  type HolderContext,
  type HolderGroupPlace,
  holderValues,
  rawAt,
  tokensOfRaw,
} from "../../../data-schema/holders.ts";
import type { HolderValues } from "../../../data-schema/stored.ts";
import type { StoredObject } from "../../bucket/ranges.ts";
import type { SeriesContext } from "../../context.ts";
import type { HoldersQuery } from "../../request/holders-query.ts";
import {
  addressTable,
  bytesOfGroups,
  eachGroup,
  type HeldAsset,
  listsOf,
  readGroups,
  readListsIndex,
  readOrder,
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
  if (lists !== null) return listed(page, lists, asset, rowBytes, context);
  const places = await sortedHere(page, asset, rowBytes, context);
  return places.map(([columns, row]) => holderValues(columns, row, holderContext(asset)));
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
  const read = await readGroups(table, groups, context);
  const places = read.flatMap((columns) => Array.from({ length: columns.rows }, (_, row): Place => [columns, row]));
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

/** Neighbouring row groups that are read at once: 2 MB. So the lists of 420,000 rows are in eleven of them. */
const SPAN_GROUPS = 8;

/** From the lists: each is the numbers of its rows among all that are listed. */
async function listed(
  { sort, order, group, limit, offset }: Page,
  lists: StoredObject,
  asset: HeldAsset,
  rowBytes: number,
  context: SeriesContext,
): Promise<HolderValues[]> {
  const index = await readListsIndex(lists, asset, context);
  const numbers = (await readOrder(lists, index, sort, order, group, context)).slice(offset, offset + limit);
  const [{ rows: size } = { rows: 1 }] = index.groups;
  const places = Map.groupBy(numbers.keys(), (place) => Math.floor(numbers[place]! / size));
  const spans = Map.groupBy([...places.keys()].sort(ascending), (wanted) => Math.floor(wanted / SPAN_GROUPS));
  await context.lease.grow(spanBytes(index.groups) + rowBytes * limit);
  const facts = holderContext(asset);
  const found = new Array<HolderValues>(numbers.length);
  for (const span of spans.values()) {
    const [first, last] = [span[0]!, span.at(-1)!];
    const groups = index.groups.slice(first, last + 1);
    await eachGroup(lists, groups, context, (read, decode) => {
      const wanted = places.get(first + read);
      if (wanted === undefined) return;
      const columns = decode();
      for (const place of wanted) {
        const row = numbers[place]! % size;
        if (row >= columns.rows) throw new Error("it has fewer rows than its lists name");
        found[place] = holderValues(columns, row, facts);
      }
    });
  }
  return found;
}

const ascending = (a: number, b: number) => a - b;

/** Bytes that reading a span holds at once: those of its groups as they are stored, and of one that is decoded. */
const spanBytes = (groups: readonly HolderGroupPlace[]): number =>
  Math.max(0, ...groups.map((group, i) => bytesOfGroups([group]) + storedBytes(groups.slice(i, i + SPAN_GROUPS))));

const storedBytes = (groups: readonly HolderGroupPlace[]): number =>
  groups.reduce((sum, { length }) => sum + length, 0);
