/** The kinds of lines that a chart can show. */

import type { Computation, FormulaUnit, SeriesRef } from "../../../data-schema/formula.ts";
import type { Context } from "../api/catalog.ts";
import type { Problem } from "../api/problem.ts";
import { FAMILY_LINE, type FamilyLine } from "./family-line.ts";
import { FORMULA_LINE, type FormulaLine } from "./formula-line.ts";
import type { Curve, LineKind } from "./line-kind.ts";
import type { LineStyle } from "./line-style.ts";
import { SERIES_LINE, type SeriesLine } from "./series-line.ts";

/** A line, as a plain value. */
export type Line = (SeriesLine | FormulaLine | FamilyLine) & {
  /** How it alone is drawn; a family has ways of its own. */
  style?: LineStyle;
};

/** The table of kinds. A link's text is read by the first kind that knows it. */
const LINE_KINDS: { [K in Line["kind"]]: LineKind<Extract<Line, { kind: K }>> } = {
  formula: FORMULA_LINE,
  family: FAMILY_LINE,
  series: SERIES_LINE,
};

const kindOf = (line: Line) => LINE_KINDS[line.kind] as LineKind<Line>;

export function parseLine(text: string, context: Context): Line | undefined {
  for (const kind of Object.values(LINE_KINDS)) {
    const line = kind.parse(text, context);
    if (line) return line;
  }
  return undefined;
}

export const formatLine = (line: Line): string => kindOf(line).format(line);
export const isSameLine = (a: Line, b: Line): boolean => formatLine(a) === formatLine(b);
export const lineWithin = (line: Line, asset: string): Line => kindOf(line).within(line, asset);
export const curvesOf = (line: Line, context: Context): Curve[] => kindOf(line).curves(line, context);
/** The units of the axes that a line needs. */
export const unitsOf = (line: Line, context: Context): Set<FormulaUnit> =>
  new Set(curvesOf(line, context).flatMap(({ unit, part }) => (part?.isDrawn === false ? [] : unit)));
export const computationsOf = (line: Line, context: Context): Computation[] => kindOf(line).computations(line, context);
export const lineInputs = (line: Line, context: Context): SeriesRef[] =>
  computationsOf(line, context).flatMap(({ inputs }) => inputs);
export const problemOf = (line: Line, context: Context): Problem | null =>
  kindOf(line).problem?.(line, context) ?? null;
