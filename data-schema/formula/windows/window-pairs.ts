/** Correlations over windows, in linear time: see moments.ts for how, and why. */

import { DoubleDouble } from "./double-double.ts";

/** The sums of a window's pairs, less an origin: x, y, x², y² and x·y. */
class PairSums {
  count = 0;
  readonly sums = Array.from({ length: 5 }, () => new DoubleDouble());

  include(x: number, y: number): void {
    const [sumX, sumY, squaresX, squaresY, products] = this.sums;
    this.count++;
    sumX!.add(x);
    sumY!.add(y);
    squaresX!.addProduct(x, x);
    squaresY!.addProduct(y, y);
    products!.addProduct(x, y);
  }

  /** These pairs and others. */
  with(other: PairSums): PairSums {
    const both = new PairSums();
    both.count = this.count + other.count;
    for (const [index, sum] of both.sums.entries()) {
      for (const one of [this.sums[index]!, other.sums[index]!]) {
        sum.add(one.hi);
        sum.add(one.lo);
      }
    }
    return both;
  }

  /** Pearson's; NaN where one of the two does not vary. */
  correlation(): number {
    const [sumX, sumY, squaresX, squaresY, products] = this.sums as [
      ...[DoubleDouble, DoubleDouble, DoubleDouble, DoubleDouble, DoubleDouble],
    ];
    const spreadX = this.#spread(squaresX, sumX, sumX);
    const spreadY = this.#spread(squaresY, sumY, sumY);
    if (!(spreadX > 0 && spreadY > 0)) return Number.NaN;
    const value = this.#spread(products, sumX, sumY) / Math.sqrt(spreadX) / Math.sqrt(spreadY);
    return Math.max(-1, Math.min(1, value));
  }

  /** count · Σ ab − Σ a · Σ b. */
  #spread(products: DoubleDouble, a: DoubleDouble, b: DoubleDouble): number {
    const spread = new DoubleDouble();
    spread.addProduct(this.count, products.hi);
    spread.addProduct(this.count, products.lo);
    spread.addProduct(-a.hi, b.hi);
    spread.addProduct(-a.hi, b.lo);
    spread.addProduct(-a.lo, b.hi);
    return spread.hi;
  }
}

const isPair = (x: Float64Array, y: Float64Array, row: number) => Number.isFinite(x[row]) && Number.isFinite(y[row]);

/** The correlation of each n pairs up to a row; NaN where one of them is missing. */
export function rollingCorrelation(x: Float64Array, y: Float64Array, n: number): Float64Array {
  const result = new Float64Array(x.length).fill(Number.NaN);
  for (let cut = 0; cut < x.length; cut += n) {
    const [originX, originY] = [Number.isFinite(x[cut]) ? x[cut]! : 0, Number.isFinite(y[cut]) ? y[cut]! : 0];
    // The sums of the pairs from so many rows before the cut up to it.
    const before = [new PairSums()];
    while (before.length < Math.min(n, cut + 1) && isPair(x, y, cut - before.length)) {
      const row = cut - before.length;
      const one = new PairSums();
      one.include(x[row]! - originX, y[row]! - originY);
      before.push(before.at(-1)!.with(one));
    }
    const after = new PairSums();
    for (let row = cut; row < Math.min(cut + n, x.length) && isPair(x, y, row); row++) {
      after.include(x[row]! - originX, y[row]! - originY);
      const earlier = before[n - after.count];
      if (earlier) result[row] = earlier.with(after).correlation();
    }
  }
  return result;
}

/** The correlation of all pairs up to a row, without those that lack a value. */
export function expandingCorrelation(x: Float64Array, y: Float64Array): Float64Array {
  const first = x.findIndex((_, row) => isPair(x, y, row));
  const sums = new PairSums();
  return x.map((value, row) => {
    if (isPair(x, y, row)) sums.include(value - x[first]!, y[row]! - y[first]!);
    return sums.correlation();
  });
}
