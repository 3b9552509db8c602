import { expect, test } from "vitest";
import { shownScale } from "../../../explorer/src/chart/natural-scale.ts";
import { LOADING } from "../../../explorer/src/chart-data.ts";
import { Session } from "../../../explorer/src/session.ts";
import { catalog } from "../catalog.ts";

/** The scale of the first pane of a chart, each of whose traces has these values. */
function scale(search: string, ...values: number[]) {
  const history = { pushState() {}, replaceState() {} };
  const { page } = new Session({ catalog, history, load: async () => LOADING, zone: "UTC" }, search);
  const table = { t: Float64Array.from(values.keys()), columns: page.traces.map(() => Float64Array.from(values)) };
  return shownScale({ ...page, data: { ...LOADING, status: "loaded", table } }, 0);
}

test("ratios are drawn on a log scale, unless they may be negative or someone has chosen", () => {
  expect(scale("?y=sopr&y=sopr:users", 0.5, Number.NaN, 2)).toBe("log");
  expect(scale("?y=sopr&price=linear", 0.5, 2)).toBe("log");
  expect(scale("?y=sopr&scale=linear", 0.5, 2)).toBe("linear");
  expect(scale("?y=sopr", 0.5, -2)).toBe("linear");
  expect(scale("?y=sopr&y=volume", 0.5, 2)).toBe("linear");
  expect(scale("?y=volume&scale=log", 0.5, 2)).toBe("log");
});
