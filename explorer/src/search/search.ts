/** Finds metrics by words. */

import { isLotSelector, lotName } from "../../../data-schema/registry.ts";
import { type Asset, type Catalog, type CatalogMetric, catalogMetric, selectorFamilies } from "../api/catalog.ts";
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
 * @param asset whose own cohorts and lots are found, too
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
        const selector = match.selector === null ? valueNamedBy(others, metric, asset) : undefined;
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
  const naming: string[] = [];
  const rank = rankOf(wanted, [name, title, `${groupTitle} ${unit} ${description}`], (word) => {
    const isNamed = valueNamedBy([word], metric, asset) !== undefined;
    if (isNamed) naming.push(word);
    return isNamed;
  });
  // Several words may name one together, such as a part of the lots by a method; else the last one counts.
  const selector =
    naming.length === 0
      ? null
      : (valueNamedBy(naming, metric, asset) ?? valueNamedBy(naming.slice(-1), metric, asset) ?? null);
  // Nothing but its name, or that and a cohort.
  const others = selector === null ? wanted : wanted.filter((word) => !isNamedBy(selector, word));
  const isName = [name, title].some((text) => wordsOf(text).join(" ") === others.join(" "));
  return { rank: isName && rank < Number.POSITIVE_INFINITY ? (selector === null ? 0 : 1) : rank, selector };
}

/** The cohort, exchange or sample, or the lots, whose name each of some words begins. */
export const valueNamedBy = (
  words: readonly string[],
  metric: Pick<CatalogMetric, "selector" | "lots">,
  asset: Asset | undefined,
): string | undefined =>
  selectorFamilies(metric, asset)
    .flatMap(({ values }) => values)
    .concat(metric.selector?.values ?? [])
    .find((value) => words.every((word) => isNamedBy(value, word)));

const isNamedBy = (value: string, word: string) => namesOf(value).some((name) => name.startsWith(word));

/** By value: each key press compares hundreds of them, for each metric. */
const names = new Map<string, readonly string[]>();

/** What a value is called; of lots, the method and the cohort by themselves, too. */
function namesOf(value: string): readonly string[] {
  const known = names.get(value);
  if (known !== undefined) return known;
  const parts = isLotSelector(value) ? [...value.split("."), ...lotName(value)!.split(", ")] : [];
  const all = [value, value.replace("@", ""), selectorName(value, undefined), ...parts].map(plain);
  names.set(value, all);
  return all;
}
