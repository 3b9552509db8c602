/**
 * A formula's text → its tokens.
 *
 * A series is written as in links: `metric`, `metric:selector`, `ASSET.metric:selector`. Selectors contain `$`, `<`, `+` and
 * `-`, yet need no quotes: they have forms that no expression has, so `supply:$0-100-supply:<1d` is a difference of two
 * series. The name of an own cohort runs over a–z, 0–9, `_` and `-`: put blanks around a minus that follows one. Quotes allow any other text: `volume:"new selector"`, `"LP-3".price`; alone they are text, as the date of `index(price, "2024-01-01")`.
 */

import { FormulaError, type Span } from "./formula-error.ts";
import type { Comparison } from "./functions/choice.ts";

export type Operator = "+" | "-" | "*" | "/";

/** A name that may be a function's, a metric's or a named formula's, with what qualifies it. */
export interface NameToken extends Span {
  kind: "name";
  asset: string | null;
  name: string;
  selector: string | null;
  spans: { asset: Span; name: Span; selector: Span };
}

export type Token =
  | (Span & { kind: "number"; value: number })
  | (Span & { kind: "text"; text: string })
  | NameToken
  | (Span & { kind: "operator"; operator: Operator })
  | (Span & { kind: "comparison"; comparison: Comparison })
  | (Span & { kind: "(" | ")" | "," | "end" });

const OPERATORS: Record<string, Operator> = { "+": "+", "-": "-", "−": "-", "*": "*", "×": "*", "/": "/", "÷": "/" };

const COMPARISON = /<=|>=|[<>≤≥]/y;
const COMPARISONS: Record<string, Comparison> = { "≤": "<=", "≥": ">=" };
const SPACE = /\s*/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y;
const PATH = /\w+(?:\.\w+)*/y;
const QUOTED = /(["'])(.*?)\1/y;
/** Quotes around what is not an asset. */
const TEXT = /(["'])(.*?)\1(?!\.\w)/y;
const MEMBER = /\.(\w+)/y;
/** Dollars from–to and from up, ages, own cohorts, names. */
const BARE_SELECTOR =
  /(?:@[a-z0-9_-]+|\$[\d.]+[kKmM]?(?:-[\d.]+[kKmM]?|\+)|<\d+[dwmy]|\d+[dwmy]-\d+[dwmy]|[A-Za-z_]\w*(?:\.\w+)*)(?![\w."'$])/y;

/**
 * The tokens of a text, the last of which is its end.
 *
 * @throws {FormulaError}
 */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  for (;;) {
    match(SPACE);
    const from = at;
    if (at === text.length) return [...tokens, { kind: "end", from, to: from }];
    const character = text[at]!;
    const operator = OPERATORS[character];
    const number = match(NUMBER);
    const quoted = match(TEXT);
    const comparison = match(COMPARISON)?.[0];
    if (comparison) {
      tokens.push({
        kind: "comparison",
        comparison: COMPARISONS[comparison] ?? (comparison as Comparison),
        from,
        to: at,
      });
    } else if (number) {
      const value = Number(number[0]);
      if (!Number.isFinite(value)) throw new FormulaError("This number is too large.", { from, to: at });
      tokens.push({ kind: "number", value, from, to: at });
    } else if (quoted) {
      tokens.push({ kind: "text", text: quoted[2]!, from, to: at });
    } else if (operator) {
      tokens.push({ kind: "operator", operator, from, to: ++at });
    } else if (character === "(" || character === ")" || character === ",") {
      tokens.push({ kind: character, from, to: ++at });
    } else {
      tokens.push(readName(from));
    }
  }

  function readName(from: number): NameToken {
    const none = { from, to: from };
    const path = readPath(from);
    if (text[at] !== ":")
      return { kind: "name", ...path, selector: null, from, to: at, spans: { ...path.spans, selector: none } };
    at++;
    const start = at;
    const quoted = match(QUOTED);
    const selector = quoted ? quoted[2]! : match(BARE_SELECTOR)?.[0];
    if (selector === undefined) {
      const rest = /^[^\s()*/,]*/.exec(text.slice(start))![0].length;
      const what =
        rest > 0 ? `${text.slice(start, start + rest)} can't be a selector.` : "A selector is missing after the colon.";
      throw new FormulaError(`${what} Write one as in supply:users, or in quotes.`, {
        from: start - 1,
        to: start + rest,
      });
    }
    return {
      kind: "name",
      ...path,
      selector,
      from,
      to: at,
      spans: { ...path.spans, selector: { from: start, to: at } },
    };
  }

  /** `metric`, `ASSET.metric` or `"ASSET".metric`. A symbol may contain dots, a metric's name doesn't. */
  function readPath(from: number): Pick<NameToken, "asset" | "name"> & { spans: { asset: Span; name: Span } } {
    const quoted = match(QUOTED);
    if (quoted) {
      const asset = { from, to: at };
      const member = match(MEMBER)!;
      return { asset: quoted[2]!, name: member[1]!, spans: { asset, name: { from: asset.to + 1, to: at } } };
    }
    const path = match(PATH)?.[0];
    if (path === undefined) {
      // Whole where it takes two code units.
      const character = String.fromCodePoint(text.codePointAt(from)!);
      const isOpenQuote = character === '"' || character === "'";
      throw new FormulaError(whyNot(character), { from, to: from + character.length }, isOpenQuote);
    }
    if (/^[\d.]+$/.test(path)) throw new FormulaError(`${path} is not a number.`, { from, to: at });
    const dot = path.lastIndexOf(".");
    return {
      asset: dot < 0 ? null : path.slice(0, dot),
      name: path.slice(dot + 1),
      spans: { asset: { from, to: from + Math.max(dot, 0) }, name: { from: from + dot + 1, to: at } },
    };
  }
}

function whyNot(character: string): string {
  if (character === '"' || character === "'") return "This quote is never closed.";
  if (character === ":") return "A colon stands between a metric and its selector, without spaces.";
  return `${character} has no meaning in a formula.`;
}

/** A selector as a formula needs it: in quotes only where it would be read otherwise. */
export const selectorText = (selector: string): string =>
  isWhole(BARE_SELECTOR, selector) ? selector : quote(selector);

/** An asset's symbol, likewise. */
export const assetText = (symbol: string): string =>
  isWhole(PATH, symbol) && !/^[\d.]+$/.test(symbol) && !isWhole(NUMBER, symbol) ? symbol : quote(symbol);

const quote = (text: string) => (text.includes('"') ? `'${text}'` : `"${text}"`);

function isWhole(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text) && pattern.lastIndex === text.length;
}
