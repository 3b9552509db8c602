/** Finds metrics by words. */

import {
  type Asset,
  type Catalog,
  type CatalogMetric,
  type CatalogSelector,
  catalogMetric,
  selectorFamilies,
} from "../api/catalog.ts";
import { selectorName } from "../format/names.ts";
import { plain, rankOf, wordsOf } from "./words.ts";

export interface Match {
  metric: CatalogMetric;
  /** The selector that the words name; null if they name none. */
  selector: string | null;
  /** How well it matches: 0 is best. */
  rank: number;
}

type Term = Catalog["terms"][number];

/** Letters from which the start of a term is taken for the term. */
const LEAST_START = 3;

/**
 * Finds metrics. Those that answer a term come first, of a term beside other words those that match these; then a metric of
 * exactly that name, then matches in name, title, description and selectors; then those that answer a term which the words
 * begin.
 *
 * @param asset whose own cohorts are found, too
 * @returns the matches, and a note that explains a term that isn't a metric; empty for other words
 */
export function search(catalog: Catalog, words: string, asset?: Asset): { matches: Match[]; note: string } {
  const wanted = wordsOf(words);
  const { exact, begun } = termsFor(catalog, wanted);
  const found = catalog.metrics
    .map((metric) => ({ metric, ...rankMetric(metric, wanted, catalog, asset) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank);
  const first = answersOf(exact, 0, catalog);
  const within = first.length > 0 ? [] : answersWithin(catalog, wanted, asset);
  const beside = within.flatMap(({ matches }) => matches);
  const last = answersOf(begun, (found.at(-1)?.rank ?? 0) + 1, catalog);
  const matches: Match[] = [];
  for (const more of [first, beside, found, last]) {
    // A term may name several series of a metric. What comes later adds metrics, not more of their series.
    const there = new Set(matches.map(({ metric }) => metric));
    const isSame = (a: Match) => (b: Match) => a.metric === b.metric && a.selector === b.selector;
    for (const match of more) if (!there.has(match.metric) && !matches.some(isSame(match))) matches.push(match);
  }
  // A term explains what it has found alone.
  const [term] =
    first.length > 0 ? exact : beside.length > 0 ? within.map(({ term }) => term) : found.length === 0 ? begun : [];
  return { matches, note: matches.length > 0 ? (term?.note ?? "") : "" };
}

/** The terms that words name, and those that they begin. */
export function termsFor({ terms }: Catalog, wanted: readonly string[]): { exact: Term[]; begun: Term[] } {
  const phrase = wanted.join(" ");
  const withName = (isName: (name: string) => boolean) =>
    terms.filter(({ names }) => names.some((name) => isName(wordsOf(name).join(" "))));
  return {
    exact: withName((name) => name === phrase),
    begun: phrase.length < LEAST_START ? [] : withName((name) => name.startsWith(phrase)),
  };
}

function answersOf(terms: readonly Term[], rank: number, catalog: Catalog): Match[] {
  return terms.flatMap(({ series }) =>
    series.flatMap((text) => {
      const [name = "", selector = null] = text.split(":");
      const metric = catalogMetric(catalog, name);
      return metric ? [{ metric, selector, rank }] : [];
    }),
  );
}

/**
 * Terms among the words, each with its answers that match all other words: of `whale supply`, the supply of whales, and of
 * `binance netflow`, the flows of Binance.
 */
function answersWithin(
  catalog: Catalog,
  wanted: readonly string[],
  asset: Asset | undefined,
): { term: Term; matches: Match[] }[] {
  return catalog.terms.flatMap((term) =>
    term.names.flatMap((name) => {
      const words = wordsOf(name);
      const others = wanted.filter((word) => !words.includes(word));
      if (others.length === 0 || others.length + words.length !== wanted.length) return [];
      const matches = answersOf([term], 0, catalog).flatMap((match): Match[] => {
        const { metric } = match;
        if (rankOf(others, [metric.name, metric.title]) < Number.POSITIVE_INFINITY) return [match];
        const selector = match.selector === null ? valueNamedBy(others, metric.selector, asset) : undefined;
        return selector === undefined ? [] : [{ ...match, selector }];
      });
      return matches.length > 0 ? { term, matches } : [];
    }),
  );
}

/** A word may also name one of the metric's cohorts, exchanges or samples. */
function rankMetric(
  metric: CatalogMetric,
  wanted: readonly string[],
  catalog: Catalog,
  asset: Asset | undefined,
): Omit<Match, "metric"> {
  const { name, title, group, unit, description } = metric;
  const groupTitle = catalog.groups.find((other) => other.name === group)?.title ?? "";
  let selector: string | null = null;
  const rank = rankOf(wanted, [name, title, `${groupTitle} ${unit} ${description}`], (word) => {
    const value = valueNamedBy([word], metric.selector, asset);
    selector = value ?? selector;
    return value !== undefined;
  });
  // Nothing but its name, or that and a cohort.
  const naming = selector === null ? wanted : wanted.filter((word) => !isNamedBy(selector!, word));
  const isName = [name, title].some((text) => wordsOf(text).join(" ") === naming.join(" "));
  return { rank: isName && rank < Number.POSITIVE_INFINITY ? (selector === null ? 0 : 1) : rank, selector };
}

/** The cohort, exchange or sample whose name each of some words begins. */
export const valueNamedBy = (
  words: readonly string[],
  selector: CatalogSelector | null,
  asset: Asset | undefined,
): string | undefined =>
  selector === null
    ? undefined
    : selectorFamilies({ selector }, asset)
        .flatMap(({ values }) => values)
        .concat(selector.values)
        .find((value) => words.every((word) => isNamedBy(value, word)));

const isNamedBy = (value: string, word: string) =>
  [value, value.replace("@", ""), selectorName(value, undefined)].some((name) => plain(name).startsWith(word));
