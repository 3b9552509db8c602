/** What a study is computed from, and what it finds. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";
import type { Resolution } from "../api/catalog.ts";
import type { Study } from "../state/study.ts";
import type { StudyPoints } from "./cycles.ts";
import type { Scene } from "./scene.ts";

/** A curve as the chart draws it, with its moving average. */
export interface StudyCurve {
  name: string;
  unit: FormulaUnit;
  /** A custom property of the style sheet. */
  color: string;
  /** A value for each time of the chart, NaN where there is none. */
  values: Float64Array;
}

export interface StudyInput {
  study: Study;
  /** The curves that are shown, in the order of the legend. */
  curves: readonly StudyCurve[];
  /** Unix seconds, ascending. */
  t: Float64Array;
  /** The rows [from, to) that the chart shows. */
  from: number;
  to: number;
  resolution: Resolution;
  isLog: boolean;
}

export interface StudyCell {
  text: string;
  /** How far from nothing, −1 to 1, as a colour behind the text. */
  shade?: number;
  /** Whether it isn't over yet, or not whole. */
  isPartial?: boolean;
  /** What else there is to say of it. */
  title?: string;
}

export interface StudyTable {
  caption: string;
  /** The first is that of the rows' names. */
  head: string[];
  rows: { name: string; color?: string; isSummary?: boolean; cells: StudyCell[] }[];
}

export interface Finding {
  /** What is shown, and of what. */
  title: string;
  /** What it says, in sentences; why it says nothing, where there is neither a drawing nor a table. */
  sentences: string[];
  /** The drawing at a width in pixels; null without one. */
  draw: ((width: number) => Scene) | null;
  table: StudyTable | null;
}

export const nothing = (title: string, why: string): Finding => ({ title, sentences: [why], draw: null, table: null });

/** The finite values of a curve in some rows, with their times. */
export function pointsOf({ values }: StudyCurve, t: Float64Array, from = 0, to = t.length): StudyPoints {
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).filter((row) =>
    Number.isFinite(values[row]),
  );
  return { t: rows.map((row) => t[row]!), v: rows.map((row) => values[row]!) };
}
