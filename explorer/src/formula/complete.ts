/** What may stand at the cursor of a formula that is being typed. */

import { assetText, FUNCTIONS, selectorText, signature, type TextSpan } from "../../../data-schema/formula.ts";
import {
  type Catalog,
  type CatalogMetric,
  type Context,
  catalogMetric,
  findAsset,
  findFormula,
  selectorFamilies,
} from "../api/catalog.ts";
import { selectorName } from "../format/names.ts";

export interface Candidate {
  kind: "function" | "formula" | "metric" | "asset" | "selector";
  /** How it is called in a list: `sma(x[, n])`. */
  label: string;
  detail: string;
  /** What takes the place of the span. */
  text: string;
}

export interface Completion {
  /** The word at the cursor. */
  span: TextSpan;
  candidates: Candidate[];
}

/** Before an operand, there is nothing, a bracket, a comma, or an operator. */
const BEFORE_OPERAND = /(?:^|[-+−*×/÷(])\s*$/;
/** The word that ends at the cursor: an asset, and part of a name. */
const WORD = /(?:("[^"]*"|\w+(?:\.\w+)*)\.)?(\w*)$/;
/** The same, with part of a selector, which may contain operators. */
const SELECTING = /(?:("[^"]*"|\w+(?:\.\w+)*)\.)?(\w+):(["']?[^\s()*×÷,"']*)$/;

/** The candidates for a cursor; none where a number, an operator or a bracket belongs. */
export function complete(text: string, cursor: number, context: Context): Completion {
  const before = text.slice(0, cursor);
  return completeSelector(before, text, context) ?? completeName(before, text, context);
}

function completeSelector(before: string, text: string, { catalog, asset: own }: Context): Completion | undefined {
  const found = SELECTING.exec(before);
  if (!found) return undefined;
  const [, symbol, name = "", typed = ""] = found;
  const asset = symbol ? findAsset(catalog, symbol.replaceAll('"', "").toUpperCase()) : own;
  const part = typed.replace(/^["']/, "").toLowerCase();
  const candidates = metricsNamed(name.toLowerCase(), catalog).map((metric) =>
    selectorFamilies(metric, asset).flatMap(({ values }) => values),
  );
  const shared = (candidates[0] ?? []).filter((value) => candidates.every((values) => values.includes(value)));
  const matching = shared.filter(
    (value) => value.toLowerCase().startsWith(part) || selectorName(value, asset).toLowerCase().startsWith(part),
  );
  // What looks like a selector may be the next operand: `supply:total-su`.
  if (matching.length === 0 && part !== "") return undefined;
  const from = before.length - typed.length;
  const rest = matching
    .map((value) => value.slice(part.length))
    .find((end) => end && text.startsWith(end, before.length));
  return {
    span: { from, to: before.length + (rest?.length ?? 0) },
    candidates: matching.map((value) => ({
      kind: "selector",
      label: value,
      text: selectorText(value),
      detail: selectorName(value, asset) === value ? "" : selectorName(value, asset),
    })),
  };
}

/** A metric, or those that a named formula takes a selector for. */
function metricsNamed(name: string, catalog: Catalog): CatalogMetric[] {
  const named = findFormula(catalog, name);
  return catalog.metrics.filter(
    (metric) => metric.name === name || named?.text.match(/[a-z_]+/g)?.includes(metric.name),
  );
}

function completeName(before: string, text: string, { catalog, asset: own }: Context): Completion {
  const [whole, symbol, typed = ""] = WORD.exec(before)!;
  const from = before.length - typed.length;
  const span = { from, to: before.length + /^\w*/.exec(text.slice(before.length))![0].length };
  if (/^\d/.test(typed) || !BEFORE_OPERAND.test(before.slice(0, before.length - whole.length))) {
    return { span, candidates: [] };
  }
  const functions = FUNCTIONS.map(
    (entry): Candidate => ({
      kind: "function",
      label: signature(entry),
      detail: entry.description,
      text: `${entry.name}(`,
    }),
  );
  const named = catalog.formulas
    .filter(({ text }) => (text.match(/[a-z_]{3,}/g) ?? []).every(isKnown))
    .map(
      ({ name, title, text }): Candidate => ({ kind: "formula", label: name, detail: `${title}: ${text}`, text: name }),
    );
  const metrics = catalog.metrics.map(
    ({ name, title }): Candidate => ({ kind: "metric", label: name, detail: title, text: name }),
  );
  const assets = catalog.assets
    .filter((other) => other !== own)
    .map(({ symbol, name }): Candidate => {
      return { kind: "asset", label: symbol, detail: name, text: `${assetText(symbol)}.` };
    });
  const all = symbol === undefined ? [...named, ...metrics, ...functions, ...assets] : [...named, ...metrics];
  return { span, candidates: matches(all, typed) };

  function isKnown(word: string): boolean {
    return catalogMetric(catalog, word) !== undefined || FUNCTIONS.some(({ name }) => name === word);
  }
}

/** Candidates, best first: the name begins with what was typed, the shortest first; a word does; a name contains it. */
function matches(all: readonly Candidate[], typed: string): Candidate[] {
  const part = typed.toLowerCase();
  const rank = ({ label, detail }: Candidate) => {
    const name = label.toLowerCase();
    if (name.startsWith(part)) return part === "" ? 0 : name.length / 1000;
    const words = `${name} ${detail.toLowerCase()}`.split(/[^a-z0-9]+/);
    return words.some((word) => word.startsWith(part)) ? 1 : name.includes(part) ? 2 : 3;
  };
  return all.filter((candidate) => rank(candidate) < 3).toSorted((a, b) => rank(a) - rank(b));
}
