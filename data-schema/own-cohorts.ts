/**
 * Own cohorts: lists of addresses that an asset's operator gives. Each is a selector of v3 wherever a metric takes address
 * cohorts. Source: docs/methodology.md §10.
 */

import * as v from "valibot";
import { TERMS } from "./cohorts.ts";
import { METRICS, type Metric, type MetricName, seriesOf } from "./metrics.ts";

/** The selector of an own cohort: this and its name. */
export const OWN_PREFIX = "@";
export type OwnCohort = `@${string}`;

/** All own cohorts of an asset. */
export const ALL_OWN = "@*";

/** The name of an own cohort, without its prefix. */
export const OWN_NAME_PATTERN = /^[a-z0-9_-]{1,32}$/;

/** An own cohort in a manifest, or an entry of the log. */
export const ownSelector = v.custom<OwnCohort>(
  (text) => typeof text === "string" && isOwnCohort(text) && OWN_NAME_PATTERN.test(text.slice(OWN_PREFIX.length)),
);

/** Own cohorts that an asset may have. */
export const MAX_OWN_COHORTS = 32;

/** Addresses that the list of a cohort may have. */
export const MAX_OWN_ADDRESSES = 1_000_000;

export const isOwnCohort = (selector: string): selector is OwnCohort => selector.startsWith(OWN_PREFIX);

/** Whether a metric takes own cohorts: those that are divided by every cohort of v3 do. */
export const takesOwnCohorts = (metric: Metric): boolean => seriesOf(metric).includes(TERMS[0]);

/** The metrics of an own cohort, in the order in which their series are stored in its objects. */
export const OWN_METRICS: readonly (Metric & { name: MetricName })[] = METRICS.filter(takesOwnCohorts);
