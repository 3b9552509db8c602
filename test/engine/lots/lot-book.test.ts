/** The book of more keys than a segment has, as several partitions change them. */

import { expect, test } from "vitest";
import { LotBook } from "../../../builder/engine/lots/lot-book.ts";

const HOUR = 3_600;
const HOURS = 20_000;

/** What partitions change: of every second hour each, in descending order, so much of all addresses and half of it of users. */
const changes = (hours: number, price: number, amount: number) =>
  [0, 1].map((partition) => {
    const own = Array.from({ length: hours }, (_, hour) => hour).filter((hour) => hour % 2 === partition);
    return {
      times: Float64Array.from(own.reverse(), (hour) => HOUR * hour),
      prices: new Float64Array(own.length).fill(price),
      // A change has words more than the book: they tell its sign.
      amounts: Uint32Array.from(own.flatMap(() => [...wordsOf(amount), ...wordsOf(amount / 2)])),
      words: 3,
    };
  });

const wordsOf = (amount: number) => [amount, Math.floor(amount / 2 ** 32), amount < 0 ? -1 : 0];

/** All keys of a book, with what all and users hold of each. */
const rowsOf = (book: LotBook) =>
  book.keys.flatMap(({ count, times, prices, all, users }) =>
    Array.from({ length: count }, (_, key) => [times[key], prices[key], all[key], users[key]]),
  );

test("a book keeps its order and its amounts while it grows", () => {
  const book = new LotBook(0, 2);
  book.change([...changes(HOURS, 2, 10), ...changes(HOURS, 1, 4)]);
  book.change(changes(HOURS, 2, 6));
  const expected = Array.from({ length: HOURS }, (_, hour) => [
    [HOUR * hour, 1, 4, 2],
    [HOUR * hour, 2, 16, 8],
  ]);
  expect(rowsOf(book)).toEqual(expected.flat());
});

test("keys of which nothing is held are dropped once they are most, and later ones follow those that are left", () => {
  const book = new LotBook(0, 2);
  book.change([...changes(HOURS, 2, 10), ...changes(HOURS, 1, 4)]);
  book.change(changes(HOURS, 1, -4));
  expect(rowsOf(book)).toHaveLength(HOURS);
  book.change(changes(HOURS - 1, 2, -10));
  expect(rowsOf(book)).toEqual([[HOUR * (HOURS - 1), 2, 10, 5]]);
  const later = { times: Float64Array.of(HOUR * HOURS), prices: Float64Array.of(1) };
  book.change([{ ...later, amounts: Uint32Array.of(6, 0, 0, 0, 0, 0), words: 3 }]);
  expect(rowsOf(book)).toEqual([
    [HOUR * (HOURS - 1), 2, 10, 5],
    [HOUR * HOURS, 1, 6, 0],
  ]);
});

test("a key that a book does not have is told", () => {
  const book = new LotBook(0, 2);
  book.change(changes(2, 2, 10));
  for (const price of [1, 3]) expect(() => book.change(changes(2, price, 10))).toThrow(/no lots of/);
});
