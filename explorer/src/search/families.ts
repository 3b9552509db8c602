/** Finds whole families by words. */

import { familyTitle, familyWord } from "../../../data-schema/registry.ts";
import { type Asset, type CatalogMetric, type Context, catalogMetric } from "../api/catalog.ts";
import { divisionsOf, type FamilyLine, familyLine, findDivision } from "../lines/family-line.ts";
import { termsFor } from "./search.ts";
import { rankOf, wordsOf } from "./words.ts";

export interface FoundFamily {
  metric: CatalogMetric;
  title: string;
  line: FamilyLine;
  /** How well it matches: 0 is best. */
  rank: number;
}

/** Words for a family as such. One of these or what divides it must be named: otherwise a metric is meant. */
const FAMILY_WORDS = ["by", "family", "cohorts", "stacked", "distribution"];

/** @returns the families, the best matches first; those of a term, such as HODL waves, before all others, as shares */
export function searchFamilies({ catalog, asset }: Context, words: string): FoundFamily[] {
  const wanted = wordsOf(words);
  const { exact, begun } = termsFor(catalog, wanted);
  const ofTerms = [...exact, ...begun].flatMap(({ family = "" }, place): FoundFamily[] => {
    const [name = "", by = ""] = family.split(":");
    const metric = catalogMetric(catalog, name);
    const division = metric && findDivision(metric, by, asset);
    if (!division) return [];
    const line = familyLine(metric, division, null, "share");
    return [{ metric, line, title: familyTitle(metric.title, division.by), rank: place < exact.length ? -1 : 1 }];
  });
  const once = ofTerms.filter(({ title }, i) => ofTerms.findIndex((other) => other.title === title) === i);
  const isTaken = ({ line: { metric, by } }: FoundFamily) =>
    ofTerms.some(({ line }) => line.metric === metric && line.by === by);
  const found = familiesOf(catalog.metrics, asset)
    .map((family) => ({
      ...family,
      rank: rankOf(wanted, [family.title, `${family.line.metric} ${family.line.by} ${FAMILY_WORDS.join(" ")}`]),
    }))
    .filter(({ rank, line }) => rank < Number.POSITIVE_INFINITY && wanted.some((word) => isFamilyWord(word, line.by)))
    .filter((family) => !isTaken(family));
  return [...once, ...found].sort((a, b) => a.rank - b.rank);
}

/** The families of some metrics, for an asset. */
export const familiesOf = (metrics: readonly CatalogMetric[], asset: Asset | undefined): FoundFamily[] =>
  metrics.flatMap((metric) =>
    divisionsOf(metric, asset).map((division) => ({
      metric,
      title: familyTitle(metric.title, division.by),
      line: familyLine(metric, division, null),
      rank: 0,
    })),
  );

const isFamilyWord = (word: string, by: string) =>
  word.length > 1 && [by, familyWord(by), ...FAMILY_WORDS].some((one) => one.startsWith(word));
