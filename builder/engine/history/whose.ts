/**
 * A history is replayed for all addresses, or for those of a list alone: an own cohort. Of a list, every metric that takes
 * address cohorts has one series. Source: docs/methodology.md §10.
 */

import { type Metric, seriesOf, takesOwnCohorts } from "../../../data-schema/registry.ts";

export type CohortScope = "all" | "listed";

/** The selector of the addresses of a list. */
export const OWN_COHORT = "@";

/** The selectors of a metric's series. */
export function selectorsOf(metric: Metric, whose: CohortScope): readonly string[] {
  if (whose === "all") return seriesOf(metric);
  return takesOwnCohorts(metric) ? [OWN_COHORT] : [];
}
