import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormulaError } from "../../../data-schema/formula/formula-error.ts";
import { FUNCTIONS } from "../../../data-schema/formula/functions/functions.ts";
import { readFormula } from "../../../data-schema/formula/resolve.ts";
import { complete } from "../../../explorer/src/formula/complete.ts";
import { namesOf } from "../../../explorer/src/lines/formula-line.ts";
import { context } from "./catalog.ts";

/** The texts of the candidates where `|` is. */
function candidates(text: string): string[] {
  return complete(text.replace("|", ""), text.indexOf("|"), context).candidates.map((candidate) => candidate.text);
}

/** A text after its first candidate has been chosen. */
function completed(text: string): string {
  const cursor = text.indexOf("|");
  const plain = text.replace("|", "");
  const { span, candidates } = complete(plain, cursor, context);
  return plain.slice(0, span.from) + (candidates[0]?.text ?? "?") + plain.slice(span.to);
}

describe("completion", () => {
  it.each([
    ["mark|", "market_cap"],
    ["mvr|", "mvrv"],
    ["1 / realised_c|", "1 / realised_cap"],
    ["sma(mar|, 30)", "sma(market_cap, 30)"],
    ["mar|ket / 2", "market_cap / 2"],
    ["supply-cex_reserve_d|", "supply-cex_reserve_dollar"],
    ["z|", "zscore("],
    ["duet|", "DUET."],
    ["lp|", '"LP-3".'],
    ["DUET.pri|", "DUET.price"],
    ["supply:us|", "supply:users"],
    ["supply:$0|", "supply:$0-100"],
    ["supply:|$0-100 * 2", "supply:total * 2"],
    ["supply:$0|-100 * 2", "supply:$0-100 * 2"],
    ["supply:$1M-|", "supply:$1M-10M"],
    ["supply:<1|", "supply:<1d"],
    ["supply:$10m|", "supply:$10M+"],
    ["supply:total-sup|", "supply:total-supply"],
    ["cex_inflow:gate|", "cex_inflow:gate.io"],
    ["mvrv:us|", "mvrv:users"],
    ["netflow:bina|", "netflow:binance"],
  ])("makes of %s %s", (text, expected) => expect(completed(text)).toBe(expected));

  it.each(["price |", "price 2|", "sma(price, |", "(price)|", "1|", "mvrv:xyz|", "price:|"])(
    "offers nothing in %s",
    (text) => expect(candidates(text)).toEqual([]),
  );

  it("offers everything at the start, and no functions or assets after an asset", () => {
    expect(candidates("|")).toEqual(expect.arrayContaining(["mvrv", "market_cap", "sma(", "DUET."]));
    expect(candidates("DUET.|")).toEqual(expect.arrayContaining(["mvrv", "market_cap"]));
    expect(candidates("DUET.s|")).not.toContain("sma(");
  });

  it("finds words of titles", () => expect(candidates("exchange|")).toContain("cex_inflow"));

  it("of metrics, formulas and selectors can be read", () => {
    const typed = fc.constantFrom(
      "",
      "s",
      "m",
      "price / ",
      "supply:",
      "DUET.n",
      "mvrv:",
      "cex_inflow:",
      "num_transfers:$",
    );
    fc.assert(
      fc.property(typed, fc.nat(), (text, choice) => {
        const { span, candidates } = complete(text, text.length, context);
        const candidate = candidates[choice % candidates.length]!;
        const end = { function: "price, 2)", asset: "price" }[candidate.kind as string] ?? "";
        const result = text.slice(0, span.from) + candidate.text + end;
        const entry = FUNCTIONS.find(({ name }) => candidate.text === `${name}(`);
        // `smooth` takes ratios, some functions no n, and others a number or column before it.
        if (entry && (!entry.counted || entry.others)) return;
        expect(() => readFormula(result, namesOf(context)), result).not.toThrow(FormulaError);
      }),
    );
  });
});
