/** That random histories go where they are meant to go. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { METRICS, type Metric, seriesOf } from "../../data-schema/registry/metrics.ts";
import { histories } from "./histories.ts";
import { reference } from "./reference.ts";

it("reach every metric, every cohort of state and sender, and every sample", () => {
  const reached = new Set<string>();
  for (const token of fc.sample(histories(), { numRuns: 200, seed: 1 })) {
    for (const key of reference(token).keys()) reached.add(key);
  }
  const metrics: readonly Metric[] = METRICS;
  const metricNames = new Set([...reached].map((key) => key.split("|")[0]));
  expect([...metricNames].toSorted()).toEqual(metrics.map(({ name }) => name).toSorted());
  const wanted = metrics
    .filter(({ name }) => ["supply", "volume", "num_transfers"].includes(name))
    .flatMap((metric) => seriesOf(metric).map((selector) => `${metric.name}|day|${selector}`));
  expect(wanted.filter((key) => !reached.has(key))).toEqual([]);
}, 120_000);
