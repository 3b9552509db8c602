import { describe, expect, it } from "vitest";
import { SCREENER_COLUMNS } from "../../../data-schema/stored/screener.ts";
import {
  type AssetRow,
  type FieldsOf,
  fitting,
  isTrue,
  ownFields,
  type ScreenerOrder,
  sorted,
  standingText,
} from "../../../explorer/src/screener/screener-rows.ts";

const MVRV = SCREENER_COLUMNS.find(({ name }) => name === "mvrv")!;
const fields = (v: number | null, change: number | null = null, pct: number | null = null) => ({
  v,
  "1d": null,
  "7d": change,
  "30d": null,
  pct,
});
const row = (asset: string, mvrv: unknown, more: Partial<AssetRow> = {}): AssetRow => ({
  asset,
  name: `Token ${asset}`,
  t: "2026-01-01T00:00:00",
  closes: [],
  mvrv,
  ...more,
});
const ROWS = [
  row("B", fields(1.5, -0.2, 0.9)),
  row("A", fields(0.8, 0.3, 0.1), { contract: "0x12ab34cd00000000000000000000000000000000" }),
  row("D", undefined),
  row("C", fields(1.1, null, 0.5), { was: ["OLD"] }),
];
const names = (rows: readonly AssetRow[]) => rows.map(({ asset }) => asset).join("");
const order = (by: ScreenerOrder["by"], isDescending: boolean): ScreenerOrder => ({ column: "mvrv", by, isDescending });

describe("rows are sorted", () => {
  it.each([
    ["v", true, "BCAD"],
    ["v", false, "ACBD"],
    ["change", true, "ABDC"],
    ["change", false, "BADC"],
    ["pct", true, "BCAD"],
    ["pct", false, "ACBD"],
  ] as const)("by %s, descending: %s, with what is missing last", (by, isDescending, expected) => {
    expect(names(sorted(ROWS, order(by, isDescending), MVRV, "7d"))).toBe(expected);
  });

  it("by symbol without a column", () => {
    expect(names(sorted(ROWS, order("v", false), null, "7d"))).toBe("ABCD");
    expect(names(sorted(ROWS, order("v", true), null, "7d"))).toBe("DCBA");
  });
});

describe("rows fit", () => {
  const all = { words: "", watched: null, conditions: [] };
  const shown = (filter: Partial<typeof all> | object, of: FieldsOf = ownFields) => {
    const { rows, pending } = fitting(ROWS, { ...all, ...filter }, of);
    return [names(rows), names(pending)];
  };

  it("by symbol, name, former symbol and the beginning of the contract", () => {
    expect(shown({ words: "token c" })).toEqual(["C", ""]);
    expect(shown({ words: "old" })).toEqual(["C", ""]);
    expect(shown({ words: "0x12AB34" })).toEqual(["A", ""]);
    // Three digits are in too many.
    expect(shown({ words: "0x12a" })).toEqual(["", ""]);
    expect(shown({ words: "nothing" })).toEqual(["", ""]);
  });

  it("by watchlist and by all conditions, of which missing values make none true", () => {
    expect(shown({ watched: ["A", "X", "D"] })).toEqual(["AD", ""]);
    const below = { left: MVRV, comparison: "<", right: 1.2 } as const;
    const above = { left: 1, comparison: "<=", right: MVRV } as const;
    expect(shown({ conditions: [below] })).toEqual(["AC", ""]);
    expect(shown({ conditions: [below, above] })).toEqual(["C", ""]);
  });

  it("or not, once that is known", () => {
    const condition = { left: MVRV, comparison: ">", right: 1 } as const;
    const of: FieldsOf = (one, column) => (one.asset === "B" ? undefined : ownFields(one, column));
    expect(shown({ conditions: [condition] }, of)).toEqual(["C", "B"]);
    expect(ROWS.map((one) => isTrue(condition, one, of))).toEqual([undefined, false, false, true]);
  });
});

it("where a value stands is never told as 0 %, nor what was always 0 as a large value", () => {
  const text = (value: number, percentile: number) => standingText(value, percentile).replaceAll("\u202f", " ");
  expect(text(0, 1)).toBe("Never above 0 in the last year");
  expect(text(5, 1)).toBe("At least as high as on all of the last year’s days");
  expect(text(5, 0.876)).toBe("At least as high as on 87 % of the last year’s days");
  expect(text(5, 0.004)).toBe("Lower than on nearly all of the last year’s days");
  expect(text(-5, 0)).toBe("Lower than on all of the last year’s days");
});
