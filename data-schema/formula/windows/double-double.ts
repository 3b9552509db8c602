/** Sums in twice the precision of a double, so that nothing is lost where digits cancel. After Dekker and Knuth. */

/** The unevaluated sum of two doubles, `lo` at most half a unit of the last place of `hi`. */
export class DoubleDouble {
  hi = 0;
  lo = 0;

  add(x: number): void {
    const sum = this.hi + x;
    const virtual = sum - this.hi;
    const error = this.hi - (sum - virtual) + (x - virtual) + this.lo;
    this.hi = sum + error;
    this.lo = error - (this.hi - sum);
  }

  addProduct(a: number, b: number): void {
    const product = a * b;
    this.add(product);
    this.add(productError(a, b, product));
  }
}

/** a · b − fl(a · b), exactly. */
function productError(a: number, b: number, product: number): number {
  const aHi = upperHalf(a);
  const bHi = upperHalf(b);
  const aLo = a - aHi;
  const bLo = b - bHi;
  return aLo * bLo - (product - aHi * bHi - aLo * bHi - aHi * bLo);
}

/** The upper 26 bits of a double. */
function upperHalf(x: number): number {
  const scaled = 134_217_729 * x;
  return scaled - (scaled - x);
}
