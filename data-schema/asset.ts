/** An asset's symbol, its unit, and the edges of its balance cohorts. Source: docs/methodology.md §1 and §4. */

/** A symbol: 1 to 20 of A–Z, 0–9, `.`, `_`, `-`, of which the first is a letter or digit: it is a part of paths. */
export const SYMBOL_PATTERN = /^[A-Z0-9][A-Z0-9._-]{0,19}$/;

/**
 * The symbol that a user has written, in upper case; undefined if it is none. Of other scripts, no letter becomes one of A to Z,
 * as it would in `toUpperCase`.
 */
export function parseSymbol(text: string): string | undefined {
  const symbol = text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
  return SYMBOL_PATTERN.test(symbol) ? symbol : undefined;
}

/**
 * Longest texts of an asset, in UTF-16 units. The catalog's entry, which holds `name` and `chain`, is custom metadata of
 * the active manifest: R2 takes 8,192 bytes, and a unit may take six.
 */
export const MAX_NAME = 200;
export const MAX_CHAIN = 50;

/**
 * Characters that would break a line, end a text early, or change the direction in which the text around them is read:
 * controls, line separators, halves of surrogate pairs, and those that control bidirectional text, such as U+202E.
 */
export const UNSAFE_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** `maxSupply`: a positive decimal number of whole tokens, as text so that no digit is lost. */
export const MAX_SUPPLY_PATTERN = /^(?=.*[1-9])\d{1,78}(\.\d{1,78})?$/;

export const MAX_DECIMALS = 77;

/** The address that tokens are minted from and burned to; it is never a holder. */
export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** A positive decimal of one significant digit: digit · 10^exponent. */
export interface BalanceUnit {
  digit: number;
  exponent: number;
}

/**
 * The unit T of the balance cohorts, in whole tokens: maxSupply · 0.01 / 21 000 000, rounded in exact
 * decimal arithmetic to one significant digit, half up. Source: docs/methodology.md §4.
 *
 * @param maxSupply whole tokens, as `MAX_SUPPLY_PATTERN` allows
 */
export function balanceUnit(maxSupply: string): BalanceUnit {
  const [whole = "", fraction = ""] = maxSupply.split(".");
  // T = numerator / (21 · 10^(8 + fraction digits)).
  const numerator = BigInt(whole + fraction);
  let exponent = -(8 + fraction.length);
  // Scaled up so that the integer quotient has enough digits. The second one decides; the remainder cannot change it.
  const scale = 4;
  const quotient = (numerator * 10n ** BigInt(scale)) / 21n;
  exponent -= scale;
  const digits = quotient.toString();
  // Half up: the second digit decides.
  let digit = Number(digits[0]) + (Number(digits[1]) >= 5 ? 1 : 0);
  exponent += digits.length - 1;
  if (digit === 10) {
    digit = 1;
    exponent += 1;
  }
  return { digit, exponent };
}

/** A balance unit as the manifest writes it, such as `6e-1`. */
export const BALANCE_UNIT_PATTERN = /^[1-9]e(0|-?[1-9]\d{0,2})$/;

/**
 * Lower edges of balance_cohort_1 … balance_cohort_7 in whole tokens, T to 10^6·T, as exact decimals without an
 * exponent, such as `0.6`.
 *
 * @param unit T as `BALANCE_UNIT_PATTERN` allows
 */
export function balanceEdgesInTokens(unit: string): string[] {
  const [digit = "", exponent] = unit.split("e");
  return Array.from({ length: 7 }, (_, n) => {
    const power = Number(exponent) + n;
    return power >= 0 ? digit + "0".repeat(power) : `0.${"0".repeat(-power - 1)}${digit}`;
  });
}

/**
 * Lower edges of balance_cohort_1 … balance_cohort_7 in raw units: T, 10·T, … 10^6·T. An edge that falls between
 * two raw amounts is raised to the next, which leaves every comparison `raw >= edge` as it is.
 */
export function balanceEdges(maxSupply: string, decimals: number): bigint[] {
  const { digit, exponent } = balanceUnit(maxSupply);
  return Array.from({ length: 7 }, (_, n) => {
    const power = exponent + n + decimals;
    if (power >= 0) return BigInt(digit) * 10n ** BigInt(power);
    // Less than ten raw units, not a whole number of them: rounded up.
    const divisor = 10n ** BigInt(-power);
    return (BigInt(digit) + divisor - 1n) / divisor;
  });
}
