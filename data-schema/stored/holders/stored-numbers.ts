/**
 * Times and days of an address as its row has them: as what they differ by from one another, which is small or 0 for many.
 * All are of 32 bits. Source: docs/formats.md#checkpoints.
 */

/** Stands for a number that there is none of: a time or a day before which there was nothing. */
const NONE = 0;

/** A number as its distance from another, if there is one; both are below 2^32. */
export function packBeside(number: number, other: number): number {
  const distance = (number - other) | 0;
  // Small distances in both directions are small numbers.
  return (((distance << 1) ^ (distance >> 31)) + 1) >>> 0;
}

/** The number that is so far from another; undefined if there is none. */
export function unpackBeside(packed: number, other: number): number | undefined {
  if (packed === NONE) return undefined;
  const folded = packed - 1;
  return (other + ((folded >>> 1) ^ -(folded & 1))) >>> 0;
}

const double = new Float64Array(1);
const doubleWords = new Uint32Array(double.buffer);

/**
 * Changes the bits of a time that has a fraction by those of a whole one, and back: of equal times 0 is left, of close ones the
 * last bits.
 *
 * @param words two for each row
 */
export function crossBits(words: Uint32Array, row: number, time: number): void {
  double[0] = time;
  words[2 * row]! ^= doubleWords[0]!;
  words[2 * row + 1]! ^= doubleWords[1]!;
}
