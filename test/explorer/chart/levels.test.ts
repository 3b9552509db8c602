import { expect, it } from "vitest";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import { drawingsOf } from "../../../explorer/src/chart/drawing/drawing.ts";
import { type DrawnLevel, levelText, shownLevels, withLevels } from "../../../explorer/src/chart/drawing/levels.ts";
import type { ChartData } from "../../../explorer/src/chart-data.ts";
import { NO_HISTORY, type Page, Session } from "../../../explorer/src/session.ts";
import { everyMetric as catalog } from "../catalog.ts";

const DAY = 86_400;

/** A page whose curves have the same values, on the days from 2025 on. */
async function opened(search: string, values: readonly number[], levels: ChartData["levels"] = []): Promise<Page> {
  const t = Float64Array.from(values, (_, day) => Date.parse("2025-01-01") / 1000 + day * DAY);
  const load = async (): Promise<ChartData> => {
    const columns = session.page.traces.map(() => Float64Array.from(values));
    const problems = columns.map(() => null);
    return { status: "loaded", table: { t, columns }, gaps: [], problems, heats: [], levels, isTruncated: false };
  };
  const session = new Session({ catalog, history: NO_HISTORY, load, zone: "UTC" }, search);
  await session.load();
  return session.page;
}
const texts = (page: Page, pane = 0) => shownLevels(page, pane).map(levelText);

it("indicators come with theirs, unless others are wanted, or several would disagree", async () => {
  const rsi = ["Oversold (below 30)", "Overbought (above 70)"];
  expect(texts(await opened("?y==rsi", [50]))).toEqual(rsi);
  expect(texts(await opened("?y==sma(rsi, 7)&y==DUET.rsi", [50]))).toEqual(rsi);
  expect(texts(await opened("?y==rsi&y==mvrv_zscore", [50]))).toEqual([]);
  expect(texts(await opened("?y==rsi&index=100", [50]))).toEqual([]);
  expect(texts(await opened("?y==rsi&level=none", [50]))).toEqual([]);
  expect(texts(await opened("?y==rsi&level=50~red~Middle&zone=1e9~&zone=sma(price, 7)~2", [50]))).toEqual([
    "Middle (at 50)",
    "Above 1B",
    "sma(price, 7) to 2",
  ]);
  expect(texts(await opened("?y=sopr", [1]))).toEqual([]);
});

it("values are numbers, or what was computed for each row", async () => {
  const column = Float64Array.of(1, 2, 3);
  const levels = [new Map([["sma(price, 7)", column]])];
  const page = await opened(
    "?y=price&level=1.5~red~A&zone=sma(price,7)~~blue&zone=sma(price, 7)~9~blue~B",
    [1, 2, 3],
    levels,
  );
  const drawn = drawingsOf(page)[0]!.levels;
  // The text of a level is what its values are found by.
  expect(drawn).toEqual([
    { axis: "usd_per_token", from: 1.5, to: undefined, color: "--bad", name: "A", isOwn: true },
    { axis: "usd_per_token", from: column, to: 9, color: "--series-1", name: "B", isOwn: true },
  ]);
});

it("an axis shows own levels always, and an indicator's while its values keep half the height", () => {
  const at = (value: DrawnLevel["from"], isOwn: boolean): DrawnLevel => ({
    axis: "ratio",
    from: value,
    to: undefined,
    color: "",
    name: "",
    isOwn,
  });
  const rows = { from: 0, to: 3 };
  const range = (levels: DrawnLevel[], scale: "linear" | "log" = "linear") => withLevels([1, 2], levels, rows, scale);
  expect(range([at(3, false)])).toEqual([1, 3]);
  expect(range([at(3.1, false)])).toEqual([1, 2]);
  expect(range([at(1000, true), at(-5, true)])).toEqual([-5, 1000]);
  expect(range([at(4, false)], "log")).toEqual([1, 4]);
  expect(range([at(4.1, false), at(0, true), at(-1, true)], "log")).toEqual([1, 2]);
  expect(range([at(Float64Array.of(0.5, Number.NaN, 7, 99), true)])).toEqual([0.5, 7]);
  expect(range([at(null, true)])).toEqual([1, 2]);
});

it("an alert is a line across the axis of its own line, with a point at each firing", async () => {
  const [, drawing] = drawingsOf(await opened("?y=sopr&y2=volume&alert=volume:total > 2~2", [3, 3, 1, 3, 3, 3]));
  const t = (day: number) => Date.parse("2025-01-01") / 1000 + day * DAY;
  expect(drawing!.firings).toEqual({
    axis: "token",
    points: [
      [t(1), 3],
      [t(4), 3],
    ],
  });
  expect(drawing!.levels).toMatchObject([{ axis: "token", from: 2, name: "Alert: > 2" }]);
  const [smoothed] = drawingsOf(await opened("?y=volume&smooth=7&alert=volume:total > 2", [3, 3, 1]));
  expect(smoothed).toMatchObject({ firings: null, levels: [] });
});

it("both vintages are two curves of one colour, the first published dashed", async () => {
  const page = await opened("?y=sopr&known=both&y2=supply:*age&known2=both", [1, 2]);
  expect(page.traces.filter(({ pane }) => pane === 0)).toMatchObject([
    { name: "SOPR, Total", isFirst: false, color: "--series-1" },
    { name: "SOPR, Total, first published", isFirst: true, color: "--series-1" },
  ]);
  expect(drawingsOf(page)[0]!.lines.map(({ isDashed }) => isDashed)).toEqual([false, true]);
  // Areas of two vintages would add up to twice the whole.
  expect(page.chart.panes[1]!.known).toBe("first");
});

it("the table of indicators names values in order, each with a name", () => {
  for (const { name, look } of NAMED_FORMULAS) {
    for (const { from, to, name: title } of look.levels ?? []) {
      expect(title, name).not.toBe("");
      const ends = [from, to ?? ""].filter((end) => end !== "").map(Number);
      expect(ends.length, name).toBeGreaterThan(0);
      expect(ends, name).toEqual(ends.toSorted((a, b) => a - b));
    }
  }
});
