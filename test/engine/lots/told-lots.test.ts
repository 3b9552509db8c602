/** The lots of addresses that have many, as they are told part by part. */

import { expect, test } from "vitest";
import { LotReplay } from "../../../builder/engine/lots.ts";
import { Partition } from "../../../builder/engine/replay.ts";
import { LOT_METHODS } from "../../../data-schema/registry.ts";

const HOUR = 3_600;
const HOURS = 5_000;
const HOLDERS = 4;
/** Received by each of them in every hour, at a price of its own. */
const AMOUNT = 3;

test.for(LOT_METHODS)("lots of %s are told in parts of whole addresses, by hour and price", (method) => {
  const terms = {
    method,
    addresses: 1 + HOLDERS,
    decimals: 0,
    balanceWords: 1,
    valueWords: 1,
    firstClose: 0,
    closes: 0,
  };
  const replay = new LotReplay(new Partition(0, 1), terms, () => {});
  const holders = Array.from({ length: HOLDERS }, (_, holder) => 1 + holder);
  for (let hour = 0; hour < HOURS; hour++) {
    const [dear, cheap] = [100 + (hour % 7), 50];
    // Holder 3 receives in the first hour alone.
    const to = [...holders, ...holders].filter((holder) => holder !== 3 || hour === 0);
    replay.replay({
      from: new Uint32Array(to.length),
      to: Uint32Array.from(to),
      timestamp: new Float64Array(to.length).fill(HOUR * hour),
      price: Float64Array.from(to, (_, i) => (i < to.length / 2 ? dear : cheap)),
      values: new Uint32Array(to.length).fill(AMOUNT),
    });
  }
  const parts = [...replay.lotsOf(Uint32Array.of(2, 3, 4, 1), HOURS)];
  expect(parts.map(({ owners }) => [...new Set(owners)])).toEqual([[2], [3, 4], [1]]);
  const told = parts.flatMap(({ owners, times, prices, amounts }) =>
    Array.from(owners, (owner, lot) => [owner, times[lot], prices[lot], amounts[2 * lot], amounts[2 * lot + 1]]),
  );
  const lotsOf = (holder: number) =>
    Array.from({ length: holder === 3 ? 1 : HOURS }, (_, hour) =>
      [50, 100 + (hour % 7)].map((price) => [holder, HOUR * hour, price, AMOUNT, 0]),
    ).flat();
  expect(told).toEqual([2, 3, 4, 1].flatMap(lotsOf));
});
