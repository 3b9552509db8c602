/** A made-up chain of made-up pools, and the prices that it gives. */

import * as fc from "fast-check";
import { HourlyPrices, type HourPrice } from "../../../builder/fetch/prices/hourly.ts";
import type { PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { HOUR_SECONDS } from "../../../data-schema/text.ts";
import { FakeChain } from "../chain/fake-chain.ts";
import { encodeChange, laterHistories, START, USDC, WBTC, WETH } from "./histories.ts";
import { NARROW, narrowHistories } from "./made-up-pool.ts";
import { viewsOf } from "./pool-views.ts";

export const POOLS = [WETH, USDC, WBTC, NARROW];
/** Seconds between blocks. */
export const INTERVAL = 20;
/** Time of block 0, Unix seconds. */
export const GENESIS = START - 400_000;

/** What happens in all pools, in the order of the chain. */
export const poolHistories: fc.Arbitrary<PriceEvent[]> = fc
  .tuple(laterHistories(INTERVAL), narrowHistories(INTERVAL, 0.02, START - 2 * HOUR_SECONDS))
  .map((events) => events.flat().toSorted((a, b) => a.time - b.time));

/** A chain on which the pools had these events; `end` is before its head. */
export function chainOf(events: readonly PriceEvent[], end: number): FakeChain {
  return new FakeChain({
    genesis: GENESIS,
    interval: INTERVAL,
    head: (end - GENESIS) / INTERVAL + 100,
    token: { address: "0x", name: "", symbol: "", decimals: 18 },
    contracts: new Set(events.map(({ address }) => address)),
    views: viewsOf(events),
    logs: events.map((event, logIndex) => ({
      block: (event.time - GENESIS) / INTERVAL,
      logIndex,
      address: event.address,
      ...encodeChange(event),
    })),
  });
}

/** All hours of [START, end), from all events at once. */
export function atOnce(events: readonly PriceEvent[], end: number): HourPrice[] {
  const hours = new HourlyPrices(POOLS, START);
  return [...events.flatMap((event) => [...hours.take(event)]), ...hours.until(end)];
}
