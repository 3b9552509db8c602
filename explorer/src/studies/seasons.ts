/** How values differ between the months of a year, and between the hours of a week. All times are UTC. */

import { DAY_SECONDS } from "../../../data-schema/text.ts";
import { monthNumber } from "../format/time.ts";
import type { StudyPoints } from "./cycles.ts";
import { meanOf, medianOf } from "./statistics.ts";

/** How a change is measured: as a part of the value before or, of shares, as a difference. */
export type ChangeForm = "part" | "difference";

/** NaN where a part of nothing, or of less, would be asked for. */
function changeOf(before: number, after: number, form: ChangeForm): number {
  if (form === "difference") return after - before;
  return before > 0 ? after / before - 1 : Number.NaN;
}

export interface Month {
  year: number;
  /** 0 to 11. */
  month: number;
  value: number;
  /** Whether the points cover all of it. */
  isWhole: boolean;
}

/**
 * A value for each month with points.
 *
 * @param of the change from the last value of the month before to that of the month, which a month after one without points
 *   doesn't have; or the mean or the median of its points
 * @param end where the last point's bucket ends, in Unix seconds
 */
export function months(
  { t, v }: StudyPoints,
  of: "change" | "mean" | "median",
  form: ChangeForm,
  end: number,
): Month[] {
  const byMonth = Map.groupBy(t.keys(), (row) => monthNumber(t[row]!));
  const first = t[0] ?? 0;
  return [...byMonth].flatMap(([number, rows]): Month[] => {
    const [year, month] = [Math.floor(number / 12), number % 12];
    const [starts, ends] = [month, month + 1].map((one) => Date.UTC(year, one) / 1000) as [number, number];
    const before = byMonth.get(number - 1)?.at(-1);
    const values = rows.map((row) => v[row]!);
    const isWhole = end >= ends && (of === "change" || first <= starts);
    if (of !== "change") return [{ year, month, value: of === "mean" ? meanOf(values) : medianOf(values), isWhole }];
    const value = before === undefined ? Number.NaN : changeOf(v[before]!, values.at(-1)!, form);
    return Number.isFinite(value) ? [{ year, month, value, isWhole }] : [];
  });
}

export interface Hour {
  /** 0 to 6, from Monday. */
  weekday: number;
  /** 0 to 23. */
  hour: number;
  value: number;
}

/**
 * A value for each point, with its place in the week.
 *
 * @param of the change from the hour before, which the point after a gap doesn't have; or the value itself
 */
export function hours({ t, v }: StudyPoints, of: "change" | "mean" | "median", form: ChangeForm): Hour[] {
  return t.flatMap((time, row) => {
    const isNext = row > 0 && time - t[row - 1]! === HOUR;
    const value = of !== "change" ? v[row]! : isNext ? changeOf(v[row - 1]!, v[row]!, form) : Number.NaN;
    // 1 January 1970 was a Thursday.
    const weekday = (Math.floor(time / DAY_SECONDS) + 3) % 7;
    return Number.isFinite(value) ? [{ weekday, hour: Math.floor((time % DAY_SECONDS) / HOUR), value }] : [];
  });
}

const HOUR = 3600;
