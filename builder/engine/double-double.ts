/**
 * Arithmetic in pairs of doubles. Source: T. J. Dekker, "A floating-point technique for extending the available
 * precision", 1971.
 *
 * The kernel compiles this same file: AssemblyScript reads `number` as a double.
 */

/** 2^27 + 1. */
const SPLITTER: number = 134_217_729;
/** 2^-95: a bound, with a wide margin, on the relative error of `quotientOf`. */
const QUOTIENT_ERROR: number = 2.524354896707238e-29;

/** target − a·b, where a·b is within a rounding of the target: exact, by splitting both factors into halves. */
function productError(a: number, b: number, target: number): number {
  const aScaled = SPLITTER * a;
  const aHigh = aScaled - (aScaled - a);
  const aLow = a - aHigh;
  const bScaled = SPLITTER * b;
  const bHigh = bScaled - (bScaled - b);
  const bLow = b - bHigh;
  const product = a * b;
  const error = aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
  return target - product - error;
}

/** (high + low) / (power + powerRest), correctly rounded; NaN where its error could change the rounding. */
export function quotientOf(high: number, low: number, power: number, powerRest: number): number {
  const quotient = high / power;
  if (low === 0 && powerRest === 0) return quotient;
  const correction = (productError(quotient, power, high) + low - quotient * powerRest) / power;
  const error = quotient * QUOTIENT_ERROR;
  const below = quotient + (correction - error);
  return below === quotient + (correction + error) ? below : NaN;
}
