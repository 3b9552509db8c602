import { expect, test } from "vitest";
import { drawingsOf } from "../../../explorer/src/chart/drawing/drawing.ts";
import { shownMark, shownScale } from "../../../explorer/src/chart/drawing/natural-look.ts";
import { LOADING } from "../../../explorer/src/chart-data.ts";
import { Session } from "../../../explorer/src/session.ts";
import { everyMetric as catalog } from "../catalog.ts";

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

/** The level of the only axis. */
const level = (search: string, ...values: number[]) => drawingsOf(pageOf(search, values))[0]!.axes[0]!.level;

test("the registry says which metrics and formulas have a log scale, unless someone has chosen", () => {
  expect(scale("?y=sopr&y=sopr:users", 0.5, Number.NaN, 2)).toBe("log");
  expect(scale("?y=sopr&price=linear", 0.5, 2)).toBe("log");
  expect(scale("?y=sopr&scale=linear", 0.5, 2)).toBe("linear");
  expect(scale("?y=sopr&y=volume", 0.5, 2)).toBe("linear");
  expect(scale("?y=volume&scale=log", 0.5, 2)).toBe("log");
  expect(scale("?y=sopr:*value", 0.5, 2)).toBe("log");
  expect(scale("?y=market_cap:*value:share", 0.5, 0.5)).toBe("linear");
});

test("values change neither scale nor level: two assets have the same", () => {
  for (const values of [
    [0.1, 0.6],
    [-0.8, 0.6],
  ]) {
    expect(scale("?y==nupl", ...values)).toBe("linear");
    expect(level("?y==nupl", ...values)).toBe(0);
    expect(scale("?y==mvrv", ...values)).toBe("log");
  }
});

test("ratios that compare with nothing have no level, and a formula that is not known is linear", () => {
  for (const search of ["?y=herfindahl", "?y=liveliness", "?y==if(price<1,1,0)", "?y==sopr/2", "?y==velocity"]) {
    expect([search, scale(search, 0.1, 0.5), level(search, 0.1, 0.5)]).toEqual([search, "linear", null]);
  }
  // Zeros of bars are no longer lost on a log scale.
  expect(mark("?y==if(price<1,1,0)&mark=bars")).toBe("bars");
});

test("a formula that is only a name looks like what it names, and so does an average", () => {
  for (const text of [
    "sopr",
    "sopr:lth",
    "mvrv:users",
    "ARIA.mvrv",
    "SMA(sopr, 7)",
    "smooth(sopr, 30)",
    "ema(mvrv, 9)",
  ]) {
    const search = `?y==${encodeURIComponent(text)}`;
    expect([text, scale(search, 0.5, 2), level(search, 0.5, 2)]).toEqual([text, "log", 1]);
  }
  expect(scale("?y==zscore(sopr)", 1, 2)).toBe("linear");
  expect(scale("?y==-sopr", 1, 2)).toBe("linear");
  expect(scale("?y==lag(sopr,7)-1", 1, 2)).toBe("linear");
});

test("lines of one level share it, and others have none", () => {
  expect(level("?y=sopr&y==mvrv", 1, 2)).toBe(1);
  expect(level("?y=sopr&y==mvrv_zscore", 1, 2)).toBe(null);
  expect(level("?y=sopr&index=100", 1, 2)).toBe(null);
});

test("revisions are linear around zero, so that nothing revised is a line and no empty plot", () => {
  expect([scale("?y=sopr&known=revision", 0, 0), level("?y=sopr&known=revision", 0, 0)]).toEqual(["linear", 0]);
  const [drawing] = drawingsOf(pageOf("?y=sopr&known=revision", [0, 0]));
  expect([drawing!.dropped, drawing!.columns]).toEqual([0, [[0, 0]]]);
});

test("one sum of buckets is drawn as bars, unless someone has chosen", () => {
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
  // Neither is a median of transfers, though it is of a bucket.
  expect(mark("?y=median_transfer")).toBe("line");
  expect(mark("?y==mean_transfer")).toBe("line");
  expect(mark("?y==netflow")).toBe("bars");
  expect(mark("?y=coin_days_destroyed")).toBe("bars");
  expect(mark("?y=sopr&mark=bars&scale=linear")).toBe("bars");
});

test("a family of one day is drawn as bars: areas of one point have no width", () => {
  const marks = (...values: number[]) =>
    drawingsOf(pageOf("?y=supply:*age:stack", values))[0]!.lines.map(({ mark, isArea }) => [mark, isArea]);
  expect(new Set(marks(5).map(String))).toEqual(new Set(["bars,false"]));
  expect(new Set(marks(5, 6).map(String))).toEqual(new Set(["line,true"]));
});
