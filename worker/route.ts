/** Path → endpoint. */

import {
  findMetric,
  type Metric,
  type MetricName,
  metricNames,
  type Selector,
  VERSIONS,
} from "../data-schema/metrics.ts";
import { nearest } from "./nearest.ts";
import { Problem } from "./problems.ts";

/** A metric as one version offers it. */
export interface Endpoint {
  metric: Metric & { name: MetricName };
  selector: Selector | null;
}

/**
 * The endpoint of `/<version>/metrics/<name>`.
 *
 * @throws {Problem} 404 unknown-version or unknown-metric, with what there is and the nearest of it
 */
export function route(version: string, name: string): Endpoint {
  const known = VERSIONS.find((candidate) => candidate === version);
  if (known === undefined) {
    throw new Problem("unknown-version", "There is no such version of this API.", {
      allowed: VERSIONS,
      suggestion: nearest(version, VERSIONS),
    });
  }
  const metric = findMetric(known, name);
  if (metric !== undefined) return { metric, selector: metric.selectors[known] ?? null };

  const other = VERSIONS.find((candidate) => findMetric(candidate, name) !== undefined);
  throw new Problem(
    "unknown-metric",
    other ? `${known} has no such metric, but ${other} has.` : `${known} has no such metric.`,
    {
      allowed: metricNames(known),
      suggestion: other ? `/${other}/metrics/${name}` : nearest(name, metricNames(known)),
    },
  );
}

/** The 404 of a path that is not a metric's, with the nearest that is. */
export function unknownPath(path: string): Problem {
  const known = VERSIONS.flatMap((version) => metricNames(version).map((name) => `/${version}/metrics/${name}`));
  return new Problem("unknown-path", "Metrics are at /v1/metrics/<metric> and /v2/metrics/<metric>.", {
    suggestion: nearest(path, known),
  });
}
