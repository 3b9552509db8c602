/** How families of selector values divide a metric. Source: docs/methodology.md §4 to §6. */

import type { Family } from "./cohorts.ts";
import { KIND_NAMES, kindCohort } from "./contract-kinds.ts";
import { COST_PERCENTILES, percentileMetric } from "./distributions.ts";
import type { LotMethod } from "./lots.ts";
import type { Metric, Selector } from "./metrics.ts";
import { haveOwnCohorts } from "./own-cohorts.ts";

/** How a family divides one metric. */
export interface Division {
  by: string;
  ordered: boolean;
  /** Whether the metric's values for the parts add up to its value for all of them together. */
  adds: boolean;
  /** The family's values that are parts. */
  parts: readonly string[];
  /** What the whole consists of beside them. */
  beside: readonly string[];
  /** The whole of the parts and those beside them; null where the metric has no such series. */
  whole: string | null;
}

/** How the metric's values of a family divide the largest whole that the metric has; null if they divide none. */
export function divisionOf({ shape }: Metric, selector: Selector, { values, division }: Family): Division | null {
  if (!division) return null;
  const { by, of, isOrdered } = division;
  const has = (value: string) => selector.values.includes(value);
  const parts = values.filter((value) => value !== of && has(value));
  // What they divide may itself be a part: value ranges are parts of users, and users of the total.
  const outer = selector.families.find((one) => one.division && one.division.of !== of && one.values.includes(of));
  const whole = [outer?.division?.of, of].find((value) => value !== undefined && has(value)) ?? null;
  const isOuter = outer !== undefined && whole === outer.division?.of;
  const beside = isOuter ? outer.values.filter((value) => value !== of && value !== whole && has(value)) : [];
  return { by, ordered: isOrdered, adds: shape === "sum" && !selector.overlaps, parts, beside, whole };
}

/** The family of the kinds of contracts, whose cohorts an asset may have. */
export const KIND_FAMILY = "kind";

/** What else there is beside the kinds. */
const GROUPS = ["users", "sc", "cex"];

/**
 * Where the supply is: the kinds of contracts that an asset has cohorts of, beside users, contracts and exchanges. An address
 * of a kind is one of these groups, too, so they don't add up: they are lines.
 *
 * @param values the metric's selectors
 * @param own the asset's own cohorts
 * @returns null for a metric that takes no own cohorts
 */
export function kindDivision(values: readonly string[], own: readonly string[]): Division | null {
  if (!haveOwnCohorts(values)) return null;
  const parts = KIND_NAMES.map(kindCohort).filter((cohort) => own.includes(cohort));
  const beside = GROUPS.filter((group) => values.includes(group));
  return {
    by: KIND_FAMILY,
    ordered: false,
    adds: false,
    parts,
    beside,
    whole: values.includes("total") ? "total" : null,
  };
}

/** The family of an asset's own cohorts. */
export const OWN_FAMILY = "own";

/**
 * The own cohorts of an asset beside all addresses. An address may be in several, so they don't add up: they are lines.
 *
 * @param values the metric's selectors
 * @param own the asset's own cohorts
 * @returns null for a metric that takes none
 */
export const ownDivision = (values: readonly string[], own: readonly string[]): Division | null =>
  haveOwnCohorts(values)
    ? {
        by: OWN_FAMILY,
        ordered: false,
        adds: false,
        parts: own,
        beside: [],
        whole: values.includes("total") ? "total" : null,
      }
    : null;

/** The families that divide lots as they divide addresses. */
const LOT_FAMILIES: readonly string[] = ["age", "term"];

/** A family of users as a method of lots has it: by the age of coins, and not of their owners. Null for one that lots don't have. */
export const lotDivision = ({ by, ...division }: Division, method: LotMethod): Division | null =>
  LOT_FAMILIES.includes(by)
    ? {
        ...division,
        by: `${by}_${method}`,
        parts: division.parts.map((part) => `${method}.${part}`),
        beside: [],
        whole: `${method}.users`,
      }
    : null;

/** The family of the percentiles of the cost basis. Its parts are metrics. */
export const PERCENTILE_FAMILY = "percentile";

/** The percentiles, as the family of the median; null for any other metric. */
export const percentileDivision = (metric: string): Division | null =>
  metric === percentileMetric("50")
    ? {
        by: PERCENTILE_FAMILY,
        ordered: true,
        adds: false,
        parts: COST_PERCENTILES.map(percentileMetric),
        beside: [],
        whole: null,
      }
    : null;

/** What people call a family: holders by value are those by wealth. */
export function familyWord(by: string): string {
  const [, family, method] = /^(\w+)_(\w+)$/.exec(by) ?? [];
  if (method !== undefined) return `${family} of lots, ${method.toUpperCase()}`;
  return by === "value" ? "wealth" : by === OWN_FAMILY ? "own cohort" : by;
}

/** The name of a family's picture: `Supply by age`. @param title of the metric */
export const familyTitle = (title: string, by: string): string =>
  by === PERCENTILE_FAMILY ? "Cost basis bands" : `${title} by ${familyWord(by)}`;
