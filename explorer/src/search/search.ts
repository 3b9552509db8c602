/** Finds metrics by words. */

import { type Catalog, findMetric, type Metric } from "../api/catalog.ts";
import { selectorName } from "../format/names.ts";

export interface Match {
  metric: Metric;
  /** The selector that the words name; null if they name none. */
  selector: string | null;
}

/**
 * Finds metrics for which each word is the start of a word of theirs, so `profit usd` finds dollars of profit.
 * A metric of exactly that name comes first, then matches in name, title, description and selectors.
 *
 * @returns the matches, and a note that explains a term that isn't a metric; empty for other words
 */
export function search(catalog: Catalog, words: string): { matches: Match[]; note: string } {
  const term = catalog.terms.find(({ names }) => names.includes(plain(words).trim()));
  const named = (term?.series ?? []).flatMap((series) => {
    const [name = "", selector = null] = series.split(":");
    const metric = findMetric(catalog, name);
    return metric ? [{ metric, selector }] : [];
  });
  const wanted = wordsOf(words);
  const ranked = catalog.metrics
    .filter((metric) => !named.some((match) => match.metric === metric))
    .map((metric) => ({ metric, ...rankOf(metric, wanted, catalog) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank);
  return {
    matches: [...named, ...ranked.map(({ metric, selector }) => ({ metric, selector }))],
    note: named.length > 0 ? (term?.note ?? "") : "",
  };
}

/** 0 for the exact name; otherwise the sum of the places, from 1, where the words are found; infinite if one isn't. */
function rankOf(
  metric: Metric,
  wanted: readonly string[],
  catalog: Catalog,
): { rank: number; selector: string | null } {
  const { name, title, group, unit, description, selector } = metric;
  if (wordsOf(name).join(" ") === wanted.join(" ")) return { rank: 0, selector: null };
  const groupTitle = catalog.groups.find((other) => other.name === group)?.title ?? "";
  const places = [name, title, `${groupTitle} ${unit} ${description}`].map(wordsOf);
  let rank = 0;
  let named: string | null = null;
  for (const word of wanted) {
    const place = places.findIndex((texts) => texts.some((text) => text.startsWith(word)));
    if (place >= 0) rank += place + 1;
    else {
      const value = selector?.values.find((value) => isNamedBy(value, word));
      if (value === undefined) return { rank: Number.POSITIVE_INFINITY, selector: null };
      rank += places.length + 1;
      named = value;
    }
  }
  return { rank, selector: named };
}

/** Whether a word is the start of the name of a cohort, exchange or sample. */
const isNamedBy = (value: string, word: string) =>
  [value, selectorName(value, undefined)].some((name) => plain(name).startsWith(word));

const wordsOf = (text: string) =>
  plain(text)
    .split(/[\s_,.:;()]+/)
    .filter((word) => word !== "");

/** Lower case in British spelling, so that “realized” finds “realised”. */
const plain = (text: string) => text.toLowerCase().replaceAll("iz", "is");
