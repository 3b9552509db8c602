/**
 * What contracts of pools and feeds answer after their events: slow and obvious, second by second where it matters, and
 * written from the contracts' own sources, not from the builder's states.
 */

import type { PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { word } from "../chain/fake-chain.ts";

const hex = (...words: bigint[]) => `0x${words.map((value) => word(BigInt.asUintN(256, value))).join("")}`;

const SELECTORS = {
  "0902f1ac": "getReserves",
  "5909c0d5": "price0CumulativeLast",
  "5a3d5493": "price1CumulativeLast",
  "3850c7bd": "slot0",
  "1a686502": "liquidity",
  "252c09d7": "observations",
  f30dba93: "ticks",
  "5339c296": "tickBitmap",
  "668a0f02": "latestRound",
  "50d25bcd": "latestAnswer",
  "8205bf6a": "latestTimestamp",
  b633620c: "getTimestamp",
} as Record<string, string>;

/**
 * @param events of all contracts, in the order of the chain
 * @returns the answer to a call after those up to a time; undefined if it reverts
 */
export function viewsOf(events: readonly PriceEvent[]) {
  return (address: string, calldata: string, time: number): string | undefined => {
    const own = events.filter((event) => event.address === address && event.time <= time);
    const view = SELECTORS[calldata.slice(2, 10)];
    const asked = BigInt(`0x${calldata.slice(10) || "0"}`);
    const answers = {
      ...pair(own),
      ...pool(own),
      ...ticks(own, BigInt.asIntN(256, asked)),
      ...aggregator(own, asked),
    } as Record<string, bigint[]>;
    return view === undefined ? undefined : answers[view] && hex(...answers[view]);
  };
}

function pair(events: readonly PriceEvent[]) {
  let [reserve0, reserve1, updated, cumulative0, cumulative1] = [0n, 0n, 0, 0n, 0n];
  for (const { change, time } of events) {
    if (change.kind !== "reserves") continue;
    const elapsed = BigInt(time - updated);
    if (reserve0 > 0n && reserve1 > 0n) {
      cumulative0 += ((reserve1 << 112n) / reserve0) * elapsed;
      cumulative1 += ((reserve0 << 112n) / reserve1) * elapsed;
    }
    [reserve0, reserve1, updated] = [change.reserve0, change.reserve1, time];
  }
  return {
    getReserves: [reserve0, reserve1, BigInt(updated)],
    price0CumulativeLast: [cumulative0],
    price1CumulativeLast: [cumulative1],
  };
}

function pool(events: readonly PriceEvent[]) {
  let [root, tick, liquidity, observed, ticks, seconds] = [0n, 0, 0n, 0, 0n, 0n];
  const observe = (time: number) => {
    if (observed === 0 || time === observed) return;
    const elapsed = BigInt(time - observed);
    ticks += BigInt(tick) * elapsed;
    seconds += (elapsed << 128n) / (liquidity > 0n ? liquidity : 1n);
    observed = time;
  };
  for (const { change, time } of events) {
    if (change.kind === "price") {
      if (change.tick !== tick) observe(time);
      if (observed === 0) observed = time;
      ({ sqrtPriceX96: root, tick, liquidity } = change);
    }
    if (change.kind === "liquidity" && change.delta !== 0n && change.lower <= tick && tick < change.upper) {
      observe(time);
      liquidity += change.delta;
    }
  }
  return {
    slot0: [root, BigInt(tick), 0n, 1n, 1n, 0n, 1n],
    liquidity: [liquidity],
    observations: [BigInt(observed), ticks, BigInt.asUintN(160, seconds), 1n],
  };
}

/** Pools of positions have a tick spacing of 10; a word of the bitmap is about 256 of them. */
function ticks(events: readonly PriceEvent[], asked: bigint) {
  const [gross, net] = [new Map<number, bigint>(), new Map<number, bigint>()];
  const add = (sums: Map<number, bigint>, tick: number, value: bigint) =>
    sums.set(tick, (sums.get(tick) ?? 0n) + value);
  for (const { change } of events) {
    if (change.kind !== "liquidity") continue;
    for (const tick of [change.lower, change.upper]) add(gross, tick, change.delta);
    add(net, change.lower, change.delta);
    add(net, change.upper, -change.delta);
  }
  const places = [...gross].filter(([, value]) => value !== 0n).map(([tick]) => BigInt(Math.floor(tick / 10)));
  const bits = places.filter((place) => place >> 8n === asked).map((place) => 1n << (place & 255n));
  return {
    ticks: [gross.get(Number(asked)) ?? 0n, net.get(Number(asked)) ?? 0n],
    tickBitmap: [bits.reduce((word, bit) => word | bit, 0n)],
  };
}

function aggregator(events: readonly PriceEvent[], asked: bigint) {
  const last = events.at(-1);
  const of = events.find(({ change }) => change.kind === "answer" && change.round === asked);
  const [round, answer, updated] =
    last?.change.kind === "answer" ? [last.change.round, last.change.answer, BigInt(last.time)] : [0n, 0n, 0n];
  return {
    latestRound: [round],
    latestAnswer: [answer],
    latestTimestamp: [updated],
    getTimestamp: [BigInt(of?.time ?? 0)],
  };
}
