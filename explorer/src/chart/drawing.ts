/** What a chart draws, as a plain value. */

import type { Unit } from "../api/catalog.ts";
import { dropNonPositive, type Table } from "../data/table.ts";
import { joinTitles, unitTitle } from "../format/names.ts";
import type { Page } from "../session.ts";
import { type Interval, type Series, unitsOf } from "../state/chart-state.ts";
import { priceGaps } from "./price-gaps.ts";

export interface Drawing {
  table: Table;
  /** A line for each column of the table. */
  lines: Mark[];
  /** The left axis, then the right one. */
  axes: Mark[];
  isLog: boolean;
  /** Stretches to shade: the last price holds in them. */
  gaps: Interval[];
  /** Values that a log scale can't show. */
  dropped: number;
}

/** A line or an axis. */
export interface Mark {
  title: string;
  unit: Unit;
  /** A custom property of the style sheet, such as `--series-1`. */
  color: string;
}

const MAX_AXIS_TITLE_LENGTH = 50;

export function drawingOf({ chart, asset, series, data }: Page): Drawing {
  const isLog = chart.scale === "log";
  const lines = series.map(({ name, definition: { unit } }, i) => ({ title: name, unit, color: `--series-${i + 1}` }));
  const axes = unitsOf(series).map((unit) => {
    const own = lines.filter((line) => line.unit === unit);
    const [only] = own.length === 1 && lines.length > 1 ? own : [];
    const title = axisTitle(series, unit, unitTitle(unit, asset));
    // An axis of a single line has that line's colour.
    return { unit, title, color: only?.color ?? "--muted" };
  });
  const gaps = priceGaps({ asset, series, data });
  return { ...(isLog ? dropNonPositive(data.table) : { table: data.table, dropped: 0 }), lines, axes, isLog, gaps };
}

/** With two axes, each title lists the axis's metrics if that is short enough. */
function axisTitle(series: readonly Series[], unit: Unit, short: string): string {
  const own = series.filter(({ definition }) => definition.unit === unit);
  if (own.length === series.length) return short;
  const long = `${joinTitles([...new Set(own.map(({ definition }) => definition.title))])}, ${short}`;
  return long.length > MAX_AXIS_TITLE_LENGTH ? short : long;
}
