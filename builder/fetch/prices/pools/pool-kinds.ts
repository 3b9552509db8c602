/**
 * The kinds of pools: how their state follows from events, and what their contracts answer. A new kind is a row here; its
 * events are in events.ts, its name in builder/input/asset/source.ts.
 */

import type { Signature } from "../../chain/selectors.ts";
import type { View } from "./calls.ts";
import { ConcentratedState } from "./concentrated-state.ts";
import { type Growth, PairState, PRICES, RESERVES } from "./pair-state.ts";
import type { Facts, PoolKind, PoolShape, PoolState } from "./pool.ts";
import { readTicks } from "./tick-facts.ts";

export interface KindOfPool {
  /** What messages call the kind. */
  title: string;
  /** Whether a pool has a price before it has tokens: the contracts of these may come later. */
  startsEmpty: boolean;
  /** The state of a new pool. */
  open(shape: PoolShape): PoolState;
  /**
   * What a pool's contract says of itself: facts that its state has, too. Those of a contract that is not there yet are 0.
   *
   * @param replayed the facts of its state
   */
  read(view: View, shape: PoolShape, replayed: Facts): Promise<Facts>;
  /** What is compared with the chain, for fetch.json. */
  proves: string;
}

const pair = (title: string, growth: Growth, names: readonly [Signature, Signature]): KindOfPool => ({
  title,
  startsEmpty: false,
  open: (shape) => new PairState(shape, growth),
  async read(view) {
    const [[reserve0 = 0n, reserve1 = 0n, updated = 0n], ...accumulators] = await Promise.all([
      view("getReserves()"),
      ...names.map((name) => view(name)),
    ]);
    const [[cumulative0 = 0n] = [], [cumulative1 = 0n] = []] = accumulators;
    return { reserve0, reserve1, updated, cumulative0, cumulative1 };
  },
  proves: `getReserves, ${names.map((name) => name.replace("()", "")).join(", ")}`,
});

const signed = (word = 0n) => BigInt.asIntN(256, word);

const concentrated = (title: string): KindOfPool => ({
  title,
  startsEmpty: true,
  open: (shape) => new ConcentratedState(shape),
  async read(view, shape, replayed) {
    const [[sqrtPriceX96 = 0n, tick, index], [liquidity = 0n]] = await Promise.all([
      view("slot0()"),
      view("liquidity()"),
    ]);
    const observation = index === undefined ? [] : await view("observations(uint256)", index);
    const [observed = 0n, tickCumulative, secondsPerLiquidity = 0n] = observation;
    const now = { sqrtPriceX96, tick: signed(tick), liquidity };
    const ticks = await readTicks(view, Number(now.tick), shape, replayed);
    return { ...now, observed, tickCumulative: signed(tickCumulative), secondsPerLiquidity, ...ticks };
  },
  proves: "slot0, liquidity, observations",
});

export const POOL_KINDS: Readonly<Record<PoolKind, KindOfPool>> = {
  "uniswap-v2": pair("Uniswap v2", PRICES, ["price0CumulativeLast()", "price1CumulativeLast()"]),
  "uniswap-v3": concentrated("Uniswap v3"),
  "pancakeswap-v3": concentrated("PancakeSwap v3"),
  // Volatile pools. They add up reserves, not prices.
  aerodrome: pair("Aerodrome", RESERVES, ["reserve0CumulativeLast()", "reserve1CumulativeLast()"]),
  slipstream: concentrated("Aerodrome Slipstream"),
};
