/** Numbers as the page shows them. */

import type { Unit } from "../api/catalog.ts";

const MINUS = "\u2212";
const MISSING = "–";
const STEPS = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** Short, with a letter for thousands, millions and so on: `$1.25M`, `0.0042`. */
export function compact(value: number, unit: Unit, digits = 3): string {
  if (!Number.isFinite(value)) return MISSING;
  const size = Math.abs(value);
  // There is no familiar letter beyond trillions.
  const text = size >= 1e15 ? size.toExponential(digits - 1) : scaled(size, digits);
  return prefix(value, unit) + text;
}

function scaled(size: number, digits: number): string {
  const [step, letter] = STEPS.find(([step]) => Number(size.toPrecision(digits)) >= step) ?? [1, ""];
  return plain(size / step, digits) + letter;
}

/** Labels of an axis: short, with as many digits as its ticks need. Null is a tick without a label. */
export function tickLabels(ticks: readonly (number | null)[], unit: Unit): string[] {
  const isExact = (digits: number) =>
    ticks.every((tick) => tick === null || Math.abs(Number(tick.toPrecision(digits)) - tick) <= Math.abs(tick) * 1e-9);
  const digits = [3, 4, 5, 6, 7, 8].find(isExact) ?? 8;
  return ticks.map((tick) => (tick === null ? "" : compact(tick, unit, digits)));
}

/** In full, with commas between thousands and at least six significant digits: `$12,345.68`; a dash for no value. */
export function full(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const size = Math.abs(value);
  if (size >= 1e15 || (size !== 0 && size < 1e-6)) return prefix(value, unit) + size.toExponential(5);
  const decimals = unit === "count" ? 0 : Math.max(size >= 1 && size < 1e6 ? 2 : 0, Math.min(12, 5 - exponent(size)));
  const [whole = "", ...fraction] = size.toFixed(Number.isInteger(size) ? 0 : decimals).split(".");
  return prefix(value, unit) + [whole.replaceAll(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".");
}

function prefix(value: number, unit: Unit): string {
  return (value < 0 ? MINUS : "") + (unit === "usd" || unit === "usd_per_token" ? "$" : "");
}

/** The power of ten of the first digit; 0 for zero. */
const exponent = (size: number) => (size === 0 ? 0 : Math.floor(Math.log10(size)));

/** A number with some significant digits, without trailing zeros. */
function plain(size: number, digits: number): string {
  if (size !== 0 && size < 1e-6) return size.toExponential(digits - 1);
  const text = size.toFixed(Math.max(0, Math.min(12, digits - 1 - exponent(size))));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
