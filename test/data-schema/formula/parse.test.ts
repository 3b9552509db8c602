import fc from "fast-check";
import { expect, it } from "vitest";
import { FormulaError } from "../../../data-schema/formula/formula-error.ts";
import { parse, type Tree } from "../../../data-schema/formula/parse.ts";
import { ANY_CHARACTER } from "../text/characters.ts";

/** A tree with all its brackets. */
function bracketed(tree: Tree): string {
  switch (tree.kind) {
    case "number":
      return String(tree.value);
    case "text":
      return `"${tree.text}"`;
    case "name":
      return tree.token.name;
    case "negate":
      return `(-${bracketed(tree.of)})`;
    case "binary":
      return `(${bracketed(tree.left)} ${tree.operator} ${bracketed(tree.right)})`;
    case "comparison":
      return `(${bracketed(tree.left)} ${tree.comparison} ${bracketed(tree.right)})`;
    case "call":
      return `${tree.token.name}(${tree.of.map(bracketed).join(", ")})`;
  }
}

it.each([
  ["a + b * c", "(a + (b * c))"],
  ["a - b - c", "((a - b) - c)"],
  ["a / b / c * d", "(((a / b) / c) * d)"],
  ["a ÷ (b × c) − d", "((a / (b * c)) - d)"],
  ["-a * b", "((-a) * b)"],
  ["a * -b", "(a * (-b))"],
  ["a - -b", "(a - (-b))"],
  ["+a", "a"],
  ["- (a + b)", "(-(a + b))"],
  ["sma(a / b, 2 * 15) - lag(c)", "(sma((a / b), (2 * 15)) - lag(c))"],
])("%s is %s", (text, expected) => {
  expect(bracketed(parse(text))).toBe(expected);
});

/** The message, and the text with the place that it marks. */
function complaint(text: string): [message: string, marked: string] {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    const { from, to } = error.span;
    return [error.message, `${text.slice(0, from)}«${text.slice(from, to)}»${text.slice(to)}`];
  }
  throw new Error(`${text} is well-formed.`);
}

it.each([
  ["«»", "Type a formula, such as market_cap / realised_cap."],
  ["a +«»", "A number or a metric is missing after +."],
  ["a / «*» b", "A number or a metric is missing after /."],
  ["«/» a", "A number or a metric is missing before /."],
  ["a «b»", "An operator is missing before b."],
  ["2 «a»", "An operator is missing before a."],
  ["(a «b»)", "An operator is missing before b."],
  ["a * «(»b", "This bracket is never closed."],
  ["sma«(»a, 30", "This bracket is never closed."],
  ["a«)»", "There is no bracket that this one closes."],
  ["a«,» b", "A comma stands between the arguments of a function."],
  ["(«)»", "A number or a metric is missing after (."],
  ["sma(a, «)»", "A number or a metric is missing after ,."],
  ["a «#» b", "# has no meaning in a formula."],
  ["a «🙂»", "🙂 has no meaning in a formula."],
  ["a «^» 2", "^ has no meaning in a formula."],
  ["a «:» b", "A colon stands between a metric and its selector, without spaces."],
  ["ARIA«.» price", "A dot stands between an asset and a metric, without spaces."],
  ["supply«:»", "A selector is missing after the colon. Write one as in supply:users, or in quotes."],
  ["supply«:$10M+1»", "$10M+1 can't be a selector. Write one as in supply:users, or in quotes."],
  ["supply«:<1day» / 2", "<1day can't be a selector. Write one as in supply:users, or in quotes."],
  ['«"»abc', "This quote is never closed."],
  ["a * «1.2.3»", "1.2.3 is not a number."],
  ["a * «1e999»", "This number is too large."],
  [`${"-".repeat(50)}«-»${"-".repeat(9)}a`, "The formula has too many signs in a row."],
  [`${"(".repeat(50)}«(»${"(".repeat(9)}a`, "The formula has too many brackets inside each other."],
  [`${"a".repeat(1000)}«b»`, "A formula has at most 1000 characters."],
])("%s: %s", (marked, message) => {
  expect(complaint(marked.replaceAll(/[«»]/g, ""))).toEqual([message, marked]);
});

it("reads any text, or says where it is wrong", () => {
  const pieces = fc.constantFrom("a", "supply:<1d", "1", "+", "-", "(", ")", ",", "sma", " ", ":", '"', "$", ".", "é");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: ANY_CHARACTER }),
        fc.array(pieces).map((parts) => parts.join("")),
      ),
      (text) => {
        try {
          parse(text);
        } catch (error) {
          if (!(error instanceof FormulaError)) throw error;
          const { from, to } = error.span;
          expect(0 <= from && from <= to && to <= text.length).toBe(true);
          expect(error.message).toMatch(/^[^\n]+[.]$/u);
        }
      },
    ),
  );
});
