/** The price of each bucket, by hand, and that of each hour against the reference. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { priceSeries } from "../../../builder/engine/calendar/price-series.ts";
import type { BucketResolution } from "../../../data-schema/registry/resolutions.ts";
import { prepareTimeline } from "../../in-memory/timeline.ts";
import { histories } from "../../reference/histories.ts";
import { prices, type Token, ZERO_ADDRESS } from "../../reference/reference.ts";
import { toEngineInput } from "../engine-input.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;

function pricesOf(token: Token, resolution: BucketResolution, range?: { from: number; to: number }) {
  const { history, prices, groups, parameters } = toEngineInput(token);
  const timeline = prepareTimeline(history, prices, groups, parameters);
  const [series] = [...priceSeries(timeline, resolution, range)];
  const [run] = series![1];
  return Array.from(run?.t ?? [], (t, i) => ({ t, v: run!.v[i]! }));
}

it("is the last observation before the end of the bucket, where it is above 0", () => {
  const transfer = {
    block: 1,
    logIndex: 0,
    timestamp: DAY + 5,
    from: ZERO_ADDRESS,
    to: `0x${"a".repeat(40)}`,
    value: 1n,
  };
  const token: Token = {
    decimals: 0,
    maxSupply: "1",
    asOf: 5 * DAY,
    transfers: [transfer],
    exchanges: {},
    contracts: [],
    prices: [
      [DAY + HOUR, 3],
      [2 * DAY, 4],
      [4 * DAY, 0],
    ],
  };
  expect(pricesOf(token, "day")).toEqual([
    { t: DAY, v: 3 },
    { t: 2 * DAY, v: 4 },
    { t: 3 * DAY, v: 4 },
  ]);
  // There is none before the first observation: the first hour ends when it is made.
  expect(pricesOf(token, "hour").slice(0, 2)).toEqual([
    { t: DAY + HOUR, v: 3 },
    { t: DAY + 2 * HOUR, v: 3 },
  ]);
  // 1970-01-05 is a Monday, and the month is not over.
  expect(pricesOf({ ...token, asOf: 4 * DAY }, "week")).toEqual([{ t: -3 * DAY, v: 4 }]);
  expect(pricesOf(token, "month")).toEqual([]);
  expect(pricesOf(token, "hour", { from: 2 * DAY, to: 2 * DAY + 2 * HOUR })).toEqual([
    { t: 2 * DAY, v: 4 },
    { t: 2 * DAY + HOUR, v: 4 },
  ]);
});

it("is the reference's, hour by hour", () => {
  fc.assert(
    fc.property(histories(8), (token) => {
      const first = Math.min(...token.transfers.map(({ timestamp }) => timestamp));
      const short = { ...token, asOf: Math.min(token.asOf, first + 100 * DAY) };
      expect(pricesOf(short, "hour")).toEqual(prices(short, "hour"));
    }),
    { numRuns: 30 },
  );
});
