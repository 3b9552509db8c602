/** The ticks of a logarithmic axis: round numbers, as many as there is room for. */

import { fewMultiples, multiplesWithin, niceStep } from "./multiples.ts";

/** First digits of ticks, and the least distance between two of these in decades; the densest first. */
const DIGITS: [digits: number[], distance: number][] = [
  [[1, 2, 3, 5, 7], Math.log10(7 / 5)],
  [[1, 2, 5], Math.log10(2)],
  [[1, 3], Math.log10(3)],
  [[1], 1],
];
/** Fewer ticks than that say too little: then they are multiples of a step. */
const FEW = 3;
/** A single tick doesn't even say how much a distance is. */
const LEAST = 2;

/**
 * @param min positive
 * @param max above `min`
 * @param most labels that fit below each other
 */
export function logTicks(min: number, max: number, most: number): number[] {
  const decades = Math.log10(max / min);
  const room = decades / most;
  const every = Math.max(1, Math.ceil(room));
  const fitting = DIGITS.findIndex(([, distance]) => distance >= room);
  const within = ticksWithin(min, max, DIGITS.at(fitting)![0], every);
  if (within.length >= (decades < 1 ? FEW : LEAST)) return within;
  // The two uppermost multiples, which are closest to each other, are `room` apart.
  const multiples = decades < 1 ? multiplesWithin(min, max, niceStep(max * (1 - 10 ** -room))) : [];
  return multiples.length >= LEAST ? multiples : nextDenser(min, max, every);
}

/** The sparsest of the denser ticks of which two or three lie on an axis. */
function nextDenser(min: number, max: number, every: number): number[] {
  for (let powers = every - 1; powers >= 1; powers--) {
    const ticks = ticksWithin(min, max, [1], powers);
    if (ticks.length >= LEAST) return ticks;
  }
  for (const [digits] of DIGITS.toReversed()) {
    const ticks = ticksWithin(min, max, digits, 1);
    if (ticks.length >= LEAST) return ticks;
  }
  return fewMultiples(min, max);
}

/** All numbers that begin with one of the digits, of every so many powers of ten. */
function ticksWithin(min: number, max: number, digits: readonly number[], every: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++) {
    if (power % every !== 0) continue;
    // Read from a text, it is the nearest double.
    for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
  }
  return ticks.filter((tick) => tick >= min && tick <= max);
}
