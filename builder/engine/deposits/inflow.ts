/** How much of the inflow of exchanges arrives at their deposit addresses. Source: docs/methodology.md#deposit-addresses. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { COVERAGE_DAYS } from "../calendar.ts";
import { DEPOSIT_ADDRESS, FIRST_EXCHANGE } from "../classification.ts";
import type { Groups, History } from "../history.ts";

/** A day's inflow of all exchanges together, as `cex_inflow` of `all` counts it, in raw units. */
export interface DayInflow {
  /** Start of the day, Unix seconds. */
  day: number;
  all: bigint;
  /** What of it arrived at deposit addresses. */
  deposited: bigint;
}

/**
 * The inflow of each day that has some, ascending.
 *
 * @param labels of the addresses: groups, with the mark of deposit addresses
 */
export function inflowByDay(
  { rows, from, to, timestamp, values, valueWords: words }: History,
  labels: Groups,
): DayInflow[] {
  const days: DayInflow[] = [];
  const [all, deposited] = [new Float64Array(words), new Float64Array(words)];
  for (let row = 0; row < rows; ) {
    const day = timestamp[row]! - (timestamp[row]! % BUCKET_SECONDS.day);
    all.fill(0);
    deposited.fill(0);
    for (let counted = 0; row < rows && counted < MOST_ROWS && timestamp[row]! < day + BUCKET_SECONDS.day; row++) {
      if (labels[to[row]!]! < FIRST_EXCHANGE || labels[from[row]!]! >= FIRST_EXCHANGE) continue;
      counted++;
      for (let k = 0; k < words; k++) all[k]! += values[row * words + k]!;
      if (labels[to[row]!]! & DEPOSIT_ADDRESS)
        for (let k = 0; k < words; k++) deposited[k]! += values[row * words + k]!;
    }
    days.push({ day, all: sumOf(all), deposited: sumOf(deposited) });
  }
  return addDays(days);
}

/** So many 32-bit words add up to less than 2^53. */
const MOST_ROWS = 2 ** 21;

function sumOf(words: Float64Array): bigint {
  return words.reduceRight((sum, word) => (sum << 32n) + BigInt(word), 0n);
}

/** Adds up what several have of one day. @param days ascending; @returns each once, without those that have no inflow */
export function addDays(days: readonly DayInflow[]): DayInflow[] {
  const joined: DayInflow[] = [];
  for (const { day, all, deposited } of days) {
    if (all === 0n) continue;
    const last = joined.at(-1);
    if (last?.day === day) {
      last.all += all;
      last.deposited += deposited;
    } else joined.push({ day, all, deposited });
  }
  return joined;
}

/** The last `COVERAGE_DAYS` days before a time. @param end the end of a day, Unix seconds */
export function lastDays(days: readonly DayInflow[], end: number): DayInflow[] {
  const first = end - COVERAGE_DAYS * BUCKET_SECONDS.day;
  return days.filter(({ day }) => day >= first && day < end);
}

/** The share of the days' inflow that arrived at deposit addresses, to six decimals; undefined if there was none. */
export function depositedShare(days: readonly DayInflow[]): number | undefined {
  const sum = (of: "all" | "deposited") => days.reduce((total, day) => total + day[of], 0n);
  const all = sum("all");
  return all === 0n ? undefined : Number((sum("deposited") * 2_000_000n + all) / (2n * all)) / 1e6;
}
