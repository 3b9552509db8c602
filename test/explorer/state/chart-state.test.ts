import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMetric } from "../../../explorer/src/api/catalog.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { MAX_SERIES, MAX_UNITS } from "../../../explorer/src/state/chart-state.ts";
import { catalog, charts } from "../catalog.ts";

const chart = (search: string) => parseAddress(search, catalog, []).chart;

describe("a chart", () => {
  it("has at most six series in at most two units, none twice, at a resolution that exists", () => {
    fc.assert(
      fc.property(charts, ({ series, resolution, asset }) => {
        expect(series.length).toBeLessThanOrEqual(MAX_SERIES);
        const units = new Set(series.map(({ metric }) => findMetric(catalog, metric)!.unit));
        expect(units.size).toBeLessThanOrEqual(MAX_UNITS);
        expect(new Set(series.map((choice) => JSON.stringify(choice))).size).toBe(series.length);
        if (asset === "DUET") expect(resolution).toBe("day");
      }),
    );
  });

  it("falls back to days if no series has hours", () => {
    expect(chart("?y=market_cap&r=hour").resolution).toBe("day");
    expect(chart("?y=market_cap&y=sopr&r=hour").resolution).toBe("hour");
  });
});
