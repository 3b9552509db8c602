/** Finding metrics by words. */

import { type Catalog, findMetric, type Metric } from "./catalog.ts";
import { selectorName } from "./format.ts";
import { TERMS } from "./terms.ts";

export interface Found {
  metric: Metric;
  /** The one of its series that the words name; null when they name none. */
  selector: string | null;
}

export interface Findings {
  found: Found[];
  /** What to make of a word that is no metric's; empty where there is nothing to say. */
  note: string;
}

/**
 * Metrics in which every word is the start of one of theirs, so `profit usd` finds dollars of profit: the very name
 * first, then those with all words in their name, in their title, in what is said of them, in the names of their series.
 */
export function search(catalog: Catalog, words: string): Findings {
  const term = TERMS.find(({ names }) => names.includes(plain(words).trim()));
  const named = (term?.series ?? []).flatMap(({ metric: name, selector }) => {
    const metric = findMetric(catalog, name);
    return metric ? [{ metric, selector: selector ?? null }] : [];
  });
  const wanted = wordsOf(words);
  const ranked = catalog.metrics
    .filter((metric) => !named.some((found) => found.metric === metric))
    .map((metric) => ({ metric, ...rankOf(metric, wanted, catalog) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank);
  return {
    found: [...named, ...ranked.map(({ metric, selector }) => ({ metric, selector }))],
    note: named.length > 0 ? (term?.note ?? "") : "",
  };
}

/** 0 for the metric's very name; else the sum of the places, from 1, in which the words were found; infinite for none. */
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
    const place = places.findIndex((own) => own.some((other) => other.startsWith(word)));
    if (place >= 0) rank += place + 1;
    else {
      const value = selector?.values.find((value) => names(value, word));
      if (value === undefined) return { rank: Number.POSITIVE_INFINITY, selector: null };
      rank += places.length + 1;
      named = value;
    }
  }
  return { rank, selector: named };
}

/** Whether a word is the start of a cohort's, an exchange's or a sample's name. */
function names(value: string, word: string): boolean {
  return [value, selectorName(value, undefined)].some((name) => plain(name).startsWith(word));
}

const wordsOf = (text: string) =>
  plain(text)
    .split(/[\s_,.:;()]+/)
    .filter((word) => word !== "");

/** Without capitals, and in one spelling: “realized” finds what is realised. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll("iz", "is");
}
