/** Seasonality: a table of month × year, or of hour × weekday, with means and medians. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";
import { short, signed } from "../format/numbers.ts";
import { bucketLength } from "../format/time.ts";
import type { Study } from "../state/study.ts";
import type { StudyPoints } from "./cycles.ts";
import { type Finding, nothing, pointsOf, type StudyCell, type StudyCurve, type StudyInput } from "./finding.ts";
import { hours, months } from "./seasons.ts";
import { ascending, meanOf, medianOf, quantileOf } from "./statistics.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

type Seasons = Extract<Study, { kind: "seasons" }>;

const VALUES = { change: "change", mean: "mean", median: "median" } as const;

/** A change of shares is written in percentage points. */
const changeText = (change: number, unit: FormulaUnit) =>
  unit === "share" ? `${signed(100 * change, "ratio")}\u202fpp` : signed(change, "share");

/** Per cent of what may be below zero say nothing. */
const CROSSES = "The line has values below 0, whose changes in per cent say nothing: choose Mean or Median.";
const hasNoChange = (of: Seasons["of"], { unit }: StudyCurve, { v }: StudyPoints) =>
  of === "change" && unit !== "share" && v.some((value) => value < 0);

/** A change of shares is a difference: half of a per cent of something is not half of it. */
const formOf = ({ unit }: StudyCurve) => (unit === "share" ? "difference" : "part");

export function showSeasons(input: StudyInput, study: Seasons): Finding {
  const [curve] = input.curves;
  if (!curve) return nothing("Seasonality", "There is no line to compare by season.");
  return study.by === "month" ? byMonth(curve, input, study) : byHour(curve, input, study);
}

function byMonth(curve: StudyCurve, { t, from, to, resolution }: StudyInput, { of }: Seasons): Finding {
  const title = `${curve.name} by month: ${VALUES[of]}`;
  if (resolution === "week") return nothing(title, "A week may be of two months: choose days or months.");
  const points = pointsOf(curve, t, from, to);
  if (hasNoChange(of, curve, points)) return nothing(title, CROSSES);
  const last = points.t.at(-1);
  const end = last === undefined ? 0 : last + bucketLength(last, resolution);
  const all = months(points, of, formOf(curve), end);
  if (all.length === 0) return nothing(title, "There is no month here to compare with the one before.");
  const cellOf = cellsOf(
    curve,
    of,
    all.map(({ value }) => value),
  );
  const years = [...new Set(all.map(({ year }) => year))].toReversed();
  const rows = years.map((year) => ({
    name: String(year),
    cells: MONTHS.map((_, month): StudyCell => {
      const found = all.find((one) => one.year === year && one.month === month);
      if (!found) return { text: "" };
      const partial = { isPartial: true, title: "Not a whole month, so it is in no mean or median" };
      return { ...cellOf(found.value), ...(!found.isWhole && partial) };
    }),
  }));
  const summary = (name: string, compute: (values: readonly number[]) => number) => ({
    name,
    isSummary: true,
    cells: MONTHS.map((_, month) => {
      const values = all.filter((one) => one.isWhole && one.month === month).map(({ value }) => value);
      return values.length === 0 ? { text: "" } : cellOf(compute(values));
    }),
  });
  const what =
    of === "change"
      ? "from the last value of the month before to the last of the month"
      : `${of} of the values of the month`;
  return {
    title,
    sentences: [
      `Each cell: the ${of === "change" ? `change ${what}` : what}. Mean and median are those of the whole months above them.`,
    ],
    draw: null,
    table: {
      caption: title,
      head: ["", ...MONTHS],
      rows: [...rows, summary("Mean", meanOf), summary("Median", medianOf)],
    },
  };
}

function byHour(curve: StudyCurve, { t, from, to, resolution }: StudyInput, { of }: Seasons): Finding {
  const title = `${curve.name} by hour and weekday, UTC: ${VALUES[of]}`;
  if (resolution !== "hour") return nothing(title, "This needs a value for each hour: choose the resolution “Hour”.");
  const points = pointsOf(curve, t, from, to);
  if (hasNoChange(of, curve, points)) return nothing(title, CROSSES);
  const all = hours(points, of, formOf(curve));
  if (all.length === 0) return nothing(title, "There is no hour here that follows another one.");
  const groups = Map.groupBy(all, ({ weekday, hour }) => weekday * 24 + hour);
  const valuesOf = (weekday: number, hour: number) => (groups.get(weekday * 24 + hour) ?? []).map(({ value }) => value);
  const middle = of === "median" ? medianOf : meanOf;
  const cellOf = cellsOf(
    curve,
    of,
    [...groups.values()].map((own) => middle(own.map(({ value }) => value))),
  );
  const countless = (values: readonly number[], compute: (values: readonly number[]) => number): StudyCell =>
    values.length === 0 ? { text: "" } : cellOf(compute(values));
  const rows = Array.from({ length: 24 }, (_, hour) => {
    const ofHour = all.filter((one) => one.hour === hour).map(({ value }) => value);
    return {
      name: `${String(hour).padStart(2, "0")}:00`,
      cells: [
        ...WEEKDAYS.map((_, weekday): StudyCell => {
          const values = valuesOf(weekday, hour);
          return { ...countless(values, middle), title: `${values.length} hours` };
        }),
        countless(ofHour, meanOf),
        countless(ofHour, medianOf),
      ],
    };
  });
  const summary = (name: string, compute: (values: readonly number[]) => number) => ({
    name,
    isSummary: true,
    cells: [
      ...WEEKDAYS.map((_, weekday) =>
        countless(
          all.filter((one) => one.weekday === weekday).map(({ value }) => value),
          compute,
        ),
      ),
      { text: "" },
      { text: "" },
    ],
  });
  const what = of === "change" ? "the mean change from the hour before" : `the ${of} of the values`;
  return {
    title,
    sentences: [
      `Each cell: ${what}, over the weeks shown. Mean and median are those of all hours of the row or the column.`,
    ],
    draw: null,
    table: {
      caption: title,
      head: ["", ...WEEKDAYS, "Mean", "Median"],
      rows: [...rows, summary("Mean", meanOf), summary("Median", medianOf)],
    },
  };
}

/** Cells of values: a change is green above 0 and orange below it, and another value is the greener the higher it is. */
function cellsOf({ unit }: StudyCurve, of: Seasons["of"], all: readonly number[]): (value: number) => StudyCell {
  const sorted = ascending(all.map((value) => (of === "change" ? Math.abs(value) : value)));
  // A single extreme would take the colour from all others.
  const [low, high] = [of === "change" ? 0 : sorted[0]!, quantileOf(sorted, 0.95)];
  return (value) => {
    const part = high > low ? Math.abs(of === "change" ? value : Math.max(0, value - low)) / (high - low) : 0;
    const shade = Math.min(1, part) * (of === "change" && value < 0 ? -1 : 1);
    return { text: of === "change" ? changeText(value, unit) : short(value, unit), shade };
  };
}
