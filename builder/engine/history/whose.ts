/**
 * A history is replayed for all addresses, or for those of a list alone: an own cohort. Of a list, every metric that takes
 * address cohorts has one series. The pieces of lots that sends take are counted as sends of all addresses are, by the ages of the
 * lots. Source: docs/methodology.md §10 and §14.
 */

import { lotCohortsOf, type Metric, seriesOf, takesOwnCohorts } from "../../../data-schema/registry.ts";

export type CohortScope = "all" | "listed" | "lots";

/** The selector of the addresses of a list. */
export const OWN_COHORT = "@";

/** The selectors of a metric's series. */
export function selectorsOf(metric: Metric, whose: CohortScope): readonly string[] {
  if (whose === "all") return seriesOf(metric);
  if (whose === "lots") return lotCohortsOf(metric.name);
  return takesOwnCohorts(metric) ? [OWN_COHORT] : [];
}
