/** What a kind of line knows. Adding a kind means adding an entry to LINE_KINDS in lines.ts. */

import type { Context, Metric, Unit } from "../api/catalog.ts";
import type { Problem } from "../api/problem.ts";
import type { Computation } from "../formula/resolve.ts";

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
  /** Why nothing can be computed; null if it can be, as it always can for a kind without this member. */
  problem?(line: L, context: Context): Problem | null;
  /** How each curve is computed, in their order. Loading and the code of a chart follow from this. */
  computations(line: L, context: Context): Computation[];
}
