/**
 * Random numbers that are the same on every machine: they come from 32-bit integer operations, and from floating-point
 * operations that IEEE 754 rounds exactly (+ − × ÷ √). Engines may choose the last digit of Math.exp, log, pow and sin.
 */

/** Independent sequences of one seed: a change to one part of the simulation doesn't affect the others. */
export const STREAMS = { addresses: 1, market: 2, schedule: 3, economy: 4 } as const;

/** √3 scales the sum of four uniform numbers, whose variance is 4/12, to variance 1. */
const BELL_SCALE = Math.sqrt(3);

/**
 * sfc32, a small fast counting generator of 128 bits of state with a period of at least 2^32.
 * Source: Chris Doty-Humphrey, PractRand (pracrand.sourceforge.net), sfc.h; its seeding discards 15 numbers.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed a whole number in [0, 2^53) */
  constructor(seed: number, stream: number) {
    this.#a = stream | 0;
    this.#b = seed | 0;
    this.#c = Math.floor(seed / 2 ** 32) | 0;
    for (let discarded = 0; discarded < 15; discarded++) this.uint32();
  }

  /** A whole number in [0, 2^32). */
  uint32(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** A multiple of 2^-32 in [0, 1). */
  unit(): number {
    return this.uint32() / 2 ** 32;
  }

  /** A whole number in [0, limit), for limits up to 2^32. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** Bell-shaped (Irwin–Hall of four), mean 0, variance 1, within ±2√3. */
  bell(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * BELL_SCALE;
  }

  /** The eighth power of a uniform number: small and large ones of all orders of magnitude. Its mean is 1/9. */
  magnitude(): number {
    const u = this.unit();
    const square = u * u;
    const fourth = square * square;
    return fourth * fourth;
  }
}

/** Draws items in proportion to their weights. */
export class WeightedChoice<Item> {
  readonly #items: readonly Item[];
  readonly #cumulative: Float64Array;

  constructor(items: readonly Item[], weightOf: (item: Item) => number) {
    this.#items = items;
    this.#cumulative = new Float64Array(items.length);
    let total = 0;
    items.forEach((item, index) => {
      total += weightOf(item);
      this.#cumulative[index] = total;
    });
  }

  draw(random: Random): Item {
    const cumulative = this.#cumulative;
    const last = cumulative.length - 1;
    const drawn = random.unit() * cumulative[last]!;
    let index = 0;
    while (index < last && drawn >= cumulative[index]!) index++;
    return this.#items[index]!;
  }
}
