/** However a formula is spelled, it is read as the tree that it was printed from, and nothing in it is passed over. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { FormulaError } from "../../../data-schema/formula/formula-error.ts";
import { parse, type Tree } from "../../../data-schema/formula/parse.ts";
import { tokenise } from "../../../data-schema/formula/tokens.ts";
import { print, type Shape } from "./spelled.ts";

function shapeOf(tree: Tree): Shape {
  switch (tree.kind) {
    case "number":
      return { kind: "number", value: tree.value };
    case "text":
      return { kind: "text", text: tree.text };
    case "name": {
      const { asset, name, selector } = tree.token;
      return { kind: "name", asset, name, selector };
    }
    case "negate":
      return { kind: "negate", of: shapeOf(tree.of) };
    case "binary":
      return { kind: "binary", operator: tree.operator, left: shapeOf(tree.left), right: shapeOf(tree.right) };
    case "comparison":
      return { kind: "comparison", comparison: tree.comparison, left: shapeOf(tree.left), right: shapeOf(tree.right) };
    case "call":
      return { kind: "call", name: tree.token.name, of: tree.of.map(shapeOf) };
  }
}

const quotable = fc.stringMatching(/^[\w <>$+().,:é🙂-]{0,8}(?:"|'|)[\w <-]{0,3}$/u);
const bareSelectors = fc.constantFrom("users", "lth", "<1d", "1m-3m", "$0-100", "$10M+", "@team", "@a-b", "gate.io");
const name = fc.record({
  kind: fc.constant("name" as const),
  asset: fc.oneof(
    fc.constant(null),
    fc.constantFrom("ARIA", "1INCH", "USDC.E", "D-2", "A A", "<", "D'2", "123"),
    quotable,
  ),
  name: fc.constantFrom("price", "supply", "sopr", "mvrv"),
  selector: fc.oneof(fc.constant(null), bareSelectors, quotable),
});
const number = fc.record({
  kind: fc.constant("number" as const),
  value: fc.oneof(fc.nat(1000), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
});
const text = fc.record({ kind: fc.constant("text" as const), text: quotable });

const { tree } = fc.letrec<{ tree: Shape; sum: Shape; argument: Shape }>((tie) => ({
  tree: tie("sum"),
  sum: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    name,
    number,
    text,
    fc.record({ kind: fc.constant("negate" as const), of: tie("sum") }),
    fc.record({
      kind: fc.constant("binary" as const),
      operator: fc.constantFrom("+", "-", "*", "/"),
      left: tie("sum"),
      right: tie("sum"),
    }),
    fc.record({
      kind: fc.constant("call" as const),
      name: fc.constantFrom("if", "sma", "index"),
      of: fc.array(tie("argument"), { maxLength: 3 }),
    }),
  ),
  argument: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    tie("sum"),
    fc.record({
      kind: fc.constant("comparison" as const),
      comparison: fc.constantFrom("<", "<=", ">", ">="),
      left: tie("sum"),
      right: tie("sum"),
    }),
  ),
}));

/** A random tree with one of its spellings, short enough to be read. */
const spelled = fc
  .tuple(tree, fc.infiniteStream(fc.nat(1 << 20)))
  .map(([shape, choices]) => {
    const choose = (ways: number) => choices.next().value! % ways;
    return { shape, text: print(shape, choose) };
  })
  .filter(({ text }) => text.length < 900);

it("reads back the tree that it was printed from", () => {
  fc.assert(
    fc.property(spelled, ({ shape, text }) => {
      expect(shapeOf(parse(text))).toEqual(shape);
    }),
    { numRuns: 1000 },
  );
});

/** The characters of a text in no token: blanks, unless something was passed over. */
function passedOver(text: string): string {
  let [at, between] = [0, ""];
  for (const { from, to } of tokenise(text)) {
    between += text.slice(at, from);
    at = to;
  }
  return between;
}

it("passes over nothing but blanks", () => {
  const pieces = fc.constantFrom(
    ...[
      "a",
      "1",
      "20",
      "1.5",
      ".",
      "<",
      "<=",
      ">=",
      "≤",
      "+",
      "*",
      "(",
      ")",
      ",",
      " ",
      "'x'",
      '"y"',
      ":",
      "e",
      "$",
      "@",
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      let between = "";
      try {
        between = passedOver(parts.join(""));
      } catch (error) {
        if (!(error instanceof FormulaError)) throw error;
      }
      expect(between.trim()).toBe("");
    }),
    { numRuns: 1000 },
  );
});

/** Where a character can be inserted: not within quotes, where it would mean itself. */
function* insertions(text: string): Generator<number> {
  let quote = "";
  for (let at = 0; at <= text.length; at++) {
    if (quote === "") yield at;
    const character = text[at]!;
    if (quote === character) quote = "";
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
  }
}

it("names the place of a character that has no meaning", () => {
  fc.assert(
    fc.property(
      spelled,
      fc.nat(),
      fc.constantFrom("#", "^", "é", "!", "%", "~", "\0", "]", "&"),
      ({ text }, n, extra) => {
        const places = [...insertions(text)];
        const at = places[n % places.length]!;
        const marked: boolean[] = [];
        try {
          parse(`${text.slice(0, at)}${extra}${text.slice(at)}`);
        } catch (error) {
          if (!(error instanceof FormulaError)) throw error;
          marked.push(error.span.from <= at && at <= error.span.to);
        }
        expect(marked).toEqual([true]);
      },
    ),
    { numRuns: 1000 },
  );
});

it("reads the same with a blank more between tokens", () => {
  fc.assert(
    fc.property(spelled, fc.nat(), ({ shape, text }, n) => {
      const tokens = tokenise(text);
      const { from } = tokens[n % tokens.length]!;
      expect(shapeOf(parse(`${text.slice(0, from)} ${text.slice(from)}`))).toEqual(shape);
    }),
  );
});

it.each([
  ["if(price*2<supply,1,0)", ["if", "(", "price", "*", "2", "<", "supply", ",", "1", ",", "0", ")", ""]],
  ["if(price+10<20,1,0)", ["if", "(", "price", "+", "10", "<", "20", ",", "1", ",", "0", ")", ""]],
  ["1<=2>=3≤4≥5", ["1", "<=", "2", ">=", "3", "≤", "4", "≥", "5", ""]],
  ["price*2'x'", ["price", "*", "2", "'x'", ""]],
  ['"D-2".price/"D-2".supply', ['"D-2".price', "/", '"D-2".supply', ""]],
  ['index("AA".price,"2020-01-01")', ["index", "(", '"AA".price', ",", '"2020-01-01"', ")", ""]],
  [`'D"2'.price:"a'b"+"c"`, [`'D"2'.price:"a'b"`, "+", '"c"', ""]],
])("%s has the tokens %j", (text, expected) => {
  expect(tokenise(text).map(({ from, to }) => text.slice(from, to))).toEqual(expected);
});
