import { expect, test } from "vitest";
import { shownMark, shownScale } from "../../../explorer/src/chart/drawing/natural-look.ts";
import { LOADING } from "../../../explorer/src/chart-data.ts";
import { Session } from "../../../explorer/src/session.ts";
import { catalog } from "../catalog.ts";

/** A chart, each of whose traces has these values. */
function pageOf(search: string, values: readonly number[]) {
  const history = { pushState() {}, replaceState() {} };
  const { page } = new Session({ catalog, history, load: async () => LOADING, zone: "UTC" }, search);
  const table = { t: Float64Array.from(values.keys()), columns: page.traces.map(() => Float64Array.from(values)) };
  return { ...page, data: { ...LOADING, status: "loaded" as const, table } };
}

/** The scale of the first pane. */
const scale = (search: string, ...values: number[]) => shownScale(pageOf(search, values), 0);

function mark(search: string) {
  const page = pageOf(search, [1, 2]);
  return shownMark(page, page.chart.panes[0]!.mark, 0, shownScale(page, 0));
}

test("ratios are drawn on a log scale, unless they may be negative or someone has chosen", () => {
  expect(scale("?y=sopr&y=sopr:users", 0.5, Number.NaN, 2)).toBe("log");
  expect(scale("?y=sopr&price=linear", 0.5, 2)).toBe("log");
  expect(scale("?y=sopr&scale=linear", 0.5, 2)).toBe("linear");
  expect(scale("?y=sopr", 0.5, -2)).toBe("linear");
  expect(scale("?y=sopr&y=volume", 0.5, 2)).toBe("linear");
  expect(scale("?y=volume&scale=log", 0.5, 2)).toBe("log");
});

test("one flow is drawn as bars, unless someone has chosen", () => {
  expect(mark("?y=volume")).toBe("bars");
  expect(mark("?y=volume&price=log")).toBe("bars");
  expect(mark("?y==volume:users%20-%20volume")).toBe("bars");
  expect(mark("?y=volume&mark=line")).toBe("line");
  expect(mark("?y=volume&mark=steps")).toBe("steps");
  // Bars would hide each other; and on a log scale there is no zero.
  expect(mark("?y=volume&y=num_transfers")).toBe("line");
  expect(mark("?y=volume&scale=log")).toBe("line");
  expect(mark("?y=volume&scale=log&mark=bars")).toBe("line");
  // Sums and averages over rows are no flows, and neither are ratios.
  expect(mark("?y==cumsum(volume)")).toBe("line");
  expect(mark("?y==sma(volume,7)")).toBe("line");
  expect(mark("?y=volume&smooth=7")).toBe("line");
  expect(mark("?y=sopr")).toBe("line");
  expect(mark("?y=sopr&mark=bars&scale=linear")).toBe("bars");
});
