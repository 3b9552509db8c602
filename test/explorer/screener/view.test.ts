import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SORTED_BY } from "../../../explorer/src/screener/screener-rows.ts";
import {
  FIRST_SCREENER_VIEW,
  formatScreenerView,
  parseScreenerView,
  type ScreenerView,
  toggled,
} from "../../../explorer/src/screener/view.ts";

/** Texts as people type them: no blanks around. */
const text = fc.string({ minLength: 1, maxLength: 30 }).map((one) => one.trim() || "x");
const list = fc.uniqueArray(text, { maxLength: 8 });
const view: fc.Arbitrary<ScreenerView> = fc.record({
  order: fc.record({ column: text, by: fc.constantFrom(...SORTED_BY), isDescending: fc.boolean() }),
  change: fc.constantFrom("1d", "7d", "30d"),
  words: fc.oneof(fc.constant(""), text),
  columns: list,
  conditions: list,
  watched: fc.option(fc.uniqueArray(fc.stringMatching(/^[A-Z0-9.-]{1,8}$/), { minLength: 1, maxLength: 9 })),
});

describe("the view of the table of assets", () => {
  it("is a link, and the link is the view", () => {
    fc.assert(
      fc.property(view, (one) => {
        expect(parseScreenerView(formatScreenerView(one))).toEqual(one);
      }),
    );
  });

  it("says nothing but what differs from the first view", () => {
    expect(formatScreenerView(FIRST_SCREENER_VIEW)).toBe("");
    expect(
      formatScreenerView({
        ...FIRST_SCREENER_VIEW,
        order: { column: "z", by: "pct", isDescending: false },
        columns: ["z = a + b"],
        conditions: ["mvrv < 1"],
        watched: ["A", "B"],
      }),
    ).toBe("?sort=z&by=pct&order=asc&x=z%20%3D%20a%20%2B%20b&if=mvrv%20%3C%201&watch=A,B");
  });

  it("is the first one where the link can't be read", () => {
    expect(parseScreenerView("?by=size&order=up&change=9d&x=&if=%20&watch=,&q=")).toEqual(FIRST_SCREENER_VIEW);
  });

  it("has a bound for what others have written", () => {
    const link = Array.from({ length: 50 }, (_, i) => `x=a${i}&if=a${i}%3C1`).join("&");
    expect(parseScreenerView(`?${link}&watch=${Array.from({ length: 999 }, (_, i) => i).join()}`)).toMatchObject({
      columns: { length: 8 },
      conditions: { length: 8 },
      watched: { length: 200 },
    });
  });
});

it("an item is taken off a list, and put on it", () => {
  expect(toggled(["a", "b"], "a")).toEqual(["b"]);
  expect(toggled(["b"], "a")).toEqual(["b", "a"]);
});
