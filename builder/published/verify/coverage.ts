/** Whether the coverage that a manifest gives of its labels follows from its days. */

import type { Manifest } from "../../../data-schema/stored/manifest.ts";
import { COVERAGE_METRICS, coverage } from "../../engine/calendar/coverage.ts";
import type { SeriesByMetric } from "./rules/columns.ts";

/** A sentence for each number that does not follow; none if a metric could not be read, which is a problem of its own. */
export function coverageProblems({ labels, resolutions }: Manifest, days: SeriesByMetric): string[] {
  const { last } = resolutions.day;
  if (!labels || last === null || COVERAGE_METRICS.some((metric) => !days.has(metric))) return [];
  return (["exchanges", "contracts"] as const).flatMap((kind) => {
    const listed = labels[kind];
    if (!listed) return [];
    const found = coverage(kind, (metric, selector) => days.get(metric)?.get(selector), last);
    return (["holders", "supplyShare", "volumeShare"] as const)
      .filter((name) => listed[name] !== found[name])
      .map((name) => `The manifest's labels.${kind}.${name} is ${listed[name]}, but by its days it is ${found[name]}.`);
  });
}
