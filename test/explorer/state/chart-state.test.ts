import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_CHART_LINES, MOST_UNITS, PANE_ENDS } from "../../../data-schema/chart-link.ts";
import { findAsset } from "../../../explorer/src/api/catalog.ts";
import { unitsOf } from "../../../explorer/src/lines/lines.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { contextOf, isStackedLine } from "../../../explorer/src/state/chart-state.ts";
import { catalog, charts } from "../catalog.ts";

const chart = (search: string) => parseAddress(search, catalog, []).chart;

describe("a chart", () => {
  it("has one to four panes of at most six series in at most two units, none twice, at a resolution that exists", () => {
    fc.assert(
      fc.property(charts, ({ panes, resolution, asset }) => {
        expect(panes.length).toBeGreaterThan(0);
        expect(panes.length).toBeLessThanOrEqual(PANE_ENDS.length);
        for (const { lines, scale, isIndexed } of panes) {
          expect(lines.length).toBeLessThanOrEqual(MOST_CHART_LINES);
          const context = contextOf({ asset }, catalog);
          const units = new Set(lines.flatMap((line) => [...unitsOf(line, context)]));
          expect(units.size).toBeLessThanOrEqual(MOST_UNITS);
          expect(lines.filter(({ kind }) => kind === "family").length).toBeLessThanOrEqual(1);
          if (lines.some(isStackedLine)) expect({ scale, isIndexed }).toEqual({ scale: null, isIndexed: false });
          expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(lines.length);
          const named = lines.flatMap((line) => (line.kind === "series" ? (line.asset ?? []) : []));
          expect(named.every((symbol) => symbol !== asset && findAsset(catalog, symbol))).toBe(true);
        }
        if (asset === "DUET") expect(resolution).toBe("day");
      }),
    );
  });

  it("falls back to days if no series has hours", () => {
    expect(chart("?y=market_cap&r=hour").resolution).toBe("day");
    expect(chart("?y=market_cap&y=sopr&r=hour").resolution).toBe("hour");
  });
});
