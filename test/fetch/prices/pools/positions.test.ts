import { describe, expect, test } from "vitest";
import { ConcentratedState } from "../../../../builder/fetch/prices/pools/concentrated-state.ts";
import type { PoolShape } from "../../../../builder/fetch/prices/pools/pool.ts";
import type { PriceEvent } from "../../../../builder/fetch/prices/pools/pool-events.ts";
import { HALVING, Positions, rootAt } from "../../../../builder/fetch/prices/pools/positions.ts";
import { readTicks } from "../../../../builder/fetch/prices/pools/tick-facts.ts";
import { MadeUpPool, WHOLE_RANGE } from "../made-up-pool.ts";

const ONE = 2n ** 96n;
const SHAPE: PoolShape = { kind: "uniswap-v3", isToken0: true, decimals: 18, quoteDecimals: 18, tickSpacing: 60 };

describe("roots of ticks", () => {
  test("begin and end as TickMath's do", () => {
    expect(rootAt(-887_272)).toBe(4_295_128_739n);
    expect(rootAt(0)).toBe(ONE);
    expect(rootAt(887_272)).toBe(1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n);
  });

  test("are the root of 1.0001 to the power of the tick, whichever its bits", () => {
    // Rounded up: 1.0001^-1 is between the squares of the two.
    const square = (root: bigint) => root ** 2n * 10_001n;
    expect(square(rootAt(-1))).toBeGreaterThanOrEqual(10_000n * ONE ** 2n);
    expect(square(rootAt(-1) - 1n)).toBeLessThan(10_000n * ONE ** 2n);
    for (let bit = 0; bit < 19; bit++) {
      const difference = rootAt(-(2 ** bit)) ** 2n / ONE - rootAt(-(2 ** (bit + 1)));
      expect(difference * difference, `bit ${bit}`).toBeLessThanOrEqual(9n);
    }
  });

  test("halve within the ticks that depth looks at", () => {
    expect(rootAt(-HALVING) * 2n).toBeLessThan(ONE);
    expect(rootAt(1 - HALVING) * 2n).toBeGreaterThan(ONE);
  });
});

describe("depth", () => {
  const positionsOf = (...all: [lower: number, upper: number, liquidity: bigint][]) => {
    const positions = new Positions();
    for (const one of all) positions.add(...one);
    return positions;
  };

  test("of liquidity at all prices is the reserve of Uniswap v2: L·√P and L/√P", () => {
    const positions = positionsOf([...WHOLE_RANGE, 10n ** 24n]);
    const root = (ONE * 3n) / 2n;
    expect(positions.depth(root, true)).toBe((3n * 10n ** 24n) / 2n);
    expect(positions.depth(root, false)).toBe((2n * 10n ** 24n) / 3n);
  });

  test("of a narrow position is twice the money in it, however large its liquidity", () => {
    // The token1 in it is L·(√P − √P(lower)), from 1 down to the tick −60.
    const twice = (2n * 10n ** 27n * (ONE - rootAt(-60))) / ONE;
    const position = positionsOf([-60, 60, 10n ** 27n]);
    expect(position.depth(ONE, true)).toBe(twice);
    expect(Number(twice) / 1e27).toBeCloseTo(0.006, 4);
    // By symmetry, there is as much token0.
    expect(Number(position.depth(ONE, false)) / Number(twice)).toBeCloseTo(1, 12);
  });

  test("adds up over positions, and looks no further than half of the root", () => {
    const near = positionsOf([-600, 600, 10n ** 24n]);
    const both = positionsOf([-600, 600, 10n ** 24n], [-1200, -600, 3n * 10n ** 24n]);
    const twice = 2n * 10n ** 24n * (ONE - rootAt(-600) + 3n * (rootAt(-600) - rootAt(-1200)));
    expect(both.depth(ONE, true)).toBe(twice / ONE);
    const far = positionsOf([-600, 600, 10n ** 24n], [-60_000, -20_000, 10n ** 30n]);
    expect(far.depth(ONE, true)).toBe(near.depth(ONE, true));
  });

  test("forgets positions that are taken out", () => {
    const positions = positionsOf([-60, 60, 5n], [0, 60, 7n]);
    positions.add(-60, 60, -5n);
    positions.add(0, 60, -7n);
    expect(positions.ticks).toEqual([]);
  });
});

describe("the state of a pool", () => {
  const replay = (events: readonly PriceEvent[]) => {
    const state = new ConcentratedState(SHAPE);
    return { state, breaks: events.map(({ change, time }) => state.apply(change, time)).filter(Boolean) };
  };
  const pool = new MadeUpPool("0xa1");
  const events = [
    pool.initialise(1_000, ONE),
    pool.add(1_000, [-120, 120], 10n ** 24n),
    pool.add(1_100, [-6_000, -240], 10n ** 24n),
    pool.trade(1_200, (ONE * 98n) / 100n),
  ];

  test("tells its positions from its first event on, and goes on from its facts", () => {
    const { state, breaks } = replay(events);
    expect(breaks).toEqual([]);
    expect(state.facts).toMatchObject({
      ticks: 4n,
      "tick -6000": 10n ** 24n,
      "tick -240": -(10n ** 24n),
      "tick 120": -(10n ** 24n),
    });
    const later = new ConcentratedState(SHAPE);
    later.restore(state.facts);
    expect(later.facts).toEqual(state.facts);
    expect(later.standing).toEqual(state.standing);
  });

  test("weighs by its virtual reserve where earlier events are not known", () => {
    const { state } = replay(events.slice(1));
    expect(state.facts).not.toHaveProperty("ticks");
    expect(state.standing?.depth).toBe((10n ** 24n * ((ONE * 98n) / 100n)) / ONE);
  });

  test("shows a log of a position that is missing, once the price is there", () => {
    expect(replay(events.filter((_, index) => index !== 2)).breaks).toEqual([
      "its liquidity is not that of the positions that events before have left",
    ]);
  });

  test("is compared with the contract's ticks, those that its logs don't tell included", async () => {
    const { state } = replay(events);
    const nets = new Map([
      [-6_000, 10n ** 24n],
      [-240, -(10n ** 24n)],
      [-600, 5n],
    ]);
    const asked: string[] = [];
    const answers = await readTicks(
      async (view, parameter = 0n) => {
        asked.push(view);
        if (view === "ticks(int24)") return [1n, BigInt.asUintN(256, nets.get(Number(parameter)) ?? 0n)];
        const inWord = [...nets.keys()].filter((tick) => Math.floor(tick / 60 / 256) === Number(parameter));
        return [inWord.reduce((bits, tick) => bits | (1n << BigInt(tick / 60 - Number(parameter) * 256)), 0n)];
      },
      -405,
      SHAPE,
      state.facts,
    );
    expect(answers).toEqual({ "tick -6000": 10n ** 24n, "tick -600": 5n });
    // The quarter of the price is within one word, or two.
    expect(asked.filter((view) => view === "tickBitmap(int16)").length).toBeLessThanOrEqual(2);
    // A contract that has no such views, or a state without positions, tells nothing.
    expect(await readTicks(async () => [], -405, SHAPE, state.facts)).toEqual({});
    expect(await readTicks(async () => [1n, 1n], -405, SHAPE, {})).toEqual({});
  });
});
