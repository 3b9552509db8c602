/** The book of more keys than it has room for at first, as several partitions change them. */

import { expect, test } from "vitest";
import { LotBook } from "../../../builder/engine/lots/lot-book.ts";

const HOUR = 3_600;
const HOURS = 2_500;

/** What partitions change: of every second hour each, in descending order, so much of all addresses and half of it of users. */
const changes = (hours: number, price: number, amount: number) =>
  [0, 1].map((partition) => {
    const own = Array.from({ length: hours }, (_, hour) => hour).filter((hour) => hour % 2 === partition);
    return {
      times: Float64Array.from(own.reverse(), (hour) => HOUR * hour),
      prices: new Float64Array(own.length).fill(price),
      amounts: Uint32Array.from(own.flatMap(() => [amount, 0, amount / 2, 0])),
      words: 2,
    };
  });

test("a book keeps its order and its amounts while it grows", () => {
  const book = new LotBook(0, 2);
  book.change([...changes(HOURS, 2, 10), ...changes(HOURS, 1, 4)]);
  book.change(changes(HOURS, 2, 6));
  const { count, times, prices, all, users } = book.keys;
  expect(count).toBe(2 * HOURS);
  const keys = Array.from({ length: count }, (_, key) => [times[key], prices[key], all[key], users[key]]);
  const expected = Array.from({ length: HOURS }, (_, hour) => [
    [HOUR * hour, 1, 4, 2],
    [HOUR * hour, 2, 16, 8],
  ]);
  expect(keys).toEqual(expected.flat());
});
