import { describe, expect, it } from "vitest";
import { cellAt, columnAt, fullestAt, heatOf, intensity } from "../../../explorer/src/data/heat.ts";
import { cellText } from "../../../explorer/src/data/heat-text.ts";

const DAY = 86_400;

/** Three days and four buckets, of which the first is of what was free. */
const heat = heatOf(
  "cost_basis",
  {
    buckets: [
      { from: null, to: null },
      { from: 1, to: 2 },
      { from: 2, to: 4 },
      { from: 8, to: 16 },
    ],
    t: [0, DAY, 2 * DAY],
    supply: [
      [9, 100, 0, 0],
      [9, 60, 40, 0],
      [9, 0, 99, 0.5],
    ],
  },
  3 * DAY,
);

describe("a heatmap", () => {
  it("has a row for each bucket with two ends, and a column for each time", () => {
    expect(heat.buckets).toEqual([
      { from: 1, to: 2 },
      { from: 2, to: 4 },
      { from: 8, to: 16 },
    ]);
    expect([...heat.values]).toEqual([100, 60, 0, 0, 40, 99, 0, 0, 0.5]);
    expect([...heat.edges]).toEqual([0, DAY, 2 * DAY, 3 * DAY]);
    expect(heat.most).toBe(100);
  });

  it("needs no room for a row that never has a hundredth of the fullest", () => {
    expect(heat.extent).toEqual({ from: 1, to: 4 });
  });

  it.each([
    [-1, -1],
    [0, 0],
    [DAY - 1, 0],
    [DAY, 1],
    [3 * DAY - 1, 2],
    [3 * DAY, -1],
    [Number.NaN, -1],
  ])("at %d, column %d", (time, column) => expect(columnAt(heat, time)).toBe(column));

  it("tells what a cell holds", () => {
    expect(cellAt(heat, 1, 2)).toEqual({ from: 2, to: 4, tokens: 40 });
    expect(cellAt(heat, 1, 1.99)).toEqual({ from: 1, to: 2, tokens: 60 });
    expect(cellAt(heat, 1, 5), "between two buckets").toBeUndefined();
  });

  it("tells where most is", () => {
    expect(fullestAt(heat, 0)).toEqual({ from: 1, to: 2, tokens: 100 });
    expect(fullestAt(heat, 2)).toEqual({ from: 2, to: 4, tokens: 99 });
    expect(fullestAt(heat, -1)).toBeUndefined();
  });

  it("is empty without times or tokens", () => {
    const empty = heatOf("acquired", { buckets: [{ from: 1, to: 2 }], t: [], supply: [] }, 0);
    expect([empty.most, empty.values.length, columnAt(empty, 0)]).toEqual([0, 0, -1]);
    const free = heatOf("cost_basis", { buckets: [{ from: null, to: null }], t: [0], supply: [[1]] }, DAY);
    expect([free.buckets, fullestAt(free, 0)]).toEqual([[], undefined]);
  });

  it("takes the colour from no cells for the sake of one", () => {
    const t = Array.from({ length: 1000 }, (_, i) => i);
    const supply = t.map((i) => [i === 500 ? 1e9 : 1 + i / 1000]);
    const most = heatOf("cost_basis", { buckets: [{ from: 1, to: 2 }], t, supply }, 1000).most;
    expect(most).toBeLessThan(2);
    expect(intensity(1e9, most, "linear")).toBe(1);
  });

  it("is as dark as what it holds, or as the logarithm of that", () => {
    expect([0, 25, 50, 100].map((tokens) => intensity(tokens, 100, "linear"))).toEqual([0, 0.25, 0.5, 1]);
    const [none, little, more, all] = [0, 0.1, 10, 100].map((tokens) => intensity(tokens, 100, "log"));
    expect([none, all]).toEqual([0, 1]);
    expect(little).toBeCloseTo(0.1, 2);
    expect(more).toBeCloseTo(2 / 3, 2);
  });

  it("is told in words", () => {
    const cell = { from: 1_262_304_000, to: 1_264_982_400, tokens: 12_345_678 };
    expect(cellText({ from: 1.2589, to: 1.3335, tokens: 12_345_678 }, heat, "ARIA")).toBe(
      "12.3M ARIA bought at $1.26–$1.33",
    );
    expect(cellText(cell, { ...heat, distribution: "acquired" }, "ARIA")).toBe("12.3M ARIA bought in Jan 2010");
    expect(cellText(cell, { ...heat, distribution: "first_seen" }, "ARIA")).toBe(
      "12.3M ARIA with holders since Jan 2010",
    );
  });
});
