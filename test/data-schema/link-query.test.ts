import fc from "fast-check";
import { expect, it } from "vitest";
import { readQuery } from "../../data-schema/link-query.ts";

it.each([
  ["?y==realised_profit+realised_loss", "=realised_profit+realised_loss"],
  ["y==sma(price,7)+2", "=sma(price,7)+2"],
  ["?y==price+(1-price)", "=price+(1-price)"],
  ["?y==supply:$10M+/supply", "=supply:$10M+/supply"],
  ["?y==supply:$10M+", "=supply:$10M+"],
  ["?y==max(price)+sma(a+b,+3)", "=max(price)+sma(a+b,+3)"],
])("keeps the plus sign that was typed in %s", (search, formula) => {
  expect(readQuery(search).get("y")).toBe(formula);
});

it.each([
  // Forms write blanks and plus signs in this way.
  ["?y==a+%2B+b", "=a + b"],
  ["?y==a%20%2B%20b", "=a + b"],
  ["?y==a+-+b", "=a - b"],
  // Nothing was lost: it is no formula in either way.
  ["?y==a%20b", "=a b"],
  ["?y==a+b+", "=a b "],
  // No formula, but the selector of a series, which is read from the blank.
  ["?y=supply:$10M+", "supply:$10M "],
])("reads all else as a form's: %s", (search, text) => {
  expect(readQuery(search).get("y")).toBe(text);
});

it("reads names and values that browsers have written as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string())), (pairs) => {
      const written = String(new URLSearchParams(pairs));
      expect([...readQuery(written)].length).toBe(pairs.length);
      const encoded = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
      expect([...readQuery(`?${encoded}`)]).toEqual([...new URLSearchParams(`?${encoded}`)]);
    }),
  );
});
