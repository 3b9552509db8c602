/**
 * Checks the lists of holders against the table. A list is right if it is sorted, if its rows are the table's, and if no
 * other row of the table comes before its last.
 */

import { type HolderListsIndex, parseListsIndex, unpackOrder } from "../../../../data-schema/holders.ts";
import {
  HOLDER_GROUPS,
  HOLDER_ORDERS,
  HOLDER_SORTS,
  type HolderGroup,
  type HolderOrder,
  type HolderSort,
  MOST_LISTED,
  type PublishedHolders,
} from "../../../../data-schema/stored.ts";
import { compareHolders, type HolderReader, type HolderRow, holderRow, type NoteCheck } from "./holder-reader.ts";

/** A list that has been read. */
interface ReadList {
  group: HolderGroup;
  sort: HolderSort;
  order: HolderOrder;
  rows: number;
  last: HolderRow | undefined;
  /** Rows of the table that come no later than the last. */
  reached: number;
}

export class CheckedLists {
  readonly #key: string;
  readonly #check: NoteCheck;
  readonly #lists: Readonly<Record<HolderGroup, ReadList[]>> = { users: [], sc: [], cex: [] };
  /** The texts of listed rows, by address, until the table has had them. */
  readonly #texts = new Map<string, string>();

  constructor(key: string, check: NoteCheck) {
    this.#key = key;
    this.#check = check;
  }

  /** Reads the lists, and checks that they are sorted, and mixed as they are sorted. @throws {Unreadable} */
  async read(
    reader: HolderReader,
    lists: NonNullable<PublishedHolders["lists"]>,
    decimals: number,
    price: number,
  ): Promise<void> {
    const key = this.#key;
    const index: HolderListsIndex = parseListsIndex(await reader.index(key, lists.index));
    const rows: HolderRow[] = [];
    for (const group of index.groups) {
      const columns = await reader.group(key, group);
      for (let row = 0; row < columns.rows; row++) rows.push(holderRow(columns, row, decimals, price));
    }
    for (const row of rows) this.#texts.set(row.address, row.text);
    this.#check(this.#texts.size === rows.length, `${key}: it has an address twice.`);
    const isListed = new Uint8Array(rows.length);
    for (const sort of HOLDER_SORTS) {
      for (const order of HOLDER_ORDERS) {
        const { digest, ...place } = index.orders[sort][order];
        const bytes = await reader.index(key, { ...place, hash: digest });
        const listed = (group: HolderGroup | null) => {
          const numbers = unpackOrder(bytes, index.rows, group);
          return Array.from(numbers, (number) => {
            isListed[number] = 1;
            return rows[number];
          });
        };
        const all: HolderRow[] = [];
        for (const group of HOLDER_GROUPS) {
          const found = listed(group).filter((row) => row !== undefined);
          this.#check(
            found.length === index.rows[group],
            `${key}: its list of ${group} by ${sort}, ${order}, names rows that it lacks.`,
          );
          this.#note(group, sort, order, found);
          for (const row of found) all.push(row);
        }
        all.sort((a, b) => compareHolders(sort, order, a, b));
        const mixed = listed(null);
        const isMixed = all.slice(0, MOST_LISTED).every((row, i) => row === mixed[i]);
        this.#check(
          isMixed && mixed.length === Math.min(all.length, MOST_LISTED),
          `${key}: its mix by ${sort}, ${order}, is another one.`,
        );
      }
    }
    this.#check(!isListed.includes(0), `${key}: it has rows that are on no list.`);
  }

  #note(group: HolderGroup, sort: HolderSort, order: HolderOrder, rows: readonly HolderRow[]): void {
    const isRight = rows.every((row, i) => {
      const isSorted = i === 0 || compareHolders(sort, order, rows[i - 1]!, row) < 0;
      return isSorted && row.group === group;
    });
    this.#check(
      isRight,
      `${this.#key}: its list of ${group} by ${sort}, ${order}, is not sorted, or has rows of other groups.`,
    );
    this.#lists[group].push({ group, sort, order, rows: rows.length, last: rows.at(-1), reached: 0 });
  }

  /** Compares a row of the table. */
  add(row: HolderRow): void {
    const text = this.#texts.get(row.address);
    if (text === row.text) this.#texts.delete(row.address);
    for (const list of this.#lists[row.group]) {
      if (list.rows < MOST_LISTED || compareHolders(list.sort, list.order, row, list.last!) <= 0) list.reached++;
    }
  }

  /** Says what is wrong, once all of the table has been added. */
  end(): void {
    this.#check(this.#texts.size === 0, `${this.#key}: ${this.#texts.size} of its rows are not the table's.`);
    for (const { group, sort, order, rows, reached } of Object.values(this.#lists).flat()) {
      this.#check(
        reached === rows,
        `${this.#key}: its list of ${group} by ${sort}, ${order}, lacks rows of the table.`,
      );
    }
  }
}
