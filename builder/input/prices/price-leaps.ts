/** Prices that leap and come back, as where a decimal point is misplaced. Source: docs/building.md#leaps-of-prices. */

/** How many times as large, or as small, a price is. */
const LEAP = 1_000;
/** Prices of a leap: a day of hours, or a month of days. What stays longer is taken for a real price. */
const MOST_PRICES = 31;

/** Some prices in a row. */
interface Leap {
  /** The first of them. */
  index: number;
  /** How many they are. */
  count: number;
  isUp: boolean;
}

/**
 * The runs of prices that are all at least `LEAP` times the price before and the price after them, or at most that part of
 * both. A price of 0 is none: it is in no run, and before and after none.
 *
 * @param usd in the order of time
 */
export function* leaps(usd: Float64Array): Generator<Leap> {
  const indexes = new Uint32Array(usd.length).map((_, index) => index).filter((index) => usd[index]! > 0);
  const price = (at: number) => usd[indexes[at]!]!;
  for (let at = 1; at < indexes.length; at++) {
    const before = price(at - 1);
    const isUp = price(at) > before;
    const end = Math.min(indexes.length, at + MOST_PRICES + 1);
    let after = at;
    while (after < end && isLeap(before, price(after), isUp)) after++;
    if (after === at || after === end) continue;
    const run = Array.from({ length: after - at }, (_, k) => price(at + k));
    if (!run.every((usd) => isLeap(price(after), usd, isUp))) continue;
    yield { index: indexes[at]!, count: run.length, isUp };
    at = after;
  }
}

/** Doubles of decimals: 1,230 divided by 1.23 may be a little less than 1,000. */
const isLeap = (from: number, to: number, isUp: boolean) => (isUp ? to / from : from / to) >= LEAP * (1 - 1e-12);
