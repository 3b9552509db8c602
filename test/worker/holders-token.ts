/** Holders of a made-up token, stored as docs/formats.md#holders says: written here in the plainest way, not by the builder. */

import { encodeChunk } from "../../data-schema/parquet/chunk.ts";
import { MAGIC, type SchemaColumn } from "../../data-schema/parquet/file-metadata.ts";
import type { OwnCohort } from "../../data-schema/registry/own-cohorts.ts";
import {
  HOLDER_GROUPS,
  HOLDER_ORDERS,
  HOLDER_SORTS,
  HOLDERS_FORMAT,
  type HolderGroup,
  type HolderOrder,
  type HolderSort,
  holderListsKey,
  largestKey,
  MOST_LISTED,
  type PublishedHolders,
} from "../../data-schema/stored/holders/holder-objects.ts";
import { checkpointKey } from "../../data-schema/stored/objects.ts";
import type { Manifest } from "../../data-schema/stored.ts";
import { hex, joinBytes } from "../../data-schema/text/bytes.ts";

export interface StoredHolder {
  /** `0x` and 40 hex digits. */
  address: string;
  /** 0 none, 1 a contract, 2 other exchanges, from 3 on the exchanges by name; 64 more for deposit addresses. */
  label: number;
  /** Raw. */
  balance: bigint;
  basis: number;
  since: number;
  firstEvent: number;
  lastEvent: number;
  realised: number;
  sent: number;
  receipts: number;
  sends: number;
  /** Numbers of own cohorts. */
  cohorts: readonly number[];
}

/** The largest at the close of a day that begins at `day`, Unix seconds. */
export interface StoredDay {
  day: number;
  supply: bigint;
  largest: readonly (readonly [address: string, balance: bigint])[];
}

export interface StoredHolders {
  rows: readonly StoredHolder[];
  price: number;
  cohorts?: readonly OwnCohort[];
  days?: readonly StoredDay[];
  /** Rows of a row group. */
  groupRows: number;
  hasLists: boolean;
}

export interface Bucket {
  put(key: string, value: Uint8Array, options: { sha256: string }): Promise<unknown>;
}

/** 32-bit words of balances. */
const WORDS = 3;
const DAY = 86_400;

type Column = [type: SchemaColumn["type"], bytes: Uint8Array];

export const words = (amounts: readonly bigint[], count: number): Uint8Array => {
  const cells = Uint32Array.from({ length: amounts.length * count }, (_, i) =>
    Number(BigInt.asUintN(32, amounts[Math.floor(i / count)]! >> BigInt(32 * (i % count)))),
  );
  return new Uint8Array(cells.buffer);
};
export const doubles = (values: readonly number[]) => new Uint8Array(Float64Array.from(values).buffer);
export const integers = (values: readonly number[]) => new Uint8Array(Uint32Array.from(values).buffer);
export const addresses = (texts: readonly string[]) =>
  Uint8Array.from(
    texts.flatMap((text) =>
      text
        .slice(2)
        .match(/../g)!
        .map((digits) => Number.parseInt(digits, 16)),
    ),
  );

export function groupBytes(columns: readonly Column[], rows: number): Uint8Array<ArrayBuffer> {
  const chunks = columns.map(([type, data], index) =>
    encodeChunk({ name: `c${index}`, type, codec: "ZSTD", rows, encoding: "PLAIN", data }),
  );
  return joinBytes(chunks.flatMap(({ pieces }) => pieces));
}

export const FIXED = "FIXED_LEN_BYTE_ARRAY";

/** What has sent anything has received nothing after its first event. */
const lastReceiptOf = ({ firstEvent, lastEvent, sends }: StoredHolder) => (sends > 0 ? firstEvent : lastEvent);

/** 0, −1, 1, −2, 2, … as 0, 1, 2, 3, 4, … */
const folded = (distance: number) => (distance < 0 ? -2 * distance - 1 : 2 * distance);

const bitsOf = (value: number) => new DataView(doubles([value]).buffer).getBigUint64(0, true);

/** The bits in which the average purchase time differs from the last receipt; 0 of what holds nothing. */
const crossed = (rows: readonly StoredHolder[]) => {
  const bits = rows.map((row) => (row.balance === 0n ? 0n : bitsOf(row.since) ^ bitsOf(lastReceiptOf(row))));
  return new Uint8Array(BigUint64Array.from(bits).buffer);
};

/** @param hasDeposits the table has one column more than lists */
function holderGroup(rows: readonly StoredHolder[], hasDeposits: boolean): Uint8Array<ArrayBuffer> {
  const balances = rows.map(({ balance }) => balance);
  return groupBytes(
    [
      [FIXED, addresses(rows.map(({ address }) => address))],
      ["INT32", integers(rows.map(({ label }) => label))],
      [FIXED, words(balances, WORDS)],
      ["DOUBLE", doubles(rows.map(({ basis }) => basis))],
      [FIXED, crossed(rows)],
      ["INT32", integers(rows.map(({ firstEvent }) => firstEvent))],
      ["INT32", integers(rows.map((row) => lastReceiptOf(row) - row.firstEvent))],
      ["INT32", integers(rows.map((row) => (row.sends > 0 ? folded(row.lastEvent - lastReceiptOf(row)) + 1 : 0)))],
      ["DOUBLE", doubles(rows.map(({ realised }) => realised))],
      ["DOUBLE", doubles(rows.map(({ sent }) => sent))],
      ["INT32", integers(rows.map(({ receipts }) => receipts))],
      ["INT32", integers(rows.map(({ sends }) => sends))],
      ["INT32", integers(rows.map(({ cohorts }) => cohorts.reduce((bits, bit) => bits | (1 << bit), 0)))],
      ...(hasDeposits ? [["INT32", integers(rows.map(() => 7))] as Column] : []),
    ],
    rows.length,
  );
}

export const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => hex(await crypto.subtle.digest("SHA-256", bytes));

const cut = <T>(rows: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));

/** Row groups one after the other, behind them pages of lists, and then their index, to which `more` adds. */
async function indexed(
  groups: readonly { rows: readonly StoredHolder[]; more?: object }[],
  hasDeposits: boolean,
  pages: readonly { sort: HolderSort; order: HolderOrder; bytes: Uint8Array<ArrayBuffer> }[] = [],
  more = {},
) {
  const parts: Uint8Array<ArrayBuffer>[] = [MAGIC.slice()];
  let offset = MAGIC.length;
  const places: object[] = [];
  for (const group of groups) {
    const bytes = holderGroup(group.rows, hasDeposits);
    const digest = (await sha256(bytes)).slice(0, 16);
    places.push({ offset, length: bytes.length, rows: group.rows.length, digest, ...group.more });
    parts.push(bytes);
    offset += bytes.length;
  }
  const orders: Partial<Record<HolderSort, Record<string, object>>> = {};
  for (const { sort, order, bytes } of pages) {
    const digest = (await sha256(bytes)).slice(0, 16);
    orders[sort] = { ...orders[sort], [order]: { offset, length: bytes.length, digest } };
    parts.push(bytes);
    offset += bytes.length;
  }
  const json = JSON.stringify({ groups: places, ...(pages.length > 0 && { orders }), ...more });
  const data = new TextEncoder().encode(json + " ".repeat(3 - ((json.length + 3) % 4)));
  const index = groupBytes([["INT32", data]], data.length / 4);
  const object = joinBytes([...parts, index, new TextEncoder().encode("the footer")]);
  return { object, index: { offset, length: index.length, hash: (await sha256(index)).slice(0, 32) } };
}

/** Whole tokens of 18 decimals, correctly rounded. */
export const tokensOf = (raw: bigint): number => Number(`${raw}e-18`);

export const groupOf = ({ label }: StoredHolder): HolderGroup => (label === 0 ? "users" : label === 1 ? "sc" : "cex");

/** What addresses are sorted by. */
function sortKey(row: StoredHolder, sort: HolderSort, { price }: StoredHolders): number {
  const balance = tokensOf(row.balance);
  const keys: Record<HolderSort, number> = {
    balance,
    cost: balance * row.basis,
    unrealised_profit: balance === 0 ? 0 : balance * (price - row.basis),
    realised_profit: row.realised,
    received: row.sent + balance,
    first_seen: row.firstEvent,
    last_active: row.lastEvent,
  };
  return keys[sort];
}

/** All rows, or those of a group, in an order. */
export function inOrder(
  holders: StoredHolders,
  sort: HolderSort,
  order: HolderOrder,
  group?: HolderGroup,
): StoredHolder[] {
  const rows = holders.rows.filter((row) => group === undefined || groupOf(row) === group);
  const keyed = rows.map((row) => ({ row, key: sort === "balance" ? row.balance : sortKey(row, sort, holders) }));
  const sign = order === "asc" ? 1 : -1;
  keyed.sort(
    (a, b) => (a.key === b.key ? 0 : a.key < b.key ? -sign : sign) || (a.row.address < b.row.address ? -1 : 1),
  );
  return keyed.map(({ row }) => row);
}

/** Stores the objects; what it returns belongs into the manifest. */
export async function publishHolders(
  bucket: Bucket,
  symbol: string,
  stored: StoredHolders,
): Promise<Required<Pick<Manifest, "holders" | "checkpoint">>> {
  const { rows, price, cohorts, days = [], groupRows, hasLists } = stored;
  const put = async (bytes: Uint8Array<ArrayBuffer>, keyOf: (hash: string) => string) => {
    const digest = await sha256(bytes);
    const hash = digest.slice(0, 32);
    await bucket.put(keyOf(hash), bytes, { sha256: digest });
    return { hash, size: bytes.length };
  };
  const sorted = rows.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  const groups = cut(sorted, groupRows).map((rows) => ({ rows, more: { first: rows[0]!.address.slice(2) } }));
  const table = await indexed(groups, true);
  const checkpoint = await put(table.object, (hash) => checkpointKey(symbol, hash));
  let lists: PublishedHolders["lists"];
  if (hasLists) {
    const made = await listsOf(stored);
    lists = { ...(await put(made.object, (hash) => holderListsKey(symbol, hash))), index: made.index };
  }
  const months = Map.groupBy(days, ({ day }) => new Date(day * 1000).toISOString().slice(0, 7));
  const largest = await Promise.all(
    Array.from(months, async ([name, own]) => {
      const held = own.flatMap(({ day, supply, largest }) =>
        largest.map(([address, balance]) => ({ day, supply, address, balance })),
      );
      const balances = held.map(({ balance }) => balance);
      const supplies = held.map(({ supply }) => supply);
      const bytes = groupBytes(
        [
          ["INT32", integers(held.map(({ day }) => day / DAY))],
          [FIXED, addresses(held.map(({ address }) => address))],
          [FIXED, words(balances, WORDS)],
          [FIXED, words(supplies, WORDS + 1)],
        ],
        held.length,
      );
      const object = joinBytes([MAGIC, bytes, new TextEncoder().encode("the footer")]);
      return { name, ...(await put(object, (hash) => largestKey(symbol, name, hash))) };
    }),
  );
  const holders: PublishedHolders = {
    format: HOLDERS_FORMAT,
    time: 0,
    price,
    supply: String(rows.reduce((sum, { balance }) => sum + balance, 0n)),
    addresses: rows.length,
    holders: rows.filter(({ balance }) => balance > 0n).length,
    ...(cohorts && { cohorts: [...cohorts] }),
    index: table.index,
    ...(lists && { lists }),
    largest: largest.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
  return { holders, checkpoint };
}

/** Each address once, in the order of their addresses; and the lists, which name them by their places. */
function listsOf(stored: StoredHolders) {
  const { groupRows } = stored;
  const rows = stored.rows.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  const first = (sort: HolderSort, order: HolderOrder, group?: HolderGroup) =>
    inOrder(stored, sort, order, group).slice(0, MOST_LISTED);
  const pages = HOLDER_SORTS.flatMap((sort) =>
    HOLDER_ORDERS.map((order) => {
      const own = HOLDER_GROUPS.flatMap((group) => first(sort, order, group).map((row) => rows.indexOf(row)));
      const mix = first(sort, order).map((row) => HOLDER_GROUPS.indexOf(groupOf(row)));
      const numbers = integers([...own, ...mix]);
      return { sort, order, bytes: groupBytes([["INT32", numbers]], numbers.length / 4) };
    }),
  );
  const counts = HOLDER_GROUPS.map((group) => [group, first("balance", "desc", group).length]);
  const groups = cut(rows, groupRows).map((part) => ({ rows: part }));
  return indexed(groups, false, pages, { rows: Object.fromEntries(counts) });
}
