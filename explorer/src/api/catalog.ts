/** What the API offers: the parts of GET /v3/metrics, /v3/assets and /explorer.json that the page uses. */

import type { FormulaUnit, SeriesRef } from "../../../data-schema/formula.ts";
import {
  type Division,
  haveOwnCohorts,
  isOwnCohort,
  type LotMethod,
  type NamedFormula,
  type NaturalLook,
  RESOLUTION_FACTS,
  type Resolution,
  RESOLUTIONS as STORED,
} from "../../../data-schema/registry.ts";
import type { Freshness } from "../../../data-schema/stored.ts";

export type { Resolution };
/** The longest first. */
export const OFFERED_RESOLUTIONS: readonly Resolution[] = STORED.toSorted(
  (a, b) => RESOLUTION_FACTS[b].least - RESOLUTION_FACTS[a].least,
);
export interface CatalogSelector {
  parameter: string;
  title: string;
  default: string;
  values: string[];
  families: { title: string; values: string[]; division: Division | null }[];
}

export interface CatalogMetric {
  name: string;
  title: string;
  group: string;
  unit: FormulaUnit;
  description: string;
  formula: string;
  kind: "flow" | "state" | "price";
  dense: boolean;
  countsAnew?: true;
  look: NaturalLook;
  resolutions: Resolution[];
  selector: CatalogSelector | null;
  /** Undefined if it is not computed of lots. */
  lots?: CatalogLots;
}

/** Selectors of lots: a method, alone or with a dot and a cohort. */
interface CatalogLots {
  methods: LotMethod[];
  cohorts: string[];
}

export interface Asset {
  symbol: string;
  /** Symbols that it had before: links may still name them. */
  was?: string[];
  name: string;
  /** The name of its chain, such as `base`. */
  chain: string;
  /** Its contract, `0x` and 40 digits. */
  contract?: string;
  /** Events before this time are in, ISO 8601; and how fresh the data should be. */
  asOf: string;
  freshness: Freshness;
  /** First and last published bucket; ISO 8601, UTC, without an offset. */
  ranges: Partial<Record<Resolution, { first: string; last: string }>>;
  /** Lower edges of balance_cohort_1 and up, in whole tokens. */
  balanceEdges?: string[];
  /** Undefined without prices. */
  price?: CatalogPrice | undefined;
  /** When its build was activated, ISO 8601; undefined for builds before 0.3.0. */
  activated?: string;
  /** The id of its build. */
  build?: string;
  /** How many events its calendar has; undefined without. */
  events?: number;
  /** How many addresses are labelled; without a list of exchanges, these have no member. */
  labels?: { exchanges?: { addresses: number } };
  /** Deposit addresses, of which the exchanges with the most are listed; undefined without. */
  deposits?: {
    /** What the table was computed for, ISO 8601; undefined if the operator names them. */
    asOf?: string;
    addresses: number;
    exchanges: { exchange: string; addresses: number }[];
    /** The share of the last 365 days' inflow of all exchanges, 0 to 1. */
    inflowShare?: number;
  };
  /** From when on it is known what was published, ISO 8601; undefined if nothing is. */
  knownSince?: string;
  /** Own cohorts; undefined without. */
  cohorts?: { selector: string }[];
  /** Methods of lots; undefined without. */
  lots?: LotMethod[];
}

/** Unix seconds. */
export interface CatalogPrice {
  first: number;
  last: number;
  /** Stretches of more than seven days in which the last price holds: start and end, ascending. */
  gaps: [from: number, to: number][];
  /** Shorter ones that are not listed. */
  moreGaps?: number;
}

export interface Catalog {
  groups: { name: string; title: string }[];
  /** The symbols used in formulas. */
  signs: { sign: string; meaning: string }[];
  metrics: CatalogMetric[];
  assets: Asset[];
  /** Words that name no metric, in lower case, and what answers them: each `metric` or `metric:selector`; the formula, and the family, `metric:by`. From GET /explorer.json. */
  terms: { names: string[]; note: string; series: string[]; formula?: string; family?: string }[];
  /** From GET /explorer.json. */
  formulas: readonly NamedFormula[];
}

/** A series as a chart shows it. */
export interface LoadableSeries extends SeriesRef {
  resolution: Resolution;
  /** Whether it is shown as it was first published; otherwise, as it is known now. */
  isFirst: boolean;
}

/** What the names in a link or a formula refer to. */
export interface Context {
  catalog: Catalog;
  /** The chart's asset, that of every series that names no other; undefined only in an empty catalog. */
  asset: Asset | undefined;
}

const wordsOf = (formula: string): readonly string[] => formula.match(/\p{L}+/gu) ?? [];

/** Whether a metric's values rest on prices: dollars do, and of ratios and days those that compute with a price. */
export function restsOnPrices({ unit, formula }: Pick<CatalogMetric, "unit" | "formula">): boolean {
  if (unit === "usd" || unit === "usd_per_token") return true;
  return (unit === "ratio" || unit === "days") && wordsOf(formula).some((word) => word === "P" || word === "a");
}

/** The symbols that occur in at least one of the formulas. */
export function signsOf(formulas: readonly string[], { signs }: Catalog): Catalog["signs"] {
  const words = new Set(formulas.flatMap(wordsOf));
  return signs.filter(({ sign }) => words.has(sign));
}

export const catalogMetric = (catalog: Catalog, name: string) => catalog.metrics.find((metric) => metric.name === name);
export const findFormula = (catalog: Catalog, name: string) =>
  catalog.formulas.find((formula) => formula.name === name);
/** Whether a metric has a series of a selector. Of own cohorts, an asset says which there are. */
export const takesSelector = ({ selector, lots }: CatalogMetric, value: string): boolean =>
  lotsBy(lots?.methods, lots).includes(value) ||
  (selector !== null && (selector.values.includes(value) || (isOwnCohort(value) && haveOwnCohorts(selector.values))));

/** Selectors of lots by some methods. */
const lotsBy = (methods: readonly LotMethod[] = [], lots?: CatalogLots): string[] =>
  methods.flatMap((method) => [method, ...(lots?.cohorts ?? []).map((cohort) => `${method}.${cohort}`)]);

/** Whether a selector is one of lots. */
export const namesLots = (value: string): boolean => /^(?:fifo|lifo|hifo)(?:\.|$)/.test(value);

/** The selectors of a metric for an asset, by family: its own cohorts and lots come last. */
export function selectorFamilies(
  { selector, lots }: Pick<CatalogMetric, "selector" | "lots">,
  asset: Asset | undefined,
): { title: string; values: string[] }[] {
  const values = selector?.values ?? [];
  const families = selector?.families ?? [];
  const own = haveOwnCohorts(values) ? (asset?.cohorts ?? []) : [];
  const known = families.map(({ title, values: all }) => ({
    title,
    values: all.filter((one) => values.includes(one)),
  }));
  return [
    ...known,
    ...(own.length === 0 ? [] : [{ title: "Own cohorts", values: own.map(({ selector }) => selector) }]),
    ...(lots ? (asset?.lots ?? []) : []).map((method) => ({
      title: `Lots, ${method.toUpperCase()}`,
      values: lotsBy([method], lots),
    })),
  ];
}

/** The asset of a symbol, or of one that it had before. */
export const findAsset = ({ assets }: Catalog, symbol: string) =>
  assets.find((asset) => asset.symbol === symbol) ?? assets.find(({ was }) => was?.includes(symbol));
