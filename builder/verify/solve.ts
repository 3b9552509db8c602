/** Whether equations hold, and where they do not. */

import { type MetricName, metricByName } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS, type Resolution } from "../../data-schema/resolutions.ts";
import type { SeriesRun } from "../engine/series.ts";
import { counted } from "../terminal/amounts.ts";
import { placesOf, sumOf } from "./columns.ts";
import {
  CANCELLATION,
  COST_ROUNDING,
  EQUATIONS,
  type Equation,
  equationText,
  metricsIn,
  type Term,
} from "./equations.ts";
import type { Series } from "./series.ts";

/** Doubles are compared relative to the larger operands, not to their small difference: two right values of 1e-9 each. */
const RELATIVE = 2e-9;

/** Smaller differences are of numbers that have lost their digits to the end of what a double can hold. */
const SMALLEST = 1e-300;

/** What holds of all series that are looked at. */
export interface Terms {
  /** At resolution day: all of them (`daysBetween`), so that equations can look a day back. */
  days?: Float64Array | undefined;
  /** USD per token. Without it, nothing is said of equations in which a cost may be off. */
  highestPrice?: number | undefined;
}

/** Where an equation does not hold. */
export interface Violation {
  /** Starts of buckets or block numbers, ascending; at least one. */
  places: number[];
  /** The two sides at the first of them. */
  values: string;
}

export interface Outcome {
  /** Places that were looked at. */
  checks: number;
  violation?: Violation;
}

/** Holds an equation against the series of a period. */
export function solve(equation: Equation, series: Series, { days, highestPrice }: Terms): Outcome {
  const { left, right, relation, slack, costOf, onlyIfSame, onlyIfDefined } = equation;
  if (costOf && highestPrice === undefined) return { checks: 0 };
  const places = days ?? placesOf([...left, ...right].flatMap((term) => runsOf(series, term)));
  if (places.length === 0) return { checks: 0 };
  const column = (term: Term) => columnOf(series, term, places);
  const [lefts, rights] = [left.map(column), right.map(column)];
  const [difference, largest] = [new Float64Array(places.length), new Float64Array(places.length)];
  for (const operand of lefts) fold(operand, 1, difference, largest);
  for (const operand of rights) fold(operand, -1, difference, largest);
  const slacks = slack && column(slack);
  const moved = (costOf ?? []).map(column);
  const costRounding = COST_ROUNDING * (highestPrice ?? 0);
  const pair = onlyIfSame?.map(column);
  const defined = onlyIfDefined && definedAt(runsOf(series, onlyIfDefined), places);
  const isExact = [...left, ...right].every(({ metric }) => metricByName(metric).unit === "count");
  const relative = isExact ? 0 : RELATIVE;

  const violated: number[] = [];
  let checks = 0;
  for (let i = 0; i < places.length; i++) {
    if (pair && pair[0][i] !== pair[1][i]) continue;
    if (defined && !defined[i]) continue;
    checks++;
    const excess = relation === "=" ? Math.abs(difference[i]) : difference[i];
    let allowed = relative * largest[i] + (isExact ? 0 : SMALLEST);
    if (slacks) allowed += CANCELLATION * slacks[i];
    for (const tokens of moved) allowed += costRounding * tokens[i];
    // What is no number is not allowed either.
    if (!(excess <= allowed)) violated.push(i);
  }
  if (violated.length === 0) return { checks };
  const side = (columns: Float64Array[]) => columns.map((values) => values[violated[0]]).join(" + ");
  const values = `${side(lefts)} ${relation === "=" ? "≠" : ">"} ${side(rights)}`;
  return { checks, violation: { places: violated.map((i) => places[i]), values } };
}

/** Adds an operand to the difference of the two sides, and keeps the size of the largest operand. */
function fold(operand: Float64Array, sign: 1 | -1, difference: Float64Array, largest: Float64Array): void {
  for (let i = 0; i < operand.length; i++) {
    const value = operand[i];
    difference[i] += sign * value;
    const size = Math.abs(value);
    if (size > largest[i]) largest[i] = size;
  }
}

/** The starts of the days from the first to the last, Unix seconds. */
export function daysBetween(first: number, last: number): Float64Array {
  const { day } = BUCKET_SECONDS;
  return Float64Array.from({ length: (last - first) / day + 1 }, (_, i) => first + i * day);
}

function runsOf(series: Series, { metric, selectors }: Term): SeriesRun[] {
  const runs = series.get(metric);
  return selectors.flatMap((selector) => runs?.get(selector) ?? []);
}

function columnOf(series: Series, term: Term, places: Float64Array): Float64Array {
  const values = sumOf(runsOf(series, term), places);
  if (term.times) {
    const factors = sumOf(runsOf(series, { metric: term.times, selectors: term.selectors }), places);
    for (let i = 0; i < values.length; i++) values[i] *= factors[i];
  }
  if (term.before) {
    values.copyWithin(1, 0);
    values[0] = 0;
  }
  return values;
}

/** 1 where a run has a point. */
function definedAt(runs: readonly SeriesRun[], places: Float64Array): Float64Array {
  return sumOf(
    runs.map((run) => ({ ...run, v: run.v.map(() => 1) })),
    places,
  );
}

/** Holds every equation of a resolution against a period's series: those whose metrics are all there. */
export function solveAll(
  resolution: Resolution,
  series: Series,
  terms: Terms = {},
): { checks: number; problems: string[] } {
  let checks = 0;
  const problems: string[] = [];
  for (const equation of EQUATIONS) {
    if (!equation.resolutions.includes(resolution)) continue;
    if (!metricsIn(equation).every((metric) => series.has(metric))) continue;
    const outcome = solve(equation, series, terms);
    checks += outcome.checks;
    if (outcome.violation) problems.push(violationText(equation, resolution, outcome.violation));
  }
  return { checks, problems };
}

/** What is wrong, in a sentence. */
export function violationText(equation: Equation, resolution: Resolution, { places, values }: Violation): string {
  return (
    `${resolution}: ${equationText(equation)} (rule ${equation.rule}) does not hold at ${counted(places.length, "place")}, ` +
    `first ${placeText(resolution, places[0])}: ${values}.`
  );
}

/** A place as a person names it. */
export function placeText(resolution: Resolution, place: number): string {
  if (resolution === "block") return `in block ${place}`;
  const iso = timeText(place);
  return resolution === "day" ? `on ${iso.slice(0, 10)}` : `at ${iso}`;
}

/** @param seconds Unix seconds */
export function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** Metrics that equations of a resolution link, directly or by others: they are looked at together. */
export function linked(metrics: readonly MetricName[], links: readonly (readonly MetricName[])[]): MetricName[][] {
  const clusters = new Map(metrics.map((metric) => [metric, new Set([metric])]));
  for (const [first, ...others] of links) {
    for (const other of others) {
      const [a, b] = [clusters.get(first), clusters.get(other)];
      if (!a || !b || a === b) continue;
      for (const metric of b) clusters.set(metric, a.add(metric));
    }
  }
  return [...new Set(clusters.values())].map((cluster) => metrics.filter((metric) => cluster.has(metric)));
}
