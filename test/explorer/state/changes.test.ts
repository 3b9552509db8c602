import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalogMetric } from "../../../explorer/src/api/catalog.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import * as changes from "../../../explorer/src/state/changes.ts";
import { normalise } from "../../../explorer/src/state/chart-state.ts";
import { catalog, charts } from "../catalog.ts";

describe("changes", () => {
  const { chart } = parseAddress("?y=volume:$10M%2B", catalog, []);
  const sopr = catalogMetric(catalog, "sopr")!;

  it("show another metric for the same cohort", () => {
    expect(changes.seriesLine(sopr, "$10M+")).toMatchObject({ metric: "sopr", selector: "$10M+" });
  });

  it("show the default series of a metric that lacks the cohort", () => {
    const transfers = catalogMetric(catalog, "num_transfers")!;
    expect(changes.seriesLine(transfers, "$10M+")).toMatchObject({ metric: "num_transfers", selector: "all" });
  });

  it("add a series exactly if whyNotAdd has no reason against it", () => {
    const choices = catalog.metrics.map((metric) => changes.seriesLine(metric, "users"));
    fc.assert(
      fc.property(charts, fc.constantFrom(...choices), (chart, choice) => {
        const added = normalise(
          changes.setLines(chart, 0, (lines) => [...lines, choice]),
          catalog,
        );
        expect(added.panes[0]!.lines.length - chart.panes[0]!.lines.length).toBe(
          changes.whyNotAdd(chart, 0, choice, catalog) === null ? 1 : 0,
        );
      }),
    );
  });

  it("shorten the range when the resolution becomes blocks", () => {
    const blocks = changes.setResolution(chart, "block");
    expect(blocks).toMatchObject({ resolution: "block", range: { preset: "7d" }, zoom: null });
    const month = parseAddress("?y=volume&range=30d", catalog, []).chart;
    expect(changes.setResolution(month, "hour").range).toEqual({ preset: "30d" });
    expect(changes.setResolution(month, "month").range).not.toEqual({ preset: "30d" });
  });

  it("show all days, and of hours and blocks what is loaded", () => {
    const zoomed = parseAddress("?y=volume&range=30d&z=2025-12-10,2025-12-12", catalog, []).chart;
    expect(changes.showInterval(zoomed, null)).toMatchObject({ range: { preset: "30d" }, zoom: null });
    expect(changes.showInterval(zoomed, "all")).toMatchObject({ range: { preset: "all" }, zoom: null });
    const hours = { ...zoomed, resolution: "hour" as const };
    expect(changes.showInterval(hours, "all")).toMatchObject({ range: { preset: "30d" }, zoom: null });
  });
});
