/** The condition of an alert that a chart shows. In a link: `alert=sopr:total > 1`, with `~3` for three rows in a row. */

import { COMPARISONS, type Comparison } from "../../../data-schema/formula.ts";

export interface Threshold {
  /** The line, in the language of formulas. */
  line: string;
  comparison: Comparison;
  level: number;
  /** How many rows in a row. */
  count: number;
}

export const formatThreshold = ({ line, comparison, level, count }: Threshold): string =>
  `${line} ${comparison} ${level}${count > 1 ? `~${count}` : ""}`;

const MOST_ROWS = 1000;
const FORM = new RegExp(`^(.+) (${Object.keys(COMPARISONS).join("|")}) (\\S+?)(?:~(\\d+))?$`, "s");

/** @returns undefined for a text that isn't one */
export function parseThreshold(text: string): Threshold | undefined {
  const [, line = "", comparison, value = "", rows = "1"] = FORM.exec(text) ?? [];
  const [level, count] = [Number(value), Number(rows)];
  if (line === "" || !Number.isFinite(level) || count < 1 || count > MOST_ROWS) return undefined;
  return { line, comparison: comparison as Comparison, level, count };
}
