/** The lists of holders against a sort of all of them. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { emptyRows } from "../../../builder/build/checkpoint/checkpoint-rows.ts";
import { HolderLists } from "../../../builder/build/holders/holder-lists.ts";
import { decodeHolders, parseListsIndex, rawAt, unpackOrder } from "../../../data-schema/holders.ts";
import {
  HOLDER_GROUPS,
  HOLDER_ORDERS,
  HOLDER_SORTS,
  type HolderGroup,
  type HolderOrder,
  type HolderSort,
} from "../../../data-schema/stored/holders/holder-objects.ts";
import { joinBytes } from "../../../data-schema/text/bytes.ts";

interface Holder {
  label: number;
  balance: bigint;
  basis: number;
  realised: number;
  sent: number;
  firstEvent: number;
  lastEvent: number;
}

const PRICE = 3;
const few = fc.constantFrom(0, 1, 2);
const holder: fc.Arbitrary<Holder> = fc.record({
  label: fc.constantFrom(0, 0, 1, 2, 7, 71),
  // Amounts that differ in digits that no double has, among equal ones.
  balance: fc.oneof(fc.constantFrom(0n, 5n), fc.bigInt(2n ** 90n, 2n ** 90n + 3n)),
  basis: few,
  realised: fc.constantFrom(-1, 0, 1),
  sent: few,
  firstEvent: few,
  lastEvent: few,
});

const groupOf = ({ label }: Holder): HolderGroup => (label === 0 ? "users" : label === 1 ? "sc" : "cex");

/** The number by which rows are sorted; balances are compared by themselves. */
const numberOf: Record<Exclude<HolderSort, "balance">, (holder: Holder) => number> = {
  cost: ({ balance, basis }) => Number(balance) * basis,
  unrealised_profit: ({ balance, basis }) => Number(balance) * (PRICE - basis),
  realised_profit: ({ realised }) => realised,
  received: ({ sent, balance }) => sent + Number(balance),
  first_seen: ({ firstEvent }) => firstEvent,
  last_active: ({ lastEvent }) => lastEvent,
};

function compare(sort: HolderSort, a: Holder, b: Holder): number {
  if (sort === "balance") return a.balance < b.balance ? -1 : Number(a.balance > b.balance);
  return numberOf[sort](a) - numberOf[sort](b);
}

/** The first by a sort, as numbers: a sort keeps the order of equal ones, which is that of their addresses. */
const expected = (all: readonly Holder[], sort: HolderSort, order: "desc" | "asc", wanted: number): number[] =>
  [...all.keys()].sort((a, b) => (order === "desc" ? -1 : 1) * compare(sort, all[a]!, all[b]!)).slice(0, wanted);

function rowsOf(holders: readonly Holder[], first: number) {
  const rows = emptyRows(holders.length, 3);
  for (const [row, { label, balance, lastEvent, ...columns }] of holders.entries()) {
    new DataView(rows.addresses.buffer).setUint32(20 * row, first + row);
    rows.labels[row] = label;
    for (let word = 0; word < 3; word++)
      rows.balances[3 * row + word] = Number((balance >> BigInt(32 * word)) % 2n ** 32n);
    rows.lastReceipt[row] = lastEvent;
    for (const [name, value] of Object.entries(columns)) rows[name as keyof typeof columns][row] = value;
  }
  return rows;
}

it("are the first of each group, column and order, and say how those of all groups mix", () => {
  fc.assert(
    fc.property(
      fc.array(holder, { minLength: 1, maxLength: 40 }),
      fc.nat(40),
      fc.integer({ min: 1, max: 6 }),
      (all, cut, wanted) => {
        const lists = new HolderLists({ decimals: 0, price: PRICE, words: 3 }, wanted);
        lists.add(rowsOf(all.slice(0, cut), 0));
        lists.add(rowsOf(all.slice(cut), Math.min(cut, all.length)));
        const { bytes, place } = encoded(lists);
        const index = parseListsIndex(bytes.subarray(place.offset, place.offset + place.length));
        // Each listed address is stored once.
        const numbers: number[] = [];
        for (const { offset, length } of index.groups) {
          const columns = decodeHolders(bytes.subarray(offset, offset + length));
          const view = new DataView(columns.address.buffer);
          for (let row = 0; row < columns.rows; row++) {
            numbers.push(view.getUint32(20 * row));
            expect(rawAt(columns.balance, row, columns.words)).toBe(all[numbers.at(-1)!]!.balance);
          }
        }
        expect(new Set(numbers).size).toBe(numbers.length);
        const listed = (sort: HolderSort, order: HolderOrder, group: HolderGroup | null) => {
          const { offset, length } = index.orders[sort][order];
          const places = unpackOrder(bytes.subarray(offset, offset + length), index.rows, group);
          return Array.from(places, (number) => numbers[number]);
        };
        const isFirst = numbers.map((number) =>
          HOLDER_SORTS.some((sort) =>
            HOLDER_ORDERS.some(
              (order) =>
                expected(all, sort, order, all.length).filter((n) => groupOf(all[n]!) === groupOf(all[number]!))[0] ===
                number,
            ),
          ),
        );
        // Rows that are first on any list come first.
        expect(isFirst.lastIndexOf(true)).toBe(isFirst.filter(Boolean).length - 1);
        for (const sort of HOLDER_SORTS) {
          for (const order of HOLDER_ORDERS) {
            for (const group of HOLDER_GROUPS) {
              const numbers = listed(sort, order, group);
              const own = expected(all, sort, order, all.length).filter((number) => groupOf(all[number]!) === group);
              expect(numbers).toEqual(own.slice(0, wanted));
            }
            expect(listed(sort, order, null)).toEqual(expected(all, sort, order, wanted));
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

function encoded(lists: HolderLists) {
  const pieces: Uint8Array[] = [];
  const encoding = lists.encode();
  for (;;) {
    const { value, done } = encoding.next();
    if (done) return { bytes: joinBytes(pieces), place: value };
    pieces.push(value.slice());
  }
}
