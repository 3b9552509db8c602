/** Finds metrics by the words that people use. */

import {
  allLotSelectors,
  isOfLots,
  lotCohortsOf,
  METRIC_GROUPS,
  METRICS,
  type Metric,
  type MetricName,
  SEARCH_TERMS,
  selectorIn,
} from "../../data-schema/registry.ts";

export interface Found {
  metric: Metric & { name: MetricName };
  /** The selector that the words name; null if they name none. */
  selector: string | null;
}

/** What a word is worth by where it is found. */
const NAME = 4;
const SELECTOR = 2;
const DESCRIPTION = 1;

/** Shorter words would be the beginning of many others. */
const LEAST_STEM = 4;

/** Words that say nothing of a metric. */
const IDLE = new Set([
  "a",
  "an",
  "and",
  "at",
  "by",
  "for",
  "from",
  "how",
  "in",
  "is",
  "many",
  "much",
  "of",
  "on",
  "or",
  "the",
  "to",
]);

/** What is said of selectors such as `fifo`. */
const OF_LOTS = "Lots follow single purchases. Which methods an asset has, list_assets tells in lots.";

/**
 * Metrics for some of the words, the best first: the one that they name, those of a term, then those that have most of the
 * words in their name, title, selectors or description.
 *
 * @returns the metrics, and how those of the terms answer them
 */
export function findMetrics(text: string): { found: Found[]; notes: string[] } {
  const wanted = wordsOf(text);
  const words = wanted.filter((word) => !IDLE.has(word));
  const phrase = ` ${wanted.join(" ")} `;
  const spelled = (name: string) => ` ${wordsOf(name).join(" ")} `;
  const said = SEARCH_TERMS.flatMap((term) => term.names.map((name) => ({ term, words: spelled(name) })))
    .filter(({ words }) => phrase.includes(words))
    // Long-term holders are no holders in general.
    .filter(({ words }, _, all) => !all.some((other) => other.words !== words && other.words.includes(words)));
  const terms = SEARCH_TERMS.filter((term) => said.some((one) => one.term === term));
  const ofTerms = terms.flatMap(({ series }) => series).map(found);
  const exact = METRICS.filter(({ name, title }) => spelled(name) === phrase || spelled(title) === phrase);
  // Names beside the terms: the SOPR of long-term holders is that, and not all that long-term holders have.
  const rest = said.reduce((left, { words }) => left.replaceAll(words, "  "), phrase);
  const beside = METRICS.filter(({ name }) => rest.includes(spelled(name)))
    .filter(
      ({ name }, _, all) => !all.some((other) => other.name !== name && spelled(other.name).includes(spelled(name))),
    )
    .sort((a, b) => b.name.length - a.name.length)
    .map(
      (metric) => ofTerms.find((one) => one.metric === metric) ?? { metric, selector: rankOf(metric, words).selector },
    );
  const named = distinct([...exact.map((metric) => ({ metric, selector: null })), ...beside, ...ofTerms]);
  const ranked = METRICS.map((metric) => ({ metric, ...rankOf(metric, words) }))
    .filter(({ rank, metric }) => rank > 0 && !named.some((one) => one.metric === metric))
    // Among equals, the simplest comes first.
    .toSorted((a, b) => b.rank - a.rank || a.metric.name.length - b.metric.name.length);
  const all = [...named, ...ranked.map(({ metric, selector }) => ({ metric, selector }))];
  return {
    found: all,
    notes: [
      ...terms.map(({ note }) => note).filter((note) => note !== ""),
      ...(all.some(({ selector }) => selector !== null && isOfLots(selector)) ? [OF_LOTS] : []),
    ],
  };
}

/** The first of each series. */
const distinct = (all: readonly Found[]): Found[] =>
  all.filter(
    ({ metric, selector }, index) =>
      all.findIndex((other) => other.metric === metric && other.selector === selector) === index,
  );

/** A series that is written as `metric` or `metric:selector`. */
function found(series: string): Found {
  const [name, selector = null] = series.split(":");
  return { metric: METRICS.find((metric) => metric.name === name)!, selector };
}

function rankOf(
  metric: Metric & { name: MetricName },
  words: readonly string[],
): { rank: number; selector: string | null } {
  const { name, title, group, unit, description } = metric;
  const names = wordsOf(`${name} ${title}`);
  const others = wordsOf(`${METRIC_GROUPS[group]} ${unit} ${description}`);
  const selectors = [...(selectorIn(metric)?.values ?? []), ...allLotSelectors(lotCohortsOf(name))];
  let rank = 0;
  let selector: string | null = null;
  for (const word of words) {
    if (names.some((one) => isSame(one, word))) rank += NAME;
    else if (others.some((one) => isSame(one, word))) rank += DESCRIPTION;
    else {
      const named = selectors.find((value) => value.toLowerCase() === word) ?? null;
      if (named !== null) rank += SELECTOR;
      selector ??= named;
    }
  }
  return { rank, selector };
}

/** Whether two words are the same, or one begins with the other: `address` and `addresses`. */
function isSame(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short === long || (short.length >= LEAST_STEM && long.startsWith(short));
}

/** Lower case in British spelling, so that “realized” finds “realised”. */
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll("iz", "is")
    .split(/[\s_,.:;()?!"'–—]+|(?<=[a-z])-(?=[a-z])/)
    .filter((word) => word !== "");
