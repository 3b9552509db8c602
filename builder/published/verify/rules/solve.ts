/** Checks whether equations hold, and where they don't. */

import { BUCKET_SECONDS, type MetricName, metricByName, type Resolution } from "../../../../data-schema/registry.ts";
import { type BuildEngine, isOlderThan } from "../../../../data-schema/stored.ts";
import { isoTime } from "../../../../data-schema/text.ts";
import type { Series } from "../../../engine/series.ts";
import { spaced } from "../../../lib/columns/spaced.ts";
import { counted } from "../../../lib/terminal/amount-text.ts";
import {
  CANCELLATION,
  COST_ROUNDING,
  EQUATIONS,
  type Equation,
  equationText,
  metricsIn,
  RELATIVE,
  type SelectorSum,
  selectorsIn,
} from "./equations.ts";
import { placesOf, type SeriesByMetric, sumOf } from "./series-columns.ts";

/** Absolute tolerance: doubles this small have lost most of their digits. */
const SMALLEST = 1e-300;

/** What the equations need to know besides the series. */
export interface Context {
  /** At resolution day: every day (`daysBetween`), so that equations can refer to the day before. */
  days?: Float64Array | undefined;
  /** How many of the days, from the first on, were checked before: only the equations of the day after refer to them. */
  checkedDays?: number;
  /** USD per token. Without it, equations with `costOf` are skipped. */
  highestPrice?: number | undefined;
  /** Without it, the series are those of this version. */
  build?: BuildEngine | undefined;
}

/** Where an equation doesn't hold. */
export interface Violation {
  /** Starts of buckets or block numbers, ascending; at least one. */
  places: number[];
  /** The two sides at the first of them. */
  values: string;
}

/**
 * Checks an equation on the series of a period.
 *
 * @returns the number of places that were checked, and where the equation doesn't hold
 */
export function solve(
  equation: Equation,
  series: SeriesByMetric,
  { days, checkedDays = 0, highestPrice }: Context,
): { checks: number; violation?: Violation } {
  const { left, right, relation, slack, costOf, onlyIfSame, onlyIfDefined } = equation;
  if (costOf && highestPrice === undefined) return { checks: 0 };
  const places = days ?? placesOf([...left, ...right].flatMap((term) => runsOf(series, term)));
  if (places.length === 0) return { checks: 0 };
  const column = (term: SelectorSum) => columnOf(series, term, places);
  const [lefts, rights] = [left.map(column), right.map(column)];
  const [difference, largest] = [new Float64Array(places.length), new Float64Array(places.length)];
  for (const operand of lefts) fold(operand, 1, difference, largest);
  for (const operand of rights) fold(operand, -1, difference, largest);
  const slacks = slack && column(slack);
  const moved = (costOf ?? []).map(column);
  const costRounding = COST_ROUNDING * (highestPrice ?? 0);
  const [one, other] = onlyIfSame?.map(column) ?? [];
  const defined = onlyIfDefined && definedAt(runsOf(series, onlyIfDefined), places);
  const isExact = [...left, ...right].every(({ metric }) => metricByName(metric).unit === "count");
  const relative = isExact ? 0 : RELATIVE;

  const violated: number[] = [];
  let checks = 0;
  for (let i = checkedDays; i < places.length; i++) {
    if (one && other && one[i] !== other[i]) continue;
    if (defined && !defined[i]) continue;
    checks++;
    const excess = relation === "=" ? Math.abs(difference[i]!) : difference[i]!;
    let allowed = relative * largest[i]! + (isExact ? 0 : SMALLEST);
    if (slacks) allowed += CANCELLATION * slacks[i]!;
    for (const tokens of moved) allowed += costRounding * tokens[i]!;
    // Also true for NaN.
    if (!(excess <= allowed)) violated.push(i);
  }
  const [first] = violated;
  if (first === undefined) return { checks };
  const side = (columns: Float64Array[]) => columns.map((values) => values[first]).join(" + ");
  const values = `${side(lefts)} ${relation === "=" ? "≠" : ">"} ${side(rights)}`;
  return { checks, violation: { places: violated.map((i) => places[i]!), values } };
}

/** Adds an operand to the difference of the two sides, and updates the largest absolute operand. */
function fold(operand: Float64Array, sign: 1 | -1, difference: Float64Array, largest: Float64Array): void {
  for (let i = 0; i < operand.length; i++) {
    const value = operand[i]!;
    difference[i]! += sign * value;
    const size = Math.abs(value);
    if (size > largest[i]!) largest[i] = size;
  }
}

/** The starts of all days from the first to the last, in Unix seconds. */
export function daysBetween(first: number, last: number): Float64Array {
  const { day } = BUCKET_SECONDS;
  return spaced(first, day, (last - first) / day + 1);
}

function runsOf(series: SeriesByMetric, { metric, selectors }: SelectorSum): Series[] {
  const runs = series.get(metric);
  return selectors.flatMap((selector) => runs?.get(selector) ?? []);
}

function columnOf(series: SeriesByMetric, term: SelectorSum, places: Float64Array): Float64Array {
  const values = sumOf(runsOf(series, term), places);
  if (term.times) {
    const factors = sumOf(runsOf(series, { metric: term.times, selectors: term.selectors }), places);
    for (let i = 0; i < values.length; i++) values[i]! *= factors[i]!;
  }
  if (term.before) {
    values.copyWithin(1, 0);
    values[0] = 0;
  }
  return values;
}

/** 1 where a run has a point. */
function definedAt(series: readonly Series[], places: Float64Array): Float64Array {
  return sumOf(
    series.map((run) => ({ ...run, v: run.v.map(() => 1) })),
    places,
  );
}

/** Checks those equations of a resolution whose metrics and selectors are all there on the series of a period. */
export function solveAll(
  resolution: Resolution,
  series: SeriesByMetric,
  context: Context = {},
  equations: readonly Equation[] = EQUATIONS,
): { checks: number; problems: string[] } {
  let checks = 0;
  const problems: string[] = [];
  for (const equation of equations) {
    if (!equation.resolutions.includes(resolution)) continue;
    if (!metricsIn(equation).every((metric) => series.has(metric))) continue;
    const { build } = context;
    if (build && selectorsIn(equation).some((selector) => isOlderThan(build, selector))) continue;
    const outcome = solve(equation, series, context);
    checks += outcome.checks;
    if (outcome.violation) problems.push(violationText(equation, resolution, outcome.violation));
  }
  return { checks, problems };
}

/** A violation as a sentence. */
export function violationText(equation: Equation, resolution: Resolution, { places, values }: Violation): string {
  return (
    `${resolution}: ${equationText(equation)} (rule ${equation.rule}) does not hold at ${counted(places.length, "place")}, ` +
    `first ${pointPlace(resolution, places[0]!)}: ${values}.`
  );
}

/** A place for a message. */
export function pointPlace(resolution: Resolution, place: number): string {
  if (resolution === "block") return `in block ${place}`;
  const iso = isoTime(place);
  return resolution === "hour" ? `at ${iso}` : `on ${iso.slice(0, 10)}`;
}

/** Groups metrics that links connect, directly or through other metrics. */
export function linked(metrics: readonly MetricName[], links: readonly (readonly MetricName[])[]): MetricName[][] {
  const clusters = new Map(metrics.map((metric) => [metric, new Set([metric])]));
  for (const [first, ...others] of links) {
    for (const other of others) {
      const [a, b] = [clusters.get(first!), clusters.get(other)];
      if (!a || !b || a === b) continue;
      for (const metric of b) clusters.set(metric, a.add(metric));
    }
  }
  return [...new Set(clusters.values())].map((cluster) => metrics.filter((metric) => cluster.has(metric)));
}
