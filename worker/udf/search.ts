/** GET /udf/search: symbols for some words. */

import { type FormulaMeasure, MEASURES } from "../../data-schema/formula.ts";
import { type LotMethod, lotSelectors } from "../../data-schema/registry.ts";
import { descriptionOf, EXCHANGE, symbolOf, TYPE } from "./symbol.ts";

const MOST_FOUND = 100;
const USUAL = 30;
/** No symbol has as many, and each is compared with every metric. */
const MOST_WORDS = 8;

export interface SymbolSearch {
  /** In lower case; none for any symbol. */
  words: readonly string[];
  limit: number;
}

interface Asset {
  symbol: string;
  name: string;
  /** Methods of lots; undefined without. */
  lots?: readonly LotMethod[] | undefined;
}

/** The words of a query: of a symbol, or of titles. Other exchanges and types have no symbols, and are not asked for. */
export function symbolSearch(parameters: URLSearchParams): SymbolSearch {
  const words = (parameters.get("query") ?? "")
    .slice(0, 200)
    .toLowerCase()
    .split(/[\s:,·]+/)
    .filter((word) => word !== "");
  const limit = Number(parameters.get("limit") ?? USUAL);
  return {
    words: words.slice(0, MOST_WORDS),
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, MOST_FOUND) : USUAL,
  };
}

/**
 * The symbols that have all of the words, the best assets first: those that the first word names, then all.
 *
 * @param assets sorted by symbol
 */
export function foundSymbols(assets: readonly Asset[], { words, limit }: SymbolSearch) {
  const found = new Map<string, object>();
  for (const candidate of candidates(assets, words)) {
    if (found.size >= limit) break;
    found.set(candidate.ticker, candidate);
  }
  return [...found.values()];
}

/** The symbols that have all of the words, as `foundSymbols`; some of them twice. */
function* candidates(assets: readonly Asset[], words: readonly string[]) {
  const [first = "", ...rest] = words;
  const named = assets.filter((asset) => first !== "" && names(asset, first));
  yield* symbolsWith(named, rest);
  yield* symbolsWith(assets, words);
}

/** The symbols of some assets whose series have all of the words. */
function* symbolsWith(assets: readonly Asset[], words: readonly string[]) {
  const byLots = new Map<string, ReturnType<typeof seriesFor>>();
  for (const { symbol, name, lots = [] } of assets) {
    const series = byLots.get(lots.join()) ?? seriesFor(words, lots);
    byLots.set(lots.join(), series);
    for (const { measure, selector } of series) {
      const ticker = symbolOf(symbol, measure.name, selector);
      const description = descriptionOf(name, measure.title, selector);
      yield { symbol: ticker, full_name: ticker, ticker, description, exchange: EXCHANGE, type: TYPE };
    }
  }
}

/** Whether a word is how an asset's symbol begins, or a word of its name. */
const names = ({ symbol, name }: Asset, word: string): boolean =>
  symbol.toLowerCase().startsWith(word) || name.toLowerCase().split(/\W+/).includes(word);

/**
 * The series that have all of the words in their names; of each metric the selectors that the words name, else its default.
 * Those of lots are by some methods.
 */
function seriesFor(
  words: readonly string[],
  lots: readonly LotMethod[],
): { measure: FormulaMeasure; selector: string }[] {
  return MEASURES.map((measure) => ({ measure, ...rankOf(measure, words, lots) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .flatMap(({ measure, selectors }) => selectors.map((selector) => ({ measure, selector })));
}

/** How well the words fit a metric: 0 if one of them is neither in its name nor the beginning of one of its selectors. */
function rankOf(
  measure: FormulaMeasure,
  words: readonly string[],
  lots: readonly LotMethod[],
): { rank: number; selectors: readonly string[] } {
  const spoken = `${measure.name} ${measure.name.replaceAll("_", " ")} ${measure.title}`.toLowerCase();
  let rank = 1;
  let selectors: readonly string[] | null = null;
  for (const word of words) {
    if (measure.name === word) rank += 4;
    else if (measure.name.startsWith(word)) rank += 2;
    else if (spoken.includes(word)) rank += 1;
    else {
      // Whole selectors before those that only begin so.
      const all = [...measure.selectors, ...lots.flatMap((method) => lotSelectors(method, measure.lotCohorts))];
      const exact = all.filter((selector) => selector.toLowerCase() === word);
      const begun = all.filter((selector) => selector.toLowerCase().startsWith(word));
      const fitting = exact.length > 0 ? exact : begun;
      if (fitting.length === 0 || selectors !== null) return { rank: 0, selectors: [] };
      selectors = fitting;
    }
  }
  return { rank, selectors: selectors ?? [measure.default] };
}
