/**
 * Lots: what an address received in one hour at one price, and the methods that say which of them a send uses. Each method that
 * an asset has is a selector of v3, with its divisions. Source: docs/methodology.md §14.
 */

import { AGE_COHORTS, HOLDING_TERMS } from "./cohorts.ts";

/** The methods, in the order in which the kernel numbers them. */
export const LOT_METHODS = ["fifo", "lifo", "hifo"] as const;
export type LotMethod = (typeof LOT_METHODS)[number];

/** Whether something is the name of a method, and so of the objects with its series. */
export const isLotMethod = (name: unknown): name is LotMethod => LOT_METHODS.some((method) => method === name);

/** The cohorts into which the lots of a method are divided: those of ages and terms go by the lot's own age. */
export const LOT_COHORTS = ["total", "users", ...AGE_COHORTS, ...HOLDING_TERMS] as const;
type LotCohort = (typeof LOT_COHORTS)[number];

const [ALL] = LOT_COHORTS;

/** The selector of a cohort of lots: `fifo`, `fifo.users`, `fifo.1y-2y`. */
export type LotSelector = LotMethod | `${LotMethod}.${Exclude<LotCohort, "total">}`;
export const lotSelector = (method: LotMethod, cohort: string): LotSelector =>
  (cohort === ALL ? method : `${method}.${cohort}`) as LotSelector;

/** The end of a selector that stands for all of a method: `fifo.*`. */
const EVERY_LOT = ".*";

/** The method whose selector something is, or is like; undefined if it is like none. */
const methodLike = (selector: string) =>
  LOT_METHODS.find((method) => selector === method || selector.startsWith(`${method}.`));

/** Whether a selector is of lots; what stands behind the method may be wrong. */
export const isOfLots = (selector: string): boolean => methodLike(selector) !== undefined;

/** The method of a selector of lots. */
export const methodOf = (selector: string): LotMethod => methodLike(selector)!;

/** The method of a selector that stands for all of one. */
export const everyLotOf = (selector: string): LotMethod | undefined =>
  LOT_METHODS.find((method) => selector === method + EVERY_LOT);

/** Flows and states that have a series for every cohort of lots. Source: docs/methodology.md §14. */
const DIVIDED: ReadonlySet<string> = new Set([
  "sopr",
  "sopr_profit",
  "sopr_loss",
  "asopr",
  "realised_profit",
  "realised_loss",
  "realised_profit_asset",
  "realised_loss_asset",
  "volume",
  "volume_dollar",
  "moved_coins_realised_price",
  "moved_coins_cost_basis",
  "coin_days_destroyed",
  "dormancy",
  "coin_days_held",
  "mean_age",
  "mean_dollar_age",
  "unrealised_profit",
  "unrealised_loss",
  "supply_profit",
  "supply_loss",
  "supply",
  "market_cap",
  "realised_price",
  "realised_cap",
]);

/** Metrics that have a single series, of all lots. */
const WHOLE: ReadonlySet<string> = new Set(["liveliness"]);

/** The cohorts of lots of which a metric has a series; none if it is not computed of lots. */
export const lotCohortsOf = (metric: string): readonly string[] =>
  DIVIDED.has(metric) ? LOT_COHORTS : WHOLE.has(metric) ? [ALL] : [];

/** The selectors of a method of some cohorts. */
export const lotSelectors = (method: LotMethod, cohorts: readonly string[]): LotSelector[] =>
  cohorts.map((cohort) => lotSelector(method, cohort));

/** All selectors of lots, of some cohorts. */
export const allLotSelectors = (cohorts: readonly string[]): LotSelector[] =>
  LOT_METHODS.flatMap((method) => lotSelectors(method, cohorts));

const SELECTORS: ReadonlySet<string> = new Set(allLotSelectors(LOT_COHORTS));

/** Whether something is the selector of a cohort of lots. */
export const isLotSelector = (selector: unknown): selector is LotSelector =>
  typeof selector === "string" && SELECTORS.has(selector);

/** Whether a metric has a series with a selector of lots. */
export const takesLots = (metric: string, selector: string): boolean =>
  isLotSelector(selector) && allLotSelectors(lotCohortsOf(metric)).includes(selector);

/** What a series is called in the objects of a method, which have those of all metrics: `sopr:fifo.users`. */
export const lotSeries = (metric: string, selector: string): string => `${metric}:${selector}`;
