/**
 * Prices as integers in units of 2^-192 USD, rounded down: exact beyond any double, for any decimals, and of bounded
 * size, which sums of fractions would not be. They become doubles once, at the end.
 */

const FRACTION_BITS = 192n;

/** An exact fraction, not reduced; the denominator is above 0. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export const ONE: Fraction = { numerator: 1n, denominator: 1n };

export const product = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

export const priceOf = ({ numerator, denominator }: Fraction): bigint => (numerator << FRACTION_BITS) / denominator;

export const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

/** The double nearest to `price / divisor`; half to even. */
export const priceToDouble = (price: bigint, divisor: bigint): number => quotient(price, divisor << FRACTION_BITS);

/** More than a double's 53 and the two that decide how it is rounded. */
const QUOTIENT_BITS = 64;

/** The double nearest to `numerator / denominator`, neither negative; half to even. */
function quotient(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  const shift = QUOTIENT_BITS + bitLength(denominator) - bitLength(numerator);
  const [dividend, divisor] =
    shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)];
  const digits = dividend / divisor;
  // The lowest bit stands for all that follow, so that what lies just above a half is not taken for one.
  const sticky = digits * divisor === dividend ? digits : digits | 1n;
  return Number(sticky) * 2 ** -shift;
}

const bitLength = (value: bigint) => value.toString(16).length * 4;

/** A decimal number such as 0.9995, as it is written. */
export function decimalFraction(value: number): Fraction {
  const [digits = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  const power = Number(exponent) - fraction.length;
  const integer = BigInt(whole + fraction);
  return power >= 0
    ? { numerator: integer * powerOfTen(power), denominator: 1n }
    : { numerator: integer, denominator: powerOfTen(-power) };
}
