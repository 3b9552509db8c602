/** What a table is made of: its columns, what it shows, its windows, and what reading them takes. */

import type { Computation } from "../../data-schema/formula.ts";
import {
  isLotSelector,
  isOwnCohort,
  lotSeries,
  type Metric,
  type MetricName,
  type MetricUnit,
  methodOf,
  RESOLUTION_FACTS,
  type Resolution,
} from "../../data-schema/registry.ts";
import type { Manifest, ManifestObject, TableOf } from "../../data-schema/stored.ts";
import type { Past } from "./as-known.ts";
import { type Bounds, type Grid, planBatches, type Target } from "./objects/batches.ts";
import type { Opened } from "./objects/open-object.ts";

/** A series that is read. */
export interface TableColumn {
  manifest: Manifest;
  metric: Metric & { name: MetricName };
  selector: string;
  /** First and last bucket of its asset, Unix seconds; -Infinity and Infinity at block resolution. */
  first: number;
  last: number;
  /** Whether it is 0 within its asset's range where it has no point. */
  isDense: boolean;
  /** The past of a series as it was known; null for what is known now. */
  past: Past | null;
}

/** What the object holds in which a series is: the metric's, those of its own cohort, or those of lots by its method. */
export function objectOf(metric: MetricName, selector: string): TableOf {
  if (isOwnCohort(selector)) return selector;
  return isLotSelector(selector) ? methodOf(selector) : metric;
}

/** What a series is called in its object: by its selector, its metric, or both. */
export function nameInObject(metric: MetricName, selector: string): string {
  if (isOwnCohort(selector)) return metric;
  return isLotSelector(selector) ? lotSeries(metric, selector) : selector;
}

/** A series as it is. */
export interface SeriesOutput {
  formula: null;
  /** Its place among the columns. */
  column: number;
  series: TableColumn;
}

/** What a formula makes of some columns. */
export interface FormulaOutput {
  formula: Computation;
  /** The places of its inputs among the columns. */
  columns: readonly number[];
  asset: string;
  /** What it is called after its asset. */
  name: string;
  text: string;
  unit: MetricUnit;
  /** The named formula that it is; null if it is none. */
  measure: { name: string; selector: string } | null;
}

export type Output = SeriesOutput | FormulaOutput;

/** The past of a column; what was replaced of it is in another column. */
export type ReadPast = Past<number>;

/** What has been replaced of the columns of a table; its first columns are what is shown. */
export interface Replacements {
  /** The past of each column that is shown. */
  pasts: readonly ReadPast[];
  /** Where the replaced values are. */
  sources: readonly { object: ManifestObject; targets: readonly Target[] }[];
  /** Tells what was known apart from other times. */
  tag: string;
}

/** What a table shows. */
export interface Table extends Bounds {
  resolution: Resolution;
  /** What is read. */
  columns: readonly TableColumn[];
  /** What is shown. */
  outputs: readonly Output[];
  /** Which columns only replace values of others, in a table as it was known; null in any other. */
  replacements: Replacements | null;
}

/** An object, and the columns that take its series. */
export interface ReadObject {
  object: ManifestObject;
  targets: readonly Target[];
  /** Its footer, once the table is planned; null for small objects, which are read whole. */
  opened: Opened | null;
}

/** A stretch of time, Unix seconds, whose objects hold no points of another: from inclusive, to exclusive. */
export interface Window {
  from: number;
  to: number;
  objects: readonly ReadObject[];
}

/** How the rows of an object may lie, for `planBatches`. */
export function gridOf({ period, resolution }: ManifestObject): Grid {
  return { from: period.from, to: period.to, step: RESOLUTION_FACTS[resolution].least };
}

/** What reading an object takes, after its footer is known: reads, and rows to decode. */
export function costOf({ object, targets, opened }: ReadObject, bounds: Bounds, mostRows?: number): Cost {
  if (opened === null) return { reads: 1, rows: object.entry.rows };
  const batches = planBatches(opened.footer, targets, bounds, gridOf(object), mostRows);
  return { reads: batches.length, rows: batches.reduce((sum, { rows }) => sum + rows, 0) };
}

/** Reads, and rows to decode, of all columns together. */
export interface Cost {
  reads: number;
  rows: number;
}

export function sumOf(costs: readonly Cost[]): Cost {
  return costs.reduce((sum, cost) => ({ reads: sum.reads + cost.reads, rows: sum.rows + cost.rows }), {
    reads: 0,
    rows: 0,
  });
}
