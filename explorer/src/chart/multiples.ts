/** Ticks at multiples of a round step, also on axes with room for only a few. */

/** Ticks that differ only after so many digits can't be told apart. */
const PLACES = 12;
/** A share of a step: whatever rounding has left, a multiple at the very end of an axis lies on it. */
const ROUNDING = 1e-9;

/** The least of 1, 2 and 5 times a power of ten that is no less than a number above 0. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((digit) => digit * power >= least * (1 - ROUNDING)) ?? 10);
}

/** All multiples of a step on an axis. */
export function multiplesWithin(min: number, max: number, step: number): number[] {
  const first = Math.ceil(min / step - ROUNDING);
  const count = Math.floor(max / step + ROUNDING) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toPrecision(PLACES)));
}

/** Two or three multiples of the largest round step that has as many; none where the ends can't be told apart. */
export function fewMultiples(min: number, max: number): number[] {
  const top = Math.floor(Math.log10(max - min));
  const last = Math.log10(Math.max(Math.abs(min), Math.abs(max))) - PLACES;
  for (let power = top; power > last; power--) {
    // Where a step has at most one multiple, the next one has at most three.
    for (const digit of [5, 2.5, 2, 1]) {
      const ticks = multiplesWithin(min, max, digit * 10 ** power);
      if (ticks.length >= 2) return ticks;
    }
  }
  return [];
}
