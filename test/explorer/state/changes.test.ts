import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMetric } from "../../../explorer/src/api/catalog.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import * as changes from "../../../explorer/src/state/changes.ts";
import { normalise } from "../../../explorer/src/state/chart-state.ts";
import { catalog, charts } from "../catalog.ts";

describe("changes", () => {
  const { chart } = parseAddress("?y=volume:$10M%2B", catalog, []);
  const sopr = findMetric(catalog, "sopr")!;

  it("show another metric for the same cohort", () => {
    expect(changes.seriesChoice(sopr, "$10M+")).toEqual({ metric: "sopr", selector: "$10M+" });
  });

  it("show the default series of a metric that lacks the cohort", () => {
    const transfers = findMetric(catalog, "num_transfers")!;
    expect(changes.seriesChoice(transfers, "$10M+")).toEqual({ metric: "num_transfers", selector: "all" });
  });

  it("add a series exactly if whyNotAdd has no reason against it", () => {
    const choices = catalog.metrics.map((metric) => changes.seriesChoice(metric, "users"));
    fc.assert(
      fc.property(charts, fc.constantFrom(...choices), (chart, choice) => {
        const added =
          normalise({ ...chart, series: [...chart.series, choice] }, catalog).series.length - chart.series.length;
        expect(added).toBe(changes.whyNotAdd(chart, choice, catalog) === null ? 1 : 0);
      }),
    );
  });

  it("shorten the range when the resolution becomes blocks", () => {
    const blocks = changes.setResolution(chart, "block");
    expect(blocks).toMatchObject({ resolution: "block", range: { preset: "7d" }, zoom: null });
  });
});
