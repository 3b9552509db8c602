/** That random histories go where they are meant to go. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { METRICS, type Metric, seriesOf } from "../../data-schema/registry/metrics.ts";
import { histories } from "./histories.ts";
import { reference } from "./reference.ts";

it("reach every metric, every cohort of state and sender, and every sample", () => {
  const metrics: readonly Metric[] = METRICS;
  const selected = metrics
    .filter(({ name }) => ["supply", "volume", "num_transfers"].includes(name))
    .flatMap((metric) => seriesOf(metric).map((selector) => `${metric.name}|day|${selector}`));
  const missing = new Set([...metrics.map(({ name }) => name), ...selected]);
  const unknown = new Set<string>();
  for (const token of fc.sample(histories(), { numRuns: 200, seed: 3 })) {
    if (missing.size === 0) break;
    for (const key of reference(token).keys()) {
      const [metric = ""] = key.split("|");
      if (!metrics.some(({ name }) => name === metric)) unknown.add(metric);
      for (const reached of [metric, key]) missing.delete(reached);
    }
  }
  expect([...missing]).toEqual([]);
  expect([...unknown]).toEqual([]);
}, 120_000);
