/**
 * A formula's text → its tokens.
 *
 * A series is written as in links: `metric`, `metric:selector`, `ASSET.metric:selector`. Selectors contain `$`, `<`, `+` and
 * `-`, yet need no quotes: they have forms that no expression has, so `supply:$0-100-supply:<1d` is a difference of two
 * series. The name of an own cohort runs over a–z, 0–9, `_` and `-`: put blanks around a minus that follows one. Quotes allow any other text: `volume:"new selector"`, `"LP-3".price`; alone they are text, as the date of `index(price, "2024-01-01")`.
 */

import { FormulaError, type TextSpan } from "./formula-error.ts";
import type { Comparison } from "./functions/choice.ts";

export type Operator = "+" | "-" | "*" | "/";

/** A name that may be a function's, a metric's or a named formula's, with what qualifies it. */
export interface NameToken extends TextSpan {
  kind: "name";
  asset: string | null;
  name: string;
  selector: string | null;
  spans: { asset: TextSpan; name: TextSpan; selector: TextSpan };
}

export type FormulaToken =
  | (TextSpan & { kind: "number"; value: number })
  | (TextSpan & { kind: "text"; text: string })
  | NameToken
  | (TextSpan & { kind: "operator"; operator: Operator })
  | (TextSpan & { kind: "comparison"; comparison: Comparison })
  | (TextSpan & { kind: "(" | ")" | "," | "end" });

const OPERATORS: Record<string, Operator> = { "+": "+", "-": "-", "−": "-", "*": "*", "×": "*", "/": "/", "÷": "/" };
const COMPARISONS: Record<string, Comparison> = { "<": "<", "<=": "<=", "≤": "<=", ">": ">", ">=": ">=", "≥": ">=" };

const SPACE = /\s*/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y;
const COMPARISON = /<=|>=|[<>≤≥]/y;
const OPERATOR = /[-+−*×/÷]/y;
const BRACKET = /[(),]/y;
const PATH = /\w+(?:\.\w+)*/y;
const QUOTED = /"[^"]*"|'[^']*'/y;
/** Quotes around what is not an asset. */
const TEXT = /(?:"[^"]*"|'[^']*')(?!\.\w)/y;
const MEMBER = /\.\w+/y;
/** Dollars from–to and from up, ages, own cohorts, lots by age, names. */
const BARE_SELECTOR =
  /(?:@[a-z0-9_-]+|\$[\d.]+[kKmM]?(?:-[\d.]+[kKmM]?|\+)|(?:[a-z]+\.)?(?:<\d+[dwmy]|\d+[dwmy]-\d+[dwmy])|[A-Za-z_]\w*(?:\.\w+)*)(?![\w."'$])/y;

/**
 * The tokens of a text, the last of which is its end.
 *
 * @throws {FormulaError}
 */
export function tokenise(text: string): FormulaToken[] {
  const tokens: FormulaToken[] = [];
  let at = 0;
  for (;;) {
    match(SPACE);
    const token = readToken(at);
    tokens.push(token);
    if (token.kind === "end") return tokens;
  }

  /** What a pattern finds at this position, which moves behind it; undefined, and it stays, where the pattern finds nothing. */
  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }

  /** Tries one kind of token after the other, each only where those before it have found nothing. */
  function readToken(from: number): FormulaToken {
    if (from === text.length) return { kind: "end", from, to: from };
    const number = match(NUMBER);
    if (number !== undefined) {
      const value = Number(number);
      if (!Number.isFinite(value)) throw new FormulaError("This number is too large.", { from, to: at });
      return { kind: "number", value, from, to: at };
    }
    const comparison = match(COMPARISON);
    if (comparison !== undefined) return { kind: "comparison", comparison: COMPARISONS[comparison]!, from, to: at };
    const operator = match(OPERATOR);
    if (operator !== undefined) return { kind: "operator", operator: OPERATORS[operator]!, from, to: at };
    const bracket = match(BRACKET);
    if (bracket !== undefined) return { kind: bracket as "(" | ")" | ",", from, to: at };
    const quoted = match(TEXT);
    if (quoted !== undefined) return { kind: "text", text: unquoted(quoted), from, to: at };
    return readName(from);
  }

  function readName(from: number): NameToken {
    const none = { from, to: from };
    const path = readPath(from);
    if (text[at] !== ":")
      return { kind: "name", ...path, selector: null, from, to: at, spans: { ...path.spans, selector: none } };
    at++;
    const start = at;
    const quoted = match(QUOTED);
    const selector = quoted === undefined ? match(BARE_SELECTOR) : unquoted(quoted);
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
  function readPath(from: number): Pick<NameToken, "asset" | "name"> & { spans: { asset: TextSpan; name: TextSpan } } {
    const quoted = match(QUOTED);
    if (quoted !== undefined) {
      const asset = { from, to: at };
      // TEXT has found no text here, so a metric follows.
      const name = match(MEMBER)!.slice(1);
      return { asset: unquoted(quoted), name, spans: { asset, name: { from: asset.to + 1, to: at } } };
    }
    const path = match(PATH);
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
  if (character === ".") return "A dot stands between an asset and a metric, without spaces.";
  if (character === ":") return "A colon stands between a metric and its selector, without spaces.";
  return `${character} has no meaning in a formula.`;
}

const unquoted = (quoted: string) => quoted.slice(1, -1);

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
