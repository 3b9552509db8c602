/** The lines and bands across a pane, as they are drawn: those of the chart or, where nobody has chosen, of its indicators. */

import type { Level, LevelColor } from "../../../../data-schema/registry.ts";
import { Problem } from "../../api/problem.ts";
import { compact } from "../../format/numbers.ts";
import { constantOf } from "../../lines/formula-line.ts";
import type { Page } from "../../session.ts";
import { contextOf, type Scale } from "../../state/chart-state.ts";
import type { Trace } from "../../state/traces.ts";
import { naturalLook } from "./natural-look.ts";

/** A value for all rows, or one for each; null for the edge of the plot. */
export type LevelEnd = number | Float64Array | null;

export interface DrawnLevel {
  /** Name of its axis. */
  axis: string;
  from: LevelEnd;
  /** Undefined for a line, which is at `from`. */
  to: LevelEnd | undefined;
  /** A custom property of the style sheet. */
  color: string;
  name: string;
  /** Whether somebody has chosen it, so that the axis has to show it. */
  isOwn: boolean;
}

/** The custom property of each colour. */
export const LEVEL_PROPERTIES: Readonly<Record<LevelColor, string>> = {
  green: "--good",
  red: "--bad",
  orange: "--series-2",
  yellow: "--hue-2",
  blue: "--series-1",
  violet: "--series-5",
  grey: "--muted",
};

/** An axis, and the traces on it that aren't the price beside the lines. */
export interface LevelAxis {
  name: string;
  traces: readonly Trace[];
}

/** What a pane shows on each of its axes: its own levels are on the first one. */
function levelsByAxis(page: Page, pane: number, axes: readonly LevelAxis[]): [axis: string, levels: Level[]][] {
  const { levels, isIndexed } = page.chart.panes[pane]!;
  if (levels !== null) return axes.slice(0, 1).map(({ name }) => [name, [...levels]]);
  if (isIndexed) return [];
  return axes.map(({ name, traces }) => {
    const [first, ...others] = traces.map((trace) => naturalLook(page, trace).levels);
    // Levels of one indicator say nothing of another.
    return [name, first && others.every((one) => one === first) ? [...first] : []];
  });
}

/** The levels of a pane that are read in its legend. */
export function shownLevels(page: Page, pane: number): Level[] {
  const own = page.traces.filter((trace) => trace.pane === pane && trace.line !== null && !trace.style.isOff);
  const byUnit = Map.groupBy(own, ({ unit, style }) => `${unit} ${style.isRight}`);
  const axes = [...byUnit].map(([name, traces]) => ({ name, traces }));
  return levelsByAxis(page, pane, axes).flatMap(([, levels]) => levels);
}

export function drawnLevels(page: Page, pane: number, axes: readonly LevelAxis[]): DrawnLevel[] {
  const context = contextOf(page.chart, page.catalog);
  const computed = page.data.levels?.[pane];
  /** Undefined for what isn't loaded, or failed. */
  const endOf = (text: string): LevelEnd | undefined => {
    if (text === "") return null;
    const column = constantOf(text, context) ?? computed?.get(text);
    return column instanceof Problem ? undefined : column;
  };
  const isOwn = page.chart.panes[pane]!.levels !== null;
  return levelsByAxis(page, pane, axes).flatMap(([axis, levels]) =>
    levels.flatMap(({ from, to, color, name }): DrawnLevel | [] => {
      const [start, end] = [endOf(from), to === null ? undefined : endOf(to)];
      if (start === undefined || (to !== null && end === undefined)) return [];
      return { axis, from: start, to: end, color: LEVEL_PROPERTIES[color], name, isOwn };
    }),
  );
}

/** What a level is, for a legend: `Overbought (above 70)`. */
export function levelText({ from, to, name }: Level): string {
  const [low, high] = [from, to ?? ""].map(valueText);
  const place = to === null ? `at ${low}` : !from ? `below ${high}` : !to ? `above ${low}` : `${low} to ${high}`;
  return name === "" ? place.replace(/^[ab](?=\w+ )/, (first) => first.toUpperCase()) : `${name} (${place})`;
}

/** A number as the page writes it; a formula as it is. */
const valueText = (text: string): string =>
  text !== "" && Number.isFinite(Number(text)) ? compact(Number(text), "ratio") : text;

/** The part of a plot's height that the values keep, whatever the levels of their indicators. */
const LEAST_PART = 0.5;

/** The ends of an axis, so far that its levels show; those of an indicator only as long as the values keep half the height. */
export function withLevels(
  [least, most]: readonly [number, number],
  levels: readonly DrawnLevel[],
  { from, to }: { from: number; to: number },
  scale: Scale,
): [number, number] {
  const size = scale === "log" ? Math.log : Number;
  const all = levels.flatMap((level) => edgesOf(level, from, to).map((value) => ({ value, isOwn: level.isOwn })));
  const fits = ({ value, isOwn }: (typeof all)[number]) => {
    if (!Number.isFinite(value) || (scale === "log" && value <= 0)) return false;
    const whole = size(Math.max(most, value)) - size(Math.min(least, value));
    return isOwn || size(most) - size(least) >= LEAST_PART * whole;
  };
  const shown = all.filter(fits).map(({ value }) => value);
  return [Math.min(least, ...shown), Math.max(most, ...shown)];
}

/** The values between which a level is in rows [from, to). */
function edgesOf({ from, to }: DrawnLevel, first: number, end: number): number[] {
  return [from, to].flatMap((edge) => {
    if (edge === null || edge === undefined) return [];
    if (typeof edge === "number") return edge;
    const own = edge.subarray(first, end).filter((value) => !Number.isNaN(value));
    return own.length === 0 ? [] : [own.reduce((a, b) => Math.min(a, b)), own.reduce((a, b) => Math.max(a, b))];
  });
}
