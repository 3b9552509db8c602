import { expect, test } from "vitest";
import type { FormulaUnit } from "../../../data-schema/formula.ts";
import { changeCells } from "../../../explorer/src/data/value-changes.ts";

const texts = (values: number[], unit: FormulaUnit, isByPart: boolean) =>
  changeCells(values, { unit }, isByPart).map(({ text }) => text.replaceAll("\u202f", " "));

test("the change between two pins, and that as a part of the first where it is one", () => {
  expect(texts([200, 215], "usd", true)).toEqual(["+$15", "+7.50 %"]);
  expect(texts([0, 215], "usd", true)).toEqual(["+$215", "–"]);
  expect(texts([0.01, 0.13], "ratio", false)).toEqual(["+0.1200", "–"]);
  // Shares change by percentage points.
  expect(texts([0.125, 0.1], "share", false)).toEqual(["−2.50 pp", "–"]);
  expect(texts([1, Number.NaN], "usd", true)).toEqual(["–", "–"]);
});
