/** Path → endpoint. */

import {
  findMetric,
  type Metric,
  type MetricName,
  metricNames,
  type Selector,
  VERSIONS,
  type Version,
} from "../../data-schema/registry.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem } from "../problems/problem.ts";
import { type Parameter, parametersOf } from "./parameters/v1-parameters.ts";

/** A metric as one version offers it. */
export interface Endpoint {
  version: Version;
  metric: Metric & { name: MetricName };
  selector: Selector | null;
  parameters: readonly Parameter[];
}

/** The endpoints that have been requested: they are the same for every request. */
const endpoints = new Map<string, Endpoint>();

/** The path of an endpoint. */
export function seriesPath({ version, metric }: Endpoint): string {
  return `/${version}/metrics/${metric.name}`;
}

/**
 * The version with a name.
 *
 * @throws {Problem} 404 unknown-version
 */
export function knownVersion(name: string): Version {
  const version = VERSIONS.find((candidate) => candidate === name);
  if (version !== undefined) return version;
  throw new Problem("unknown-version", "There is no such version of this API.", {
    allowed: VERSIONS,
    suggestion: nearest(name, VERSIONS),
  });
}

/**
 * The endpoint of `/<version>/metrics/<name>`.
 *
 * @throws {Problem} 404 unknown-version or unknown-metric, with the names that exist and the nearest of them
 */
export function route(version: string, name: string): Endpoint {
  const known = knownVersion(version);
  const made = endpoints.get(`${known}/${name}`);
  if (made !== undefined) return made;
  const metric = findMetric(known, name);
  if (metric !== undefined) {
    const selector = metric.selectors[known] ?? null;
    const endpoint = { version: known, metric, selector, parameters: parametersOf(metric, selector) };
    endpoints.set(`${known}/${name}`, endpoint);
    return endpoint;
  }

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

/** The 404 for a path that the API does not have, with the nearest path that it has. */
export function unknownPath(path: string, others: readonly string[]): Problem {
  const series = VERSIONS.flatMap((version) => metricNames(version).map((name) => `/${version}/metrics/${name}`));
  const known = [...series, ...series.map((path) => `${path}/meta`), ...others];
  const where = path.startsWith("/v3") ? "Series are at /v3/series" : "Metrics are at /v1/metrics/<metric>";
  return new Problem("unknown-path", `${where}; /openapi.json lists all paths.`, {
    suggestion: nearest(path, known),
  });
}
