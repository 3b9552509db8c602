/** Numbers as the page shows them. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";

const MINUS = "\u2212";
const MISSING = "–";
const STEPS = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** What stands before and after a number, and what it is multiplied by. */
const SIGNS: Record<FormulaUnit, { before: string; after: string; factor: number }> = {
  token: { before: "", after: "", factor: 1 },
  usd: { before: "$", after: "", factor: 1 },
  usd_per_token: { before: "$", after: "", factor: 1 },
  ratio: { before: "", after: "", factor: 1 },
  count: { before: "", after: "", factor: 1 },
  token_days: { before: "", after: "", factor: 1 },
  days: { before: "", after: "\u202fd", factor: 1 },
  share: { before: "", after: "\u202f%", factor: 100 },
};

/** The largest number that is written without an exponent: there is no familiar letter beyond trillions. */
const LARGEST = 1e15;
/** Below it, the zeros after the point are counted: `0.0₈356` is 0.00000000356. */
const SMALLEST = 1e-6;

/** To read: `$1.24B`, `12.4 %`, and four significant digits below ten thousand: `9,812`; a dash for no value. */
export function short(value: number, unit: FormulaUnit): string {
  return write(value, unit, (size) => {
    if (size >= LARGEST) return size.toExponential(2);
    if (isTiny(size)) return withZerosCounted(size, 3);
    if (Number(size.toPrecision(4)) >= 1e4) return scaled(size, 3, toDigits);
    return withCommas(Number.isInteger(size) ? String(size) : toDigits(size, unit === "share" ? 3 : 4));
  });
}

/** A value as short as it gets, with a letter for thousands, millions and so on: `$1.25M`, `0.0042`, `50 %`. */
export function compact(value: number, unit: FormulaUnit, digits = 3): string {
  return write(value, unit, (size) => {
    if (size >= LARGEST) return size.toExponential(digits - 1);
    if (isTiny(size)) return withoutZeros(withZerosCounted(size, digits));
    return scaled(size, digits, (part, digits) => withoutZeros(toDigits(part, digits)));
  });
}

/** A change, with its sign: `+4.2 %`. */
export const signed = (change: number, unit: FormulaUnit): string => (change < 0 ? "" : "+") + short(change, unit);

/** The difference of two values, with its sign: that of two shares is in percentage points. */
export const signedDifference = (difference: number, unit: FormulaUnit): string => {
  const text = signed(difference, unit);
  return unit === "share" ? text.replace("%", "pp") : text;
};

/** Labels of an axis: short, with as many digits as its ticks need. Null is a tick without a label. */
export function tickLabels(ticks: readonly (number | null)[], unit: FormulaUnit): string[] {
  const isExact = (digits: number) =>
    ticks.every((tick) => tick === null || Math.abs(Number(tick.toPrecision(digits)) - tick) <= Math.abs(tick) * 1e-9);
  const digits = [3, 4, 5, 6, 7, 8].find(isExact) ?? 8;
  return ticks.map((tick) => (tick === null ? "" : compact(tick, unit, digits)));
}

/**
 * In full, the same way for all values of a column: with as many decimals as give the largest six significant digits and
 * the smallest three, as far as doubles have them.
 */
export function columnFormat(values: readonly number[], unit: FormulaUnit): (value: number) => string {
  const sizes = values.map((value) => Math.abs(value) * SIGNS[unit].factor).filter(Number.isFinite);
  const largest = Math.max(0, ...sizes);
  const smallest = Math.min(largest, ...sizes.filter((size) => size > 0));
  if (largest >= LARGEST) return (value) => write(value, unit, (size) => (size === 0 ? "0" : size.toExponential(5)));
  if (isTiny(largest)) {
    return (value) => write(value, unit, (size) => (size === 0 ? "0" : withZerosCounted(size, 6)));
  }
  const least = largest >= 1 && largest < 1e6 ? 2 : 0;
  const wanted = Math.max(least, 5 - exponent(largest), 2 - exponent(smallest));
  const decimals = sizes.every(Number.isInteger) ? 0 : Math.min(wanted, 14 - exponent(largest), 12);
  return (value) => write(value, unit, (size) => withCommas(size.toFixed(decimals)));
}

/** In full, on its own: `$12,345.7`. */
export function full(value: number, unit: FormulaUnit): string {
  return columnFormat([value], unit)(value);
}

/** All its digits, as doubles have them: `$0.00000000356`, `43.12345 %`. */
export function exact(value: number, unit: FormulaUnit): string {
  return write(value, unit, (size) => {
    // In per cent, a double has digits that nobody wrote.
    const text = String(unit === "share" ? Number(size.toPrecision(15)) : size);
    const [, digits = "", power] = /^([\d.]+)e-(\d+)$/.exec(text) ?? [];
    return power ? `0.${"0".repeat(Number(power) - 1)}${digits.replace(".", "")}` : withCommas(text);
  });
}

function write(value: number, unit: FormulaUnit, writeSize: (size: number) => string): string {
  if (!Number.isFinite(value)) return MISSING;
  const { before, after, factor } = SIGNS[unit];
  return (value < 0 ? MINUS : "") + before + writeSize(Math.abs(value) * factor) + after;
}

function scaled(size: number, digits: number, writePart: (part: number, digits: number) => string): string {
  const [step, letter] = STEPS.find(([step]) => Number(size.toPrecision(digits)) >= step) ?? [1, ""];
  return writePart(size / step, digits) + letter;
}

/** The power of ten of the first digit; 0 for zero. */
const exponent = (size: number) => (size === 0 ? 0 : Math.floor(Math.log10(size)));

const isTiny = (size: number) => size !== 0 && size < SMALLEST;

/** `0.0₈356`: the small digits count the zeros after the point. */
function withZerosCounted(size: number, digits: number): string {
  const [significant = "", power = ""] = size.toExponential(digits - 1).split("e-");
  const count = Array.from(String(Number(power) - 1), (digit) => SUBSCRIPTS[Number(digit)]).join("");
  return `0.0${count}${significant.replace(".", "")}`;
}

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

/** A number with some significant digits, or all those before its point. */
const toDigits = (size: number, digits: number) =>
  size.toFixed(Math.max(0, Math.min(12, digits - 1 - exponent(Number(size.toPrecision(digits))))));

const withoutZeros = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

function withCommas(text: string): string {
  const [whole = "", ...fraction] = text.split(".");
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".");
}
