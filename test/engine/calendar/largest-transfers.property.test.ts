/** The largest transfers of each day, with ties and days without a price, against a sort of all. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { largestTransfers } from "../../../builder/engine/calendar/largest-transfers.ts";
import { tries } from "../../effort.ts";
import { referenceTransfers } from "../../reference/largest-transfers.ts";
import { type Token, ZERO_ADDRESS } from "../../reference/reference.ts";
import { toEngineInput } from "../engine-input.ts";

const DAY = 86_400;
const START = 1_600_041_600;

const ADDRESSES = [ZERO_ADDRESS, ...["11", "22", "33"].map((byte) => `0x${byte.repeat(20)}`)];

const event = fc.record({
  second: fc.nat(3 * DAY - 1),
  from: fc.constantFrom(...ADDRESSES),
  to: fc.constantFrom(...ADDRESSES),
  // Few values, so that many are equal; and neighbours beyond what a double tells apart.
  value: fc.oneof(
    fc.bigInt(0n, 6n).map((units) => units * 10n ** 18n),
    fc.bigInt(0n, 3n).map((more) => 10n ** 30n + more),
    fc.bigInt(0n, 2n ** 200n),
  ),
});

const prices = fc
  .array(fc.tuple(fc.nat(3 * DAY), fc.constantFrom(0, 1e-9, 0.5, 1, 2)), { maxLength: 4 })
  .map((list) => [...new Map(list)].sort(([a], [b]) => a - b).map(([t, usd]): [number, number] => [START + t, usd]));

const token = fc
  .record({ events: fc.array(event, { maxLength: 200, size: "max" }), prices })
  .map(({ events, prices }): Token => {
    const sorted = events.toSorted((a, b) => a.second - b.second);
    return {
      decimals: 18,
      maxSupply: "1000",
      asOf: START + 3 * DAY,
      transfers: sorted.map(({ second, ...sides }, at) => {
        // Two or three events a block, in it at ascending places.
        const inBlock = sorted[at - (at % 3)]!.second;
        return { block: Math.floor(at / 3), logIndex: 7 * (at % 3), timestamp: START + inBlock, ...sides };
      }),
      prices,
      exchanges: {},
      contracts: [],
    };
  });

it("of random days", () => {
  fc.assert(
    fc.property(token, (token) => {
      const { history, prices } = toEngineInput(token);
      const found = largestTransfers(history, prices, token.decimals).map(
        ({ row }) => `${history.block[row]} ${history.logIndex[row]}`,
      );
      const expected = [0, 1, 2].flatMap((day) =>
        referenceTransfers(token, START / DAY + day).map(({ block, logIndex }) => `${block} ${logIndex}`),
      );
      expect(found).toEqual(expected);
    }),
    { numRuns: tries(200) },
  );
});
