/** The parameter x: formulas, separated by semicolons, each perhaps with a name. Source: docs/formulas.md. */

import {
  FORMULA_NAMES,
  FormulaError,
  type RegistryFormula,
  readFormula,
  resolutionsOfFormula,
  tokenise,
  UnknownName,
} from "../../../data-schema/formula.ts";
import type { Resolution } from "../../../data-schema/registry.ts";
import { nearest } from "../../../data-schema/text/nearest.ts";
import { Problem, repeatable } from "../../problems/problem.ts";

/** Formulas of one request. */
export const MOST_FORMULAS = 20;

/** A formula that is wanted: of each asset, unless it names the assets of all its series. */
export interface WantedFormula {
  /** What its column is called after the asset: its name, or its text. */
  name: string;
  text: string;
  /** Where the text begins in the parameter. */
  start: number;
  /** Inputs without an asset are of the one that it is computed for. */
  formula: RegistryFormula;
}

const NAME = /^\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*=/;

/** What is between two semicolons; those within quotes separate nothing. */
const PART = /(?:"[^"]*"|'[^']*'|[^;"']|["'])+/g;

/**
 * The formulas of x.
 *
 * @throws {Problem} 400 for the first thing that is wrong, and where it is
 */
export function readFormulas(value: string): WantedFormula[] {
  const wanted = Array.from(value.matchAll(PART), ({ 0: part, index }) => readPart(part, index)).filter(
    (one) => one !== null,
  );
  if (wanted.length === 0) throw invalid("x has no formula.");
  if (wanted.length > MOST_FORMULAS) {
    throw new Problem("too-many-series", `x takes up to ${MOST_FORMULAS} formulas, not ${wanted.length}.`, {
      parameter: "x",
    });
  }
  const names = wanted.map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalid("x has two formulas of the same name.");
  return wanted;
}

function readPart(part: string, index: number): WantedFormula | null {
  if (part.trim() === "") return null;
  const [begin = "", name] = NAME.exec(part) ?? [];
  const rest = part.slice(begin.length);
  const text = rest.trim();
  const start = index + begin.length + rest.indexOf(text);
  try {
    return { name: name ?? text, text, start, formula: readFormula(text, FORMULA_NAMES) };
  } catch (error) {
    if (error instanceof FormulaError) throw problemOf(error, start, text);
    throw error;
  }
}

/** The problem of a formula that can't be read; `start` is where its text begins in the parameter. */
function problemOf(error: FormulaError, start: number, text: string): Problem {
  // Two operands with nothing but a space between them were sent with a raw plus sign.
  const isPlusLost = error.message.startsWith("An operator is missing") && text[error.span.from - 1] === " ";
  const place = `See character ${start + error.span.from + 1} of x.${isPlusLost ? " In a URL, a plus sign is %2B." : ""}`;
  if (!(error instanceof UnknownName)) return invalid(`${error.message} ${place}`);
  const { message, written, allowed } = error;
  const detail = repeatable(written) === undefined ? "There is no such name." : message;
  return new Problem("invalid-parameter", `${detail} ${place}`, {
    parameter: "x",
    allowed: allowed.length > 0 ? allowed : undefined,
    suggestion: nearest(written, allowed),
  });
}

/**
 * Where x names what an asset or the store turns out not to have, as a sentence after a blank; empty if x does not.
 *
 * @param part the part of a name that is looked for
 */
export function placeInFormulas(
  formulas: readonly WantedFormula[],
  part: "asset" | "selector",
  written: string,
): string {
  for (const { text, start } of formulas) {
    for (const token of tokenise(text)) {
      if (token.kind !== "name" || token[part]?.toUpperCase() !== written.toUpperCase()) continue;
      return ` See character ${start + token.spans[part].from + 1} of x.`;
    }
  }
  return "";
}

/** @throws {Problem} 400 a formula that the resolution has not */
export function checkFormulas(formulas: readonly WantedFormula[], resolution: Resolution): void {
  for (const { formula } of formulas) {
    if (resolution === "block" && formula.reach > 0) {
      throw new Problem("invalid-parameter", "Functions of several rows are not computed by block.", {
        parameter: "r",
      });
    }
    const allowed = resolutionsOfFormula(formula);
    if (allowed.includes(resolution)) continue;
    const names = formula.metrics.map((metric) => metric.name).join(", ");
    throw new Problem("invalid-parameter", `A formula of ${names} is not available by ${resolution}.`, {
      parameter: "r",
      allowed,
    });
  }
}

const invalid = (detail: string) => new Problem("invalid-parameter", detail, { parameter: "x" });
