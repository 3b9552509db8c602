/** The ticks of a logarithmic axis: round numbers, as many as there is room for. */

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
  if (within.length < FEW && decades < 1) return multiples(min, max, room);
  if (within.length >= LEAST) return within;
  // An axis with a single power of ten of every so many has two or three of the next denser ones.
  return every > 1 ? ticksWithin(min, max, [1], every - 1) : ticksWithin(min, max, [1, 3], 1);
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

/** Multiples of 1, 2 or 5 times a power of ten, of which the two uppermost are at least `room` decades apart. */
function multiples(min: number, max: number, room: number): number[] {
  const least = max * (1 - 10 ** -room);
  const power = Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((digit) => digit * 10 ** power >= least)! * 10 ** power;
  const first = Math.ceil(min / step);
  const count = Math.floor(max / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
