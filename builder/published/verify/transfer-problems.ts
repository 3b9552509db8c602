/** Checks the largest transfers of each day: their bytes, their order, and that they are as many and as large as the day's series say. */

import {
  compareTransfers,
  decodeLargeTransfers,
  type KeptTransfer,
  transferAt,
  transferValues,
} from "../../../data-schema/holders.ts";
import { largeTransfersKey, type Manifest, MOST_LARGE_TRANSFERS } from "../../../data-schema/stored.ts";
import { DAY_SECONDS, isoDay } from "../../../data-schema/text.ts";
import type { ObjectStore } from "../../store/store.ts";
import { HolderReader, type NotedChecks, newChecks, Unreadable } from "./holders/holder-reader.ts";
import type { SeriesByMetric } from "./rules/series-columns.ts";

/** @param days the days that are published */
export async function transferProblems(
  store: ObjectStore,
  { symbol, decimals, transfers, resolutions }: Manifest,
  days: SeriesByMetric,
): Promise<NotedChecks> {
  const { found, check } = newChecks();
  if (!transfers) return found;
  const reader = new HolderReader(store);
  const counts = valuesByDay(days, "num_transfers", "all");
  const sums = { tokens: valuesByDay(days, "volume", "total"), dollars: valuesByDay(days, "volume_dollar", "total") };
  const seen = new Set<number>();
  let before = Number.NEGATIVE_INFINITY;
  try {
    for (const month of transfers.largest) {
      const key = largeTransfersKey(symbol, month.name, month.hash);
      const read = await reader.inObject(key, async () => {
        const columns = decodeLargeTransfers(await reader.whole(key, month));
        return Array.from({ length: columns.rows }, (_, row) => transferAt(columns, row));
      });
      for (const [day, rows] of Map.groupBy(read, dayOf)) {
        const name = `${key}: ${isoDay(day)}`;
        const isPlaced = isoDay(day).startsWith(month.name) && day > before;
        seen.add(day);
        before = day;
        check(isPlaced && day <= resolutions.day.last!, `${name} is out of place.`);
        const isNext = (row: KeptTransfer, at: number) =>
          at === 0 || compareTransfers(rows[at - 1]!, row, decimals) < 0;
        check(rows.every(isNext), `${name} is not sorted by dollars.`);
        check(rows.every(moves), `${name} has an event that is no transfer.`);
        const values = rows.map((row) => transferValues(row, decimals));
        const count = counts?.get(day) ?? 0;
        const expected = Math.min(count, MOST_LARGE_TRANSFERS);
        check(
          counts === undefined || rows.length === expected,
          `${name} has ${rows.length} transfers, but ${expected} of the ${count} that num_transfers counts are expected.`,
        );
        for (const unit of ["tokens", "dollars"] as const) {
          const sum = values.reduce((all, value) => all + value[unit], 0);
          const whole = sums[unit]?.get(day);
          if (whole === undefined) continue;
          const isIn = sum <= whole * (1 + TOLERANCE);
          const isAll = count > MOST_LARGE_TRANSFERS || sum >= whole * (1 - TOLERANCE);
          check(isIn && isAll, `${name}: its transfers add up to ${sum} ${unit}, and all of that day to ${whole}.`);
        }
      }
    }
    const { first, last } = resolutions.day;
    for (const [day, count] of counts ?? []) {
      const isMissing = count > 0 && day >= first! && day <= last! && !seen.has(day);
      check(!isMissing, `The largest transfers of ${isoDay(day)} are missing: num_transfers counts ${count}.`);
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    found.problems.push(error.message);
  }
  return found;
}

/** By which two sums of the same doubles may differ, relative. */
const TOLERANCE = 1e-9;

const dayOf = ({ time }: KeptTransfer) => Math.floor(time / DAY_SECONDS) * DAY_SECONDS;

/** Whether a row is a transfer: a positive value between two distinct addresses, neither of them zero. */
const moves = ({ from, to, raw }: KeptTransfer) =>
  raw > 0n && Buffer.compare(from, to) !== 0 && from.some(Boolean) && to.some(Boolean);

/** The values of a series by day; undefined if its object could not be read. */
function valuesByDay(
  days: SeriesByMetric,
  metric: "num_transfers" | "volume" | "volume_dollar",
  selector: string,
): Map<number, number> | undefined {
  const series = days.get(metric);
  const run = series?.get(selector);
  return series && new Map(Array.from(run?.t ?? [], (t, at) => [t, run!.v[at]!]));
}
