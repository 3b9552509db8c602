/** What a kind of line knows. Adding a kind means adding an entry to LINE_KINDS in lines.ts. */

import type { Context, Metric, SeriesRef, Unit } from "../api/catalog.ts";
import type { Points } from "../api/points.ts";
import type { Problem } from "../api/problem.ts";

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
  /** Why it has no points whatever its inputs are; null if it has, as a kind without this member always does. */
  problem?(line: L, context: Context): Problem | null;
  /** The series that its points are computed from. */
  inputs(line: L, context: Context): SeriesRef[];
  /** The buckets before the first wanted one that its points depend on, infinite for all; 0 for a kind without this member. */
  reach?(line: L, context: Context): number;
  /** The points of each curve, computed from those of the inputs, both in order. */
  points(line: L, inputs: readonly Points[], context: Context): Points[];
}
