import { expect, it } from "vitest";
import { sparkline } from "../../../explorer/src/data/sparkline.ts";

it.each([
  [[1, 3, 2], "M0.0 20.0L5.0 0.0L10.0 10.0"],
  [[2, 2], "M0.0 10.0L10.0 10.0"],
  [[null, 1, null, 2, 1], "M2.5 20.0M7.5 0.0L10.0 20.0"],
  [[null, 1], ""],
  [[], ""],
])("draws %j", (closes, expected) => {
  expect(sparkline(closes, 10, 20)).toBe(expected);
});
