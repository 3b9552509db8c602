import { expect, it } from "vitest";
import { FLOW_FAMILIES } from "../../builder/engine/flow-sums.ts";
import { FLOW_FORMULAS, FLOW_METRIC_NAMES, MEDIANS, STATE_FORMULAS } from "../../builder/engine/formulas.ts";
import { COST_PERCENTILES, percentileMetric } from "../../data-schema/registry/distributions.ts";
import { METRICS, metricByName, seriesOf } from "../../data-schema/registry/metrics.ts";

it("every metric of the registry has its formula, and every formula its entry", () => {
  const names = (kind: "flow" | "state") => METRICS.filter((metric) => metric.kind === kind).map(({ name }) => name);
  expect(Object.keys({ ...FLOW_FORMULAS, ...MEDIANS }).sort()).toEqual(names("flow").sort());
  const percentiles = COST_PERCENTILES.map(percentileMetric);
  expect([...Object.keys(STATE_FORMULAS), ...percentiles].sort()).toEqual(names("state").sort());
});

it.each(FLOW_METRIC_NAMES)("the sums that %s reads have a row for each of its series", (name) => {
  expect(FLOW_FAMILIES[FLOW_FORMULAS[name][0]]).toEqual(expect.arrayContaining([...seriesOf(metricByName(name))]));
});
