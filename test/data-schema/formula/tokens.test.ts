import { expect, it } from "vitest";
import { assetText, selectorText, tokenise } from "../../../data-schema/formula/tokens.ts";
import { catalog } from "../../explorer/formula/catalog.ts";

const selectors = [...new Set(catalog.metrics.flatMap(({ selector }) => selector?.values ?? []))];

const nameIn = (text: string) => tokenise(text).flatMap((token) => (token.kind === "name" ? token : []));

it.each(selectors)("%s needs no quotes, whatever follows it", (selector) => {
  expect(selectorText(selector)).toBe(selector);
  for (const operator of ["+", "-", "−", "*", "/", " + ", " - ", ")"]) {
    const tokens = tokenise(`supply:${selector}${operator}volume:${selector}`);
    const selectorsRead = tokens.flatMap((token) => (token.kind === "name" ? token.selector : []));
    expect(selectorsRead).toEqual([selector, selector]);
    expect(tokens).toHaveLength(4);
  }
});

it.each([
  ["supply", null, "supply", null],
  ["supply:<1d", null, "supply", "<1d"],
  ["ARIA.supply:total", "ARIA", "supply", "total"],
  ["cex_inflow:gate.io", null, "cex_inflow", "gate.io"],
  ["USDC.E.cex_inflow:gate.io", "USDC.E", "cex_inflow", "gate.io"],
  ["1INCH.price", "1INCH", "price", null],
  ['"LP-3".price', "LP-3", "price", null],
  ["supply:'a \"new\" one'", null, "supply", 'a "new" one'],
  ['supply:"$10M+"', null, "supply", "$10M+"],
  ["sopr:@team", null, "sopr", "@team"],
  ["LP.sopr:@my-list_2", "LP", "sopr", "@my-list_2"],
])("%s is a name", (text, asset, name, selector) => {
  expect(nameIn(text)).toMatchObject([{ asset, name, selector, from: 0, to: text.length }]);
});

it.each(["ARIA", "1INCH", "USDC.E", "LP-3", "123", "1E5"])("a symbol such as %s is read back", (symbol) => {
  expect(nameIn(`2 * ${assetText(symbol)}.price`)).toMatchObject([{ asset: symbol, name: "price" }]);
});

it("reads an own cohort up to what its name can't have, and so a minus only after a blank", () => {
  expect(nameIn("sopr:@a-b/sopr:@c").map(({ selector }) => selector)).toEqual(["@a-b", "@c"]);
  expect(nameIn("sopr:@a - sopr").map(({ selector }) => selector)).toEqual(["@a", null]);
  expect(nameIn("sopr:@a-sopr").map(({ selector }) => selector)).toEqual(["@a-sopr"]);
  expect(selectorText("@a-b_2")).toBe("@a-b_2");
});

it("knows where the parts of a name are", () => {
  const [token] = nameIn("1 + ARIA.supply:$0-100 - 2");
  expect(token).toMatchObject({
    from: 4,
    to: 22,
    spans: { asset: { from: 4, to: 8 }, name: { from: 9, to: 15 }, selector: { from: 16, to: 22 } },
  });
});

it("reads numbers and the signs of print", () => {
  expect(tokenise("1 − .5 × 2e-3 ÷ 4.").map((token) => ("value" in token ? token.value : token.kind))).toEqual([
    1,
    "operator",
    0.5,
    "operator",
    0.002,
    "operator",
    4,
    "end",
  ]);
});
