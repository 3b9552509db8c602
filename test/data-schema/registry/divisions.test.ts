import { describe, expect, it } from "vitest";
import { divisionOf } from "../../../data-schema/registry/divisions.ts";
import { type MetricName, metricByName, selectorIn } from "../../../data-schema/registry/metrics.ts";

function division(name: MetricName, by: string) {
  const metric = metricByName(name);
  const selector = selectorIn(metric)!;
  return divisionOf(metric, selector, selector.families.find((family) => family.division?.by === by)!);
}

describe("a division", () => {
  it("of the holders' metrics has exchanges and contracts beside the cohorts of users", () => {
    const ages = division("supply", "age")!;
    expect(ages).toMatchObject({ ordered: true, adds: true, beside: ["sc", "cex"], whole: "total" });
    expect(ages.parts).toHaveLength(11);
    expect(division("num_addresses", "group")).toMatchObject({ parts: ["users", "sc", "cex"], beside: [] });
  });

  it("of a flow has nothing beside them, because there is no such series", () => {
    expect(division("volume", "value")).toMatchObject({ adds: true, beside: [], whole: "total" });
    expect(division("volume", "group")).toMatchObject({ parts: ["users"], beside: [], whole: "total" });
  });

  it("has no whole where only the cohorts are published", () => {
    expect(division("inflow_cohort", "balance")).toMatchObject({ adds: true, beside: [], whole: null });
  });

  it("does not add up for ratios, and not for flows of exchanges, which overlap", () => {
    expect(division("sopr", "age")).toMatchObject({ adds: false, whole: "total" });
    expect(division("realised_price", "group")).toMatchObject({ adds: false });
    expect(division("cex_inflow", "exchange")).toMatchObject({ adds: false, ordered: false, whole: "all" });
    expect(division("cex_reserve", "exchange")).toMatchObject({ adds: true, ordered: false, whole: "all" });
    expect(division("num_transfers", "size")).toMatchObject({ adds: true, ordered: true, whole: "all" });
  });

  it("is none of values that are not parts", () => {
    const metric = metricByName("num_transfers");
    expect(divisionOf(metric, selectorIn(metric)!, { title: "Together", values: ["all"] })).toBeNull();
  });
});
