/**
 * Lines and bands across a chart. In a link: `level=2.4~red~Bubble` for a line, `zone=3~~red~Hot` for a band, of which either
 * end may be open; the colour and the name may be left out. A value is a number or any other formula.
 */

import { MOST_LEVELS } from "../../../data-schema/chart-link.ts";
import { FormulaError } from "../../../data-schema/formula.ts";
import { LEVEL_COLORS, type Level } from "../../../data-schema/registry.ts";
import type { Context } from "../api/catalog.ts";
import { constantOf, type FormulaLine, formulaOf } from "./formula-line.ts";
import type { Line } from "./lines.ts";

/** The parameter of a level in a link, and its value. */
export function formatLevel({ from, to, color, name }: Level): [parameter: "level" | "zone", text: string] {
  const text = [from, ...(to === null ? [] : [to]), color, name].join("~");
  return [to === null ? "level" : "zone", text];
}

/** @returns undefined for a text that isn't one */
export function parseLevel(parameter: "level" | "zone", text: string, context: Context): Level | undefined {
  const parts = text.split("~");
  const from = parts.shift()!.trim();
  const to = parameter === "level" ? null : (parts.shift() ?? "").trim();
  const [given = "", ...words] = parts;
  const color = LEVEL_COLORS.find((one) => one === (given || "grey"));
  const level = color && cleanLevel({ from, to, color, name: words.join("~") });
  return level && isReadable(level, context) ? level : undefined;
}

/** Characters of a name. */
const LONGEST_NAME = 40;

/** A level as links hold it: its name in one line of few characters. */
export const cleanLevel = (level: Level): Level => ({
  ...level,
  from: level.from.trim(),
  to: level.to?.trim() ?? null,
  name: shortName(level.name),
});

/** What a person calls something, in one line of few characters. */
export const shortName = (name: string): string =>
  name
    .replaceAll(/[~\s]+/g, " ")
    .trim()
    .slice(0, LONGEST_NAME)
    .trimEnd();

/** The values that a level names. */
const valuesOf = ({ from, to }: Level): string[] => [from, to ?? ""].filter((text) => text !== "");

/** Whether each value of a level is a number or a formula. Without one, there is nothing to draw. */
function isReadable(level: Level, context: Context): boolean {
  const values = valuesOf(level);
  return values.length > 0 && values.every((text) => valueProblem(text, context) === null);
}

/** What is wrong with the value of a level; null if nothing is. */
export function valueProblem(text: string, context: Context): FormulaError | null {
  const formula = formulaOf(text, context);
  return formula instanceof FormulaError && constantOf(text, context) === null ? formula : null;
}

/** Levels that can be drawn, as many as a chart has. */
export const drawableLevels = (levels: readonly Level[], context: Context): Level[] =>
  levels.filter((level) => isReadable(level, context)).slice(0, MOST_LEVELS);

/** Takes the lines of a pane that are only numbers: they are levels. A pane of nothing else keeps them, to say what is wrong. */
export function withoutConstants(
  lines: readonly Line[],
  context: Context,
): { lines: readonly Line[]; levels: readonly Level[] } {
  const isConstant = (line: Line): line is Line & FormulaLine =>
    line.kind === "formula" && constantOf(line.text, context) !== null;
  const constants = lines.filter(isConstant);
  if (constants.length === lines.length) return { lines, levels: [] };
  const levels = constants.map(({ text, name }): Level => ({ from: text, to: null, color: "grey", name: name ?? "" }));
  return { lines: lines.filter((line) => !isConstant(line)), levels };
}

/** What a pane's levels need computed, each once: values that are no numbers. */
export function levelLines({ levels }: { levels: readonly Level[] | null }, context: Context): FormulaLine[] {
  const texts = new Set((levels ?? []).flatMap(valuesOf));
  return [...texts]
    .filter((text) => constantOf(text, context) === null)
    .map((text): FormulaLine => ({ kind: "formula", text }));
}
