import { describe, expect, test } from "vitest";
import { gapNote, priceGaps } from "../../../explorer/src/chart/drawing/price-gaps.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { tracesOf } from "../../../explorer/src/state/traces.ts";
import { catalog } from "../catalog.ts";

const DAY = 86_400;
const from = Date.UTC(2024, 2, 1) / 1000;
const to = from + 20 * DAY;
const [aria] = catalog.assets;
const asset = { ...aria!, price: { first: 0, last: to, gaps: [[from, to]] as [number, number][] } };

/** The gaps of a chart of a series, with points from one time to another. */
function gaps(y: string, first: number, last: number) {
  const { chart } = parseAddress(`?y=${encodeURIComponent(y)}`, catalog, []);
  const table = { t: Float64Array.of(first, last), columns: [Float64Array.of(1, 2)] };
  const data = { status: "loaded" as const, table, gaps: [], problems: [null], heats: [], isTruncated: false };
  return priceGaps({ asset, data }, tracesOf(chart, catalog));
}

describe("the stretches without a price", () => {
  test("are those within the chart's time", () => {
    expect(gaps("sopr:total", from - DAY, to)).toEqual([{ from, to }]);
    expect(gaps("sopr:total", from + DAY, from + 2 * DAY)).toEqual([{ from, to }]);
    expect(gaps("sopr:total", to, to + DAY)).toEqual([]);
    expect(gaps("sopr:total", from - 2 * DAY, from - DAY)).toEqual([]);
  });

  test("don't matter to amounts of tokens and counts, unless they are told apart by dollars", () => {
    expect(gaps("volume:total", from, to)).toEqual([]);
    expect(gaps("num_transfers:all", from, to)).toEqual([]);
    expect(gaps("volume:$0-100", from, to)).toHaveLength(1);
    expect(gaps("num_transfers:$20m+", from, to)).toHaveLength(1);
    expect(gaps("market_cap:total", from, to)).toHaveLength(1);
  });

  test("are told below the chart", () => {
    expect(gapNote([{ from, to }])).toBe(
      "Shaded: there is no price from 1 Mar 2024 to 21 Mar 2024. The last one before holds.",
    );
    expect(gapNote([{ from, to }], 2)).toContain("21 Mar 2024, and 2 shorter stretches. The last");
  });
});
