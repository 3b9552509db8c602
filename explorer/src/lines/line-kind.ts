/** What a kind of line knows. Adding a kind means adding an entry to LINE_KINDS in lines.ts. */

import type { Asset, Catalog, Metric, Unit } from "../api/catalog.ts";
import type { Points } from "../api/points.ts";

/** A published series. */
export interface SeriesRef {
  asset: string;
  metric: string;
  /** Cohort, exchange or sample; null for a metric that has a single series. */
  selector: string | null;
}

/** What a line's text refers to. */
export interface Context {
  catalog: Catalog;
  /** The chart's asset, that of every series that names no other; undefined only in an empty catalog. */
  asset: Asset | undefined;
}

/** One curve of a line, with its own column in tables. */
export interface Curve {
  /** Display name. */
  name: string;
  /** Its column in CSV files; unique among the curves of a chart with one asset. */
  code: string;
  unit: Unit;
  /** Metrics that it is computed from, for descriptions and marks. */
  metrics: Metric[];
}

export interface LineKind<L> {
  /** Reads the line's text in a link; undefined for a text of another kind, or of nothing that the catalog has. */
  parse(text: string, context: Context): L | undefined;
  /** The text that `parse` reads as this line. */
  format(line: L): string;
  /** The same line where `asset` is the chart's own asset. */
  within(line: L, asset: string): L;
  /** What it draws; empty for a line that the catalog doesn't have. */
  curves(line: L, context: Context): Curve[];
  /** The series that its points are computed from, at least one. */
  inputs(line: L, context: Context): SeriesRef[];
  /** The points of each curve, computed from those of the inputs, both in order. */
  points(line: L, inputs: readonly Points[], context: Context): Points[];
}
