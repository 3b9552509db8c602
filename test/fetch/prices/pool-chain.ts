/** A made-up chain of made-up pools, and the prices that it gives. */

import type { PriceEvent } from "../../../builder/fetch/prices/events.ts";
import { HourlyPrices, type HourPrice } from "../../../builder/fetch/prices/hourly.ts";
import { FakeChain } from "../chain/fake-chain.ts";
import { encodeChange, START, USDC, WBTC, WETH } from "./histories.ts";
import { viewsOf } from "./pool-views.ts";

export const POOLS = [WETH, USDC, WBTC];
/** Seconds between blocks. */
export const INTERVAL = 20;
/** Time of block 0, Unix seconds. */
export const GENESIS = START - 400_000;

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
