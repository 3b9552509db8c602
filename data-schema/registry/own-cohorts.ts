/**
 * Own cohorts: lists of addresses that an asset's operator gives. Each is a selector of v3 wherever a metric takes address
 * cohorts. Source: docs/methodology.md §10.
 */

import type { BASE_COHORTS, HOLDING_TERMS } from "./cohorts.ts";

/** The selector of an own cohort: this and its name. */
export const OWN_PREFIX = "@";
export type OwnCohort = `@${string}`;

/** All own cohorts of an asset. */
export const ALL_OWN = "@*";

/** The name of an own cohort, without its prefix. */
export const OWN_NAME_PATTERN = /^[a-z0-9_-]{1,32}$/;

/** Own cohorts that an asset may have. */
export const MAX_OWN_COHORTS = 32;

/** Addresses that the list of a cohort may have. */
export const MAX_OWN_ADDRESSES = 1_000_000;

/** Whether a selector is of own cohorts, and not one of the registry's; its name may be invalid. */
export const isOwn = (selector: string): selector is OwnCohort => selector.startsWith(OWN_PREFIX);

/** Whether something is the selector of one own cohort. */
export const isOwnCohort = (selector: unknown): selector is OwnCohort =>
  typeof selector === "string" && isOwn(selector) && OWN_NAME_PATTERN.test(selector.slice(OWN_PREFIX.length));

/** Values, so that pages don't load all cohorts. */
const SHORT_TERM: (typeof HOLDING_TERMS)[0] = "sth";
const CONTRACTS: (typeof BASE_COHORTS)[2] = "sc";

/** Whether a metric with these selectors takes own cohorts: one that is divided by every cohort of v3, or by group, does. */
export const haveOwnCohorts = (selectors: readonly string[]): boolean =>
  selectors.includes(SHORT_TERM) || selectors.includes(CONTRACTS);
