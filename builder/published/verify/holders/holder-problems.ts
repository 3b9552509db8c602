/** Checks what serves holders: its bytes, its order, and what its rows add up to. Source: docs/formats.md#holders. */

import {
  addressText,
  decodeLargest,
  type HolderColumns,
  parseTableIndex,
  rawAt,
  tokensOfRaw,
} from "../../../../data-schema/holders.ts";
import {
  checkpointKey,
  holderListsKey,
  largestKey,
  type Manifest,
  MOST_LARGEST,
  type PublishedHolders,
} from "../../../../data-schema/stored.ts";
import { DAY_SECONDS, isoDay } from "../../../../data-schema/text.ts";
import type { ObjectStore } from "../../../store/store.ts";
import type { SeriesByMetric } from "../rules/series-columns.ts";
import {
  compareHolders,
  HolderReader,
  type HolderRow,
  holderRow,
  type NoteCheck,
  type NotedChecks,
  newChecks,
  Unreadable,
} from "./holder-reader.ts";
import { CheckedLists } from "./list-problems.ts";

/** Balances that are known from elsewhere, such as those that a fetch has compared with the chain. */
export interface KnownBalances {
  /** The time before which events count, Unix seconds. */
  end: number;
  /** Addresses with a balance. */
  holders: number;
  /** The balances of addresses of 20 bytes each, raw. */
  of(addresses: Uint8Array): bigint[];
}

/**
 * @param days the days that are published
 * @param known compared with the table
 */
export async function holderProblems(
  store: ObjectStore,
  manifest: Manifest,
  days: SeriesByMetric,
  known?: KnownBalances,
): Promise<NotedChecks> {
  const { holders, checkpoint, symbol } = manifest;
  const { found, check } = newChecks();
  // Rows of 0.4.0 are read by nobody: the next build writes them anew.
  if (holders?.format === undefined || !checkpoint) return found;
  const reader = new HolderReader(store);
  try {
    const key = checkpointKey(symbol, checkpoint.hash);
    const largest = await checkTable(reader, key, manifest, holders, days, check);
    if (known) await compareBalances(reader, key, holders, known, check);
    await checkLargest(reader, manifest, holders, days, largest, check);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    found.problems.push(error.message);
  }
  return found;
}

/** Sums over the rows of the table: counts, raw units, and USD. */
class TableSums {
  rows = 0;
  holders = 0;
  raw = 0n;
  cost = 0;
  value = 0;
  unrealised = 0;
  /** The sum of the larger of value and cost of each. */
  larger = 0;

  add({ raw, keys }: HolderRow, price: number): void {
    const value = keys.balance * price;
    this.rows++;
    if (raw > 0n) this.holders++;
    this.raw += raw;
    this.cost += keys.cost;
    this.value += value;
    this.unrealised += keys.unrealised_profit;
    this.larger += Math.max(Math.abs(value), Math.abs(keys.cost));
  }
}

/** Whether sums differ by no more than doubles round them. @param larger the sum of the larger operands of their addends */
export const isClose = (a: number, b: number, larger: number) =>
  Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)) + 1e-11 * larger;

/** @returns those of its rows with the largest balances */
async function checkTable(
  reader: HolderReader,
  key: string,
  { symbol, decimals, resolutions }: Manifest,
  { index, lists, price, time, supply, addresses, holders }: PublishedHolders,
  days: SeriesByMetric,
  check: NoteCheck,
): Promise<readonly HolderRow[]> {
  const listsKey = lists && holderListsKey(symbol, lists.hash);
  const checked = listsKey === undefined ? undefined : new CheckedLists(listsKey, check);
  if (lists) await reader.inObject(listsKey!, () => checked!.read(reader, lists, decimals, price));
  const sums = new TableSums();
  const largest = new Largest();
  let before = "";
  await reader.inObject(key, async () => {
    for (const group of parseTableIndex(await reader.index(key, index)).groups) {
      const columns = await reader.group(key, group);
      for (let row = 0; row < columns.rows; row++) {
        const one = holderRow(columns, row, decimals, price);
        if (row === 0)
          check(one.address === `0x${group.first}`, `${key}: its index names another address than ${one.address}.`);
        if (one.address <= before) check(false, `${key}: ${one.address} does not come after ${before}.`);
        if (!isConsistent(columns, row, one, time))
          check(false, `${key}: what it says of ${one.address} contradicts itself.`);
        before = one.address;
        sums.add(one, price);
        largest.add(one);
        checked?.add(one);
      }
    }
  });
  checked?.end();
  const says = (what: string, of: unknown, said: unknown) =>
    check(String(of) === String(said), `The manifest's holders.${what} is ${said}, but that of the rows is ${of}.`);
  says("addresses", sums.rows, addresses);
  says("holders", sums.holders, holders);
  says("supply", sums.raw, supply);
  const { last } = resolutions.day;
  says("time", last === null ? last : last + DAY_SECONDS, time);
  const { larger } = sums;
  const compare = (of: number, metric: "supply" | "realised_cap" | "market_cap") => {
    const series = days.get(metric)?.get("total");
    if (series === undefined || series.t.at(-1) !== last) return;
    const day = series.v.at(-1)!;
    check(isClose(of, day, larger), `The holders' rows add up to ${of}, but ${metric} is ${day} on the last day.`);
  };
  compare(tokensOfRaw(sums.raw, decimals), "supply");
  compare(sums.cost, "realised_cap");
  compare(sums.value, "market_cap");
  check(
    isClose(sums.unrealised, sums.value - sums.cost, larger),
    `The holders' unrealised profits add up to ${sums.unrealised}, but values less costs to ${sums.value - sums.cost}.`,
  );
  return largest.end();
}

async function compareBalances(
  reader: HolderReader,
  key: string,
  { index, time, holders }: PublishedHolders,
  known: KnownBalances,
  check: NoteCheck,
): Promise<void> {
  const dayOf = (end: number) => isoDay(end - DAY_SECONDS);
  const isOfOneDay = known.end === time;
  check(
    isOfOneDay,
    `The published holders are of the end of ${dayOf(time)}, but the fetched balances of the end of ${dayOf(known.end)}: build what is fetched, then compare.`,
  );
  if (!isOfOneDay) return;
  check(known.holders === holders, `There are ${holders} holders, but ${known.holders} by the fetched balances.`);
  await reader.inObject(key, async () => {
    for (const group of parseTableIndex(await reader.index(key, index)).groups) {
      const { address, balance, words } = await reader.group(key, group);
      for (const [row, right] of known.of(address).entries()) {
        const raw = rawAt(balance, row, words);
        check(
          raw === right,
          `${key}: ${addressText(address, row)} holds ${raw}, but ${right} by the fetched balances.`,
        );
      }
    }
  });
}

/** Whether the columns of a row agree with one another. @param time the close */
function isConsistent(
  { basis, since, receipts, sends, sent }: HolderColumns,
  row: number,
  one: HolderRow,
  time: number,
): boolean {
  const { first_seen, last_active } = one.keys;
  const isOver = one.raw === 0n;
  return (
    first_seen <= last_active &&
    last_active < time &&
    receipts[row]! >= 1 &&
    sends[row]! > 0 === sent[row]! > 0 &&
    (!isOver || (basis[row] === 0 && since[row] === 0 && sends[row]! > 0))
  );
}

/** Rows with the largest balances. */
class Largest {
  #rows: HolderRow[] = [];

  add(row: HolderRow): void {
    if (row.raw === 0n) return;
    this.#rows.push(row);
    if (this.#rows.length >= 8 * MOST_LARGEST) this.#rows = this.end();
  }

  end(): HolderRow[] {
    return this.#rows.sort((a, b) => compareHolders("balance", "desc", a, b)).slice(0, MOST_LARGEST);
  }
}

/** Checks that each day's are sorted, that its supply is the series', and that those of the last day are the table's. */
async function checkLargest(
  reader: HolderReader,
  {
    symbol,
    decimals,
    resolutions: {
      day: { last },
    },
  }: Manifest,
  { largest }: PublishedHolders,
  days: SeriesByMetric,
  expected: readonly HolderRow[],
  check: NoteCheck,
): Promise<void> {
  const supply = days.get("supply")?.get("total");
  const supplies = new Map(Array.from(supply?.t ?? [], (t, i) => [t, supply!.v[i]!]));
  const ofLastDay: string[] = [];
  for (const month of largest) {
    const key = largestKey(symbol, month.name, month.hash);
    await reader.inObject(key, async () => {
      const { rows, day, address, words, balance, ...others } = decodeLargest(await reader.whole(key, month));
      let rank = 0;
      for (let row = 0; row < rows; row++) {
        const start = day[row]! * DAY_SECONDS;
        const isNew = row === 0 || day[row] !== day[row - 1];
        rank = isNew ? 1 : rank + 1;
        const raw = rawAt(balance, row, words);
        const before = isNew ? undefined : rawAt(balance, row - 1, words);
        const isNext = raw === before ? addressText(address, row) > addressText(address, row - 1) : !(raw > before!);
        if (!isNext || rank > MOST_LARGEST) check(false, `${key}: ${isoDay(start)} is not sorted by balance.`);
        if (start === last) ofLastDay.push(`${addressText(address, row)} ${raw}`);
        if (!isNew) continue;
        const isInMonth = isoDay(start).startsWith(month.name) && (row === 0 || day[row]! > day[row - 1]!);
        check(isInMonth, `${key}: ${isoDay(start)} is out of place.`);
        const tokens = tokensOfRaw(rawAt(others.supply, row, others.supplyWords), decimals);
        const published = supplies.get(start);
        check(
          published === undefined || isClose(tokens, published, 0),
          `${key}: the supply of ${isoDay(start)} is ${tokens}, but the series has ${published}.`,
        );
      }
    });
  }
  const names = expected.map(({ address, raw }) => `${address} ${raw}`);
  check(names.join() === ofLastDay.join(), "The largest holders of the last day are not those of the table.");
}
