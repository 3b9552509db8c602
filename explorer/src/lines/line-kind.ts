/** What a kind of line knows. Adding a kind means adding an entry to LINE_KINDS in lines.ts. */

import type { Computation, FormulaUnit } from "../../../data-schema/formula.ts";
import type { NaturalLook } from "../../../data-schema/registry.ts";
import type { CatalogMetric, Context } from "../api/catalog.ts";
import type { Problem } from "../api/problem.ts";

/** One curve of a line, with its own column in tables. */
export interface Curve {
  /** Display name. */
  name: string;
  /** Its column in CSV files; unique among the curves of a chart with one asset. */
  code: string;
  unit: FormulaUnit;
  /** Null of a formula that is not known. */
  look: NaturalLook | null;
  /** Metrics that it is computed from, for descriptions and marks. */
  metrics: CatalogMetric[];
  /** What it is in the picture of a family; undefined for the curves of other lines. */
  part?: Part;
}

/** A curve of a family. */
export interface Part {
  /** `rest`: what the parts leave out of the whole. */
  role: "whole" | "part" | "rest";
  /** The selector of a part; `rest`, or `whole`, for the others. */
  value: string;
  /** A custom property of the style sheet; null for one of many parts, which have colours by size. */
  color: string | null;
  /** Whether it has a place in the picture; otherwise only in legends and tables. */
  isDrawn: boolean;
}

export interface LineKind<L> {
  /** Reads the line's text in a link; undefined for a text of another kind, or of nothing that the catalog has. */
  parse(text: string, context: Context): L | undefined;
  /** The text that `parse` reads as this line. */
  format(line: L): string;
  /** The line in a chart whose own asset is `asset`. */
  within(line: L, asset: string): L;
  /** What it draws; empty for a line that the catalog doesn't have. */
  curves(line: L, context: Context): Curve[];
  /** Why nothing can be computed; null if it can be, as it always can for a kind without this member. */
  problem?(line: L, context: Context): Problem | null;
  /** How each curve is computed, in their order. Loading and the code of a chart follow from this. */
  computations(line: L, context: Context): Computation[];
}
