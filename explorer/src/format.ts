/** Numbers, times and names for people. */

import type { Asset, Metric, Unit } from "./catalog.ts";
import { DAY } from "./time.ts";

const THOUSANDS = ",";
const MINUS = "\u2212";
const STEPS = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const isDollars = (unit: Unit) => unit === "usd" || unit === "usd_per_token";

/** Short, with a letter for thousands, millions…: `$1.25M`, `0.0042`. */
export function compact(value: number, unit: Unit, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  // Beyond trillions letters say nothing to anybody.
  const text = size >= 1e15 ? size.toExponential(digits - 1) : scaled(size, digits);
  return `${value < 0 ? MINUS : ""}${isDollars(unit) ? "$" : ""}${text}`;
}

function scaled(size: number, digits: number): string {
  for (const [step, letter] of STEPS) {
    if (Number(size.toPrecision(digits)) >= step) return plain(size / step, digits) + letter;
  }
  return plain(size, digits);
}

/** Labels of an axis: short, with as many digits as its ticks have. Null stands for a tick without a label. */
export function tickLabels(ticks: readonly (number | null)[], unit: Unit): string[] {
  const isExact = (digits: number) =>
    ticks.every((tick) => tick === null || Math.abs(Number(tick.toPrecision(digits)) - tick) <= Math.abs(tick) * 1e-9);
  const digits = [3, 4, 5, 6, 7, 8].find(isExact) ?? 8;
  return ticks.map((tick) => (tick === null ? "" : compact(tick, unit, digits)));
}

/** In full, with commas between thousands and six significant digits at least: `$12,345.68`. */
export function full(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : "";
  const dollars = isDollars(unit) ? "$" : "";
  if (size >= 1e15 || (size !== 0 && size < 1e-6)) return sign + dollars + size.toExponential(5);
  const decimals = unit === "count" ? 0 : Math.max(size >= 1 && size < 1e6 ? 2 : 0, Math.min(12, 5 - exponent(size)));
  const [whole, fraction = ""] = size.toFixed(Number.isInteger(size) && size < 1e15 ? 0 : decimals).split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, THOUSANDS);
  return `${sign}${dollars}${grouped}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Power of ten of the first digit; 0 for zero. */
const exponent = (size: number) => (size === 0 ? 0 : Math.floor(Math.log10(size)));

/** A number of some significant digits without zeros behind. */
function plain(size: number, digits: number): string {
  if (size !== 0 && size < 1e-6) return size.toExponential(digits - 1);
  const text = size.toFixed(Math.max(0, Math.min(12, digits - 1 - exponent(size))));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export const UNIT_TITLES: Record<Unit, string> = {
  token: "coins",
  usd: "US dollars",
  usd_per_token: "US dollars per coin",
  ratio: "ratio",
  count: "count",
};

/** What an axis or a column is measured in. */
export function unitTitle(unit: Unit, asset: Asset | undefined): string {
  if (!asset) return UNIT_TITLES[unit];
  return { token: asset.symbol, usd: "USD", usd_per_token: `USD per ${asset.symbol}`, ratio: "ratio", count: "count" }[
    unit
  ];
}

/** `3 Mar 2025`, with the time of day unless it is that of a day's bucket. */
export function moment(seconds: number, resolution: "day" | "hour" | "block"): string {
  const date = new Date(seconds * 1000);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  if (resolution === "day") return day;
  const clock = date.toISOString().slice(11, resolution === "hour" ? 16 : 19);
  return `${day}, ${clock} UTC`;
}

/** Labels under a time axis whose ticks lie `step` seconds apart; each says what changed since the one before. */
export function timeTicks(seconds: readonly number[], step: number): string[] {
  return seconds.map((tick, i) => {
    const date = new Date(tick * 1000);
    const isNewYear = date.getUTCMonth() === 0 && date.getUTCDate() === 1 && tick % DAY === 0;
    const year = String(date.getUTCFullYear());
    if (isNewYear) return year;
    const month = MONTHS[date.getUTCMonth()];
    if (step >= 28 * DAY) return i === 0 ? `${month} ${year}` : month;
    const day = `${date.getUTCDate()} ${month}`;
    if (tick % DAY === 0) return i === 0 ? `${day} ${year}` : day;
    const clock = date.toISOString().slice(11, step >= 60 ? 16 : 19);
    return i === 0 ? `${day} ${clock}` : clock;
  });
}

const SELECTOR_NAMES: Record<string, string> = {
  total: "Total",
  users: "Users",
  sc: "Smart contracts",
  cex: "Exchanges",
  all: "All",
  other: "Other",
};

/** A cohort, exchange or sample as people would call it. Balance cohorts are named by their edges. */
export function selectorName(value: string, asset: Asset | undefined): string {
  const balance = /^balance_cohort_(\d+)$/.exec(value);
  if (!balance) return SELECTOR_NAMES[value] ?? value;
  const index = Number(balance[1]);
  const edges = asset?.balanceEdges ?? [];
  const edge = (at: number) => compact(Number(edges[at]), "token");
  if (edges.length === 0 || index > edges.length) return `Balance ${index}`;
  if (index === 0) return `< ${edge(0)} ${asset!.symbol}`;
  if (index === edges.length) return `≥ ${edge(index - 1)} ${asset!.symbol}`;
  return `${edge(index - 1)} – ${edge(index)} ${asset!.symbol}`;
}

/** The name of a series: its metric, and which of its series where there are several. */
export function seriesName(metric: Metric, selector: string | null, asset: Asset | undefined): string {
  return selector === null ? metric.title : `${metric.title}, ${selectorName(selector, asset)}`;
}

/** Titles in one sentence: `Market capitalisation and realised price`; abbreviations keep their capitals. */
export function sentence(titles: readonly string[]): string {
  const inner = titles.map((title, i) =>
    i > 0 && /^[A-Z][a-z-]/.test(title) ? title[0].toLowerCase() + title.slice(1) : title,
  );
  return inner.length < 3 ? inner.join(" and ") : `${inner.slice(0, -1).join(", ")} and ${inner.at(-1)}`;
}
