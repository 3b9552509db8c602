/** A distribution over time, as the cells of a heatmap. */

import type { DistributionName } from "../../../data-schema/registry.ts";
import { monthNumber } from "../format/time.ts";

export interface Heat {
  distribution: DistributionName;
  /** Unix seconds: where each column begins, and where the last one ends. */
  edges: Float64Array;
  /** Ascending: US dollars per token, or Unix seconds. */
  buckets: readonly HeatBucket[];
  /** Tokens, a row for each bucket. */
  values: Float64Array;
  /** What most cells lie below: more is as dark. A single column would take the colour from all others. */
  most: number;
  /** The edges between which nearly all tokens are. */
  extent: { from: number; to: number };
}

export interface HeatBucket {
  from: number;
  to: number;
}

/** The part of an answer of GET /v3/distributions that is drawn. */
export interface ServedDistribution {
  buckets: { from: number | null; to: number | null }[];
  /** Unix seconds. */
  t: number[];
  supply: number[][];
}

/** The number of a bucket among all that there may be: a fortieth of a factor of ten, or a month. */
export const DISTRIBUTION_STEPS = {
  cost: ({ from }: HeatBucket): number => Math.round(40 * Math.log10(from)),
  time: ({ from }: HeatBucket): number => monthNumber(from),
} as const;

/** This part of the cells with tokens is drawn in colours of their own. */
const COLOURED = 0.995;
/** Rows of less than this part of the fullest row are left out of what an axis must show. */
const SLIGHT = 0.01;

/**
 * The cells of an answer. A bucket without an end, of what was free, has no place on a price axis.
 *
 * @param end of the last column, in Unix seconds
 */
export function heatOf(distribution: DistributionName, { buckets, t, supply }: ServedDistribution, end: number): Heat {
  const places = [...buckets.keys()].filter((i) => {
    const { from, to } = buckets[i]!;
    return from !== null && to !== null && to > from;
  });
  const kept = places.map((i) => buckets[i] as HeatBucket);
  const values = new Float64Array(places.length * t.length);
  for (const [row, place] of places.entries()) {
    for (let column = 0; column < t.length; column++) values[row * t.length + column] = supply[column]![place]!;
  }
  const filled = values.filter((value) => value > 0).sort();
  const most = filled[Math.ceil(COLOURED * (filled.length - 1))] ?? 0;
  const peaks = kept.map((_, row) => values.subarray(row * t.length, (row + 1) * t.length).reduce(max, 0));
  const least = SLIGHT * peaks.reduce(max, 0);
  const shown = kept.filter((_, row) => peaks[row]! >= least);
  return {
    distribution,
    edges: Float64Array.from([...t, end]),
    buckets: kept,
    values,
    most,
    extent: { from: shown[0]?.from ?? Number.NaN, to: shown.at(-1)?.to ?? Number.NaN },
  };
}

const max = (a: number, b: number) => Math.max(a, b);

/** The column of a time; -1 if there is none. */
export function columnAt({ edges }: Heat, time: number): number {
  if (!(time < edges[edges.length - 1]!)) return -1;
  return edges.findLastIndex((edge) => edge <= time);
}

/** A bucket of a column with its tokens. */
export interface HeatCell extends HeatBucket {
  tokens: number;
}

/** The bucket of a column that a value on the axis lies in; undefined where there is none. */
export function cellAt(heat: Heat, column: number, value: number): HeatCell | undefined {
  const row = heat.buckets.findIndex(({ from, to }) => value >= from && value < to);
  return row < 0 ? undefined : cellOf(heat, column, row);
}

/** The fullest bucket of a column; undefined if all are empty. */
export function fullestAt(heat: Heat, column: number): HeatCell | undefined {
  if (column < 0) return undefined;
  const cells = heat.buckets.map((_, row) => cellOf(heat, column, row));
  const fullest = cells.reduce((a, b) => (b.tokens > a.tokens ? b : a), { from: 0, to: 0, tokens: 0 });
  return fullest.tokens > 0 ? fullest : undefined;
}

function cellOf({ buckets, values, edges }: Heat, column: number, row: number): HeatCell {
  return { ...buckets[row]!, tokens: values[row * (edges.length - 1) + column]! };
}

/** How dark a cell is, from 0 to 1. Logarithms show a thousandth of the most as a third. */
export const intensity = (tokens: number, most: number, colors: "linear" | "log"): number => {
  const part = Math.min(1, tokens / most);
  return colors === "linear" ? part : Math.log1p(LOG_RANGE * part) / Math.log1p(LOG_RANGE);
};

const LOG_RANGE = 1000;
