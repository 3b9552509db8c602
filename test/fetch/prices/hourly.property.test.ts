import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HourlyPrices, type HourPrice } from "../../../builder/fetch/prices/hourly.ts";
import type { PricedPool } from "../../../builder/fetch/prices/pools/pool.ts";
import type { PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { HOUR_SECONDS } from "../../../data-schema/text.ts";
import { tries } from "../../effort.ts";
import { answer, DAY, histories, laterHistories, liquidity, START, swap, sync, USDC, WBTC, WETH } from "./histories.ts";
import { besideHonest, checkUnmoved, MadeUpPool, rootOf, tickOf, WHOLE_RANGE } from "./made-up-pool.ts";
import { modelHours } from "./model.ts";

/** Hours [START, end) of events. */
function hourly(pools: PricedPool[], events: PriceEvent[], end: number, start = START): HourPrice[] {
  const hours = new HourlyPrices(pools, start);
  return [...events.flatMap((event) => [...hours.take(event)]), ...hours.until(end)];
}

const [OLD, NEW] = ["f1", "f2"].map((digits) => `0x${digits.padStart(40, "0")}`) as [string, string];
const FEED = `0x${"fe".padStart(40, "0")}`;
const WBTC_POOL = `0x${"b1".padStart(40, "0")}`;

/** A pool against a dollar, of 18 decimals both. */
const DOLLAR: PricedPool = {
  address: "0xd1",
  kind: "uniswap-v2",
  isToken0: true,
  decimals: 18,
  quoteDecimals: 18,
  quote: { kind: "constant", usd: 1 },
};

/** Reserves of 10^12 tokens and so many dollars for a price. */
const priced = (time: number, usd: number, address = DOLLAR.address, tokens = 1_000_000) =>
  sync(address, time, BigInt(tokens) * 10n ** 18n, BigInt(Math.round(tokens * usd * 1e6)) * 10n ** 12n);

describe("hand-worked", () => {
  test("an hour is the average over its seconds", () => {
    // 1 USD for 45 minutes, 1.2 USD for 15.
    const events = [priced(START, 1), priced(START + 2700, 1.2)];
    expect(hourly([DOLLAR], events, START + HOUR_SECONDS)).toEqual([{ end: START + HOUR_SECONDS, usd: 1.05 }]);
  });

  test("an hour without events carries what stands", () => {
    const prices = hourly([DOLLAR], [priced(START + 10, 1.5)], START + 3 * HOUR_SECONDS);
    expect(prices.map(({ usd }) => usd)).toEqual([1.5, 1.5, 1.5]);
  });

  test("before the first event there is no price", () => {
    const events = [priced(START + 2 * HOUR_SECONDS + 5, 1.5)];
    expect(hourly([DOLLAR], events, START + 3 * HOUR_SECONDS)).toEqual([{ end: START + 3 * HOUR_SECONDS, usd: 1.5 }]);
  });

  test("events before the start tell what stands at it", () => {
    expect(hourly([DOLLAR], [priced(START - DAY, 2)], START + HOUR_SECONDS)).toEqual([
      { end: START + HOUR_SECONDS, usd: 2 },
    ]);
  });

  test("an event at the end of an hour belongs to the next", () => {
    const events = [priced(START, 1), priced(START + HOUR_SECONDS, 1.5)];
    expect(hourly([DOLLAR], events, START + 2 * HOUR_SECONDS).map(({ usd }) => usd)).toEqual([1, 1.5]);
  });

  test("a sandwich leaves no trace: what is undone in its block stood for no time", () => {
    const quiet = [priced(START, 1), priced(START + 1800, 1.01)];
    const attacked = [quiet[0]!, priced(START + 1800, 40), priced(START + 1800, 0.2), quiet[1]!];
    expect(hourly([DOLLAR], attacked, START + HOUR_SECONDS)).toEqual(hourly([DOLLAR], quiet, START + HOUR_SECONDS));
  });

  test("a price of some blocks that is more than twice the median, or less than half, is left out", () => {
    const crash = [priced(START, 1), priced(START + 1200, 0.4), priced(START + 1224, 1)];
    const pump = [priced(START, 1), priced(START + 1200, 90_000), priced(START + 1212, 1)];
    for (const events of [crash, pump]) {
      const hours = new HourlyPrices([DOLLAR], START);
      const prices = [...events.flatMap((event) => [...hours.take(event)]), ...hours.until(START + HOUR_SECONDS)];
      expect(prices).toEqual([{ end: START + HOUR_SECONDS, usd: 1 }]);
      expect(hours.notices.outliers).toBe(1);
    }
  });

  test("a price that falls for good is the price from the hour on in which it stood longest", () => {
    const events = [priced(START, 1), priced(START + 1200, 0.1), priced(START + HOUR_SECONDS + 2400, 0.01)];
    expect(hourly([DOLLAR], events, START + 3 * HOUR_SECONDS).map(({ usd }) => usd)).toEqual([0.1, 0.1, 0.01]);
  });

  test("a pool that is drained has no price while less than 1,000 USD of its quote token are left", () => {
    const events = [priced(START, 1), sync(DOLLAR.address, START + 600, 10n ** 30n, 999n * 10n ** 18n)];
    expect(hourly([DOLLAR], events, START + 2 * HOUR_SECONDS)).toEqual([{ end: START + HOUR_SECONDS, usd: 1 }]);
    const empty = [priced(START, 1), sync(DOLLAR.address, START + 600, 0n, 0n)];
    expect(hourly([DOLLAR], empty, START + 2 * HOUR_SECONDS)).toEqual([{ end: START + HOUR_SECONDS, usd: 1 }]);
  });

  test("liquidity that is taken from Uniswap v3 without a swap takes the depth", () => {
    const pool: PricedPool = { ...USDC, quoteDecimals: 18, quote: { kind: "constant", usd: 1 } };
    const burn = (time: number, lower: number, upper: number) =>
      liquidity(pool.address, time, [lower, upper], -(10n ** 24n));
    const start = swap(pool.address, START, 1, 10n ** 24n);
    const out = [start, burn(START + 1800, -100, 100)];
    expect(hourly([pool], out, START + 2 * HOUR_SECONDS)).toEqual([{ end: START + HOUR_SECONDS, usd: 1 }]);
    const elsewhere = [start, burn(START + 1800, 100, 200)];
    expect(hourly([pool], elsewhere, START + 2 * HOUR_SECONDS)).toHaveLength(2);
  });

  test("a pool counts as dead seven days after its last event", () => {
    const prices = hourly([DOLLAR], [priced(START, 1)], START + 9 * DAY);
    expect(prices.at(-1)).toEqual({ end: START + 7 * DAY, usd: 1 });
  });

  test("pools weigh by the depth of their quote token", () => {
    const other = { ...DOLLAR, address: "0xd2" };
    // 3,000,000 USD at 1, and 1,040,000 at 1.04.
    const events = [priced(START, 1, "0xd1", 3_000_000), priced(START, 1.04, "0xd2")];
    const [{ usd }] = hourly([DOLLAR, other], events, START + HOUR_SECONDS) as [HourPrice];
    expect(usd).toBeCloseTo((3 + 1.04 * 1.04) / 4.04, 12);
  });

  test("a thin pool that strays by more than a tenth is left out", () => {
    const other = { ...DOLLAR, address: "0xd2" };
    const events = [priced(START, 1), priced(START, 1.11, "0xd2", 5_000)];
    expect(hourly([DOLLAR, other], events, START + HOUR_SECONDS)).toEqual([{ end: START + HOUR_SECONDS, usd: 1 }]);
  });

  test("a feed's answers are steps, whichever aggregator gives them; answers of 0 are ignored", () => {
    const pool = sync(WETH.address, START, 1_000n * 10n ** 18n, 10n ** 18n);
    const events = [answer(OLD, START, 2000), pool, answer(NEW, START + 1800, 2200), answer(OLD, START + 1900, 0)];
    expect(hourly([WETH], events, START + 2 * HOUR_SECONDS).map(({ usd }) => usd)).toEqual([2.1, 2.2]);
  });

  test("a feed that has not answered for more than 25 hours is counted, and after seven days there is no price", () => {
    const pool = (time: number) => sync(WETH.address, time, 1_000n * 10n ** 18n, 10n ** 18n);
    const events = [answer(OLD, START, 2000), pool(START), pool(START + 3 * DAY), pool(START + 6 * DAY)];
    const hours = new HourlyPrices([WETH], START);
    const prices = [...events.flatMap((event) => [...hours.take(event)]), ...hours.until(START + 8 * DAY)];
    expect(prices.at(-1)!.end).toBe(START + 7 * DAY);
    expect(hours.notices.late).toEqual(new Map([[FEED, 7 * 24 - 25]]));
  });

  test("a stablecoin's pool tells the quote token's price", () => {
    // 1 WBTC = 50,000 USDC: raw 50,000·10^6 / 10^8.
    const events = [
      swap(WBTC_POOL, START, 500, 10n ** 15n),
      sync(WBTC.address, START, 10n ** 8n * 100n, 10n ** 18n * 1_000_000n),
    ];
    const [{ usd }] = hourly([WBTC], events, START + HOUR_SECONDS) as [HourPrice];
    expect(usd).toBeCloseTo(5, 10);
  });
});

describe("a pool of narrow liquidity beside an honest one", () => {
  const HOUR = START + HOUR_SECONDS;
  const unit = 10n ** 18n;
  const thin: PricedPool = { ...USDC, isToken0: true, quoteDecimals: 18, quote: { kind: "constant", usd: 1 } };
  /** 2,000,000 USD at 1. */
  const honest = priced(START, 1, DOLLAR.address, 2_000_000);
  const hourOf = (events: PriceEvent[], pools = [DOLLAR, thin]) =>
    hourly(pools, [honest, ...events], HOUR).map(({ usd }) => usd);

  /** A pool with so much money at a price, and a narrow position in it for a while. */
  function attacked({ usd, money, from, seconds }: { usd: number; money: number; from: number; seconds: number }) {
    const pool = new MadeUpPool(thin.address);
    const root = rootOf(usd);
    const wide = BigInt(Math.round((money / Math.sqrt(usd)) * 1e6)) * 10n ** 12n;
    const begin = [pool.initialise(START, root), pool.add(START, WHOLE_RANGE, wide)];
    // 30,000,000 USD of virtual reserve: within a tick, less than 0.01 % of that is money.
    const narrow = [tickOf(root), tickOf(root) + 1] as const;
    const position = pool.add(START + from, narrow, 30_000_000n * unit);
    const liquidity = pool.remove(START + from + seconds, "newest");
    return [...begin, position, ...liquidity];
  }

  test("does not move the hour in a block, whether its beginning is known or not", () => {
    for (const usd of [1.5, 1.05, 0.6]) {
      const events = attacked({ usd, money: 1_500, from: 1_200, seconds: 12 });
      // 1,500 USD at 1.05 weigh 0.075 % of the hour; what strays by more than a tenth weighs nothing.
      const expected = usd === 1.05 ? (2_000_000 + 1_500 * 1.05) / 2_001_500 : 1;
      expect(hourOf(events)[0]).toBeCloseTo(expected, 9);
      const [, ...later] = events;
      const known = swap(thin.address, START, usd, BigInt(Math.round((1_500 / Math.sqrt(usd)) * 1e6)) * 10n ** 12n);
      expect(hourOf([known, ...later.slice(1)])[0]).toBeCloseTo(expected, 9);
    }
  });

  test("weighs twice its money, not its virtual reserve, however long a position stands", () => {
    const events = attacked({ usd: 1.05, money: 1_500, from: 0, seconds: HOUR_SECONDS });
    const [usd] = hourOf(events) as [number];
    // A tick of 30,000,000 USD takes at most 0.005 % of them: 1,500 USD, which weigh as 3,000 beside the 1,500.
    expect(usd).toBeGreaterThan(1);
    expect(usd).toBeLessThanOrEqual((2_000_000 + 4_500 * 1.05) / 2_004_500);
    expect(hourOf(attacked({ usd: 1.5, money: 1_500, from: 0, seconds: HOUR_SECONDS }))).toEqual([1]);
  });

  test("that has less than 1,000 USD at other times does not count for them", () => {
    expect(hourOf(attacked({ usd: 1.05, money: 500, from: 1_200, seconds: 12 }))).toEqual([1]);
    // Unless no pool has stood for longer.
    const alone = attacked({ usd: 1.05, money: 500, from: 1_200, seconds: 12 });
    expect(hourly([thin], alone, HOUR)[0]?.usd).toBeCloseTo(1.05, 9);
  });

  test("that was dead for a week does not count for a trade in the last block", () => {
    const pool = new MadeUpPool(thin.address);
    const root = rootOf(1.05);
    const [long, late] = [START - 8 * DAY, START + 3_588];
    const begin = [pool.initialise(long, root), pool.add(long, WHOLE_RANGE, 1_500n * unit)];
    const revived = [pool.add(late, [tickOf(root) - 1, tickOf(root) + 1], 30_000_000n * unit), pool.trade(late, root)];
    expect(hourly([DOLLAR, thin], [...begin, honest, ...revived], HOUR)).toEqual([{ end: HOUR, usd: 1 }]);
  });

  test("moves no hour by half a percent, whatever its positions and trades", () => {
    fc.assert(
      fc.property(besideHonest(START), (events) => checkUnmoved(events, START)),
      { numRuns: tries(100) },
    );
  });

  test("counts where it stands for half as long as the others, or longer", () => {
    const from = (seconds: number) => [
      honest,
      sync("0xd2", START + seconds, 2_000_000n * unit, 2_000_000n * unit + 40_000n * unit),
    ];
    const hour = (seconds: number) => hourly([DOLLAR, { ...DOLLAR, address: "0xd2" }], from(seconds), HOUR)[0]!.usd;
    expect(hour(1_801)).toBe(1);
    // 1,800 s of 2,040,000 USD at 1.02 beside 3,600 s of 2,000,000 USD at 1.
    expect(hour(1_800)).toBeCloseTo((2 * 3_600 + 1.02 * 2.04 * 1_800) / (2 * 3_600 + 2.04 * 1_800), 12);
  });
});

describe("properties", () => {
  const pools = [WETH, USDC, WBTC];
  const endOf = (events: PriceEvent[]) =>
    Math.ceil(((events.at(-1)?.time ?? START) + 2 * HOUR_SECONDS) / HOUR_SECONDS) * HOUR_SECONDS;

  test("hourly prices equal an exact integer model of the pools", () => {
    let hours = 0;
    const property = fc.property(histories(), (events) => {
      // The model takes a while for each hour.
      const end = Math.min(endOf(events), START + 12 * HOUR_SECONDS);
      const within = events.filter(({ time }) => time < end);
      const model = modelHours(pools, within, START, end);
      hours += model.length;
      expect(hourly(pools, within, end)).toEqual(model);
    });
    fc.assert(property, { numRuns: 60 });
    expect(hours).toBeGreaterThan(200);
  }, 120_000);

  test("nights give what one run gives, if each knows the last event of each address within a week", () => {
    const property = fc.property(
      laterHistories(),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
      (events, cuts) => {
        const end = Math.max(endOf(events), START);
        const whole = hourly(pools, events, end);
        const nights: HourPrice[] = [];
        let start = START;
        for (const until of [...cuts.map((hours) => hours * HOUR_SECONDS).toSorted((a, b) => a - b), end - START]) {
          const stop = Math.min(START + until, end);
          if (stop <= start) continue;
          const seen = events.filter(({ time }) => time >= start - 7 * DAY && time < stop);
          nights.push(...hourly(pools, seen, stop, start));
          start = stop;
        }
        expect(nights).toEqual(whole);
      },
    );
    fc.assert(property, { numRuns: tries(150) });
  });
});
