/** What was probably meant by words that find nothing. */

import { nearest } from "../../../data-schema/text/nearest.ts";
import type { Catalog } from "../api/catalog.ts";
import { selectorName } from "../format/names.ts";
import { wordsOf } from "./words.ts";

/** The words that name metrics, formulas, cohorts and terms. */
function vocabulary({ metrics, formulas, terms }: Catalog): Set<string> {
  const texts = [
    ...metrics.flatMap(({ name, title }) => [name.replaceAll("_", " "), title]),
    ...metrics.flatMap(({ selector }) => (selector?.values ?? []).map((value) => selectorName(value, undefined))),
    ...formulas.map(({ title }) => title),
    ...terms.flatMap(({ names }) => names),
  ];
  return new Set(texts.flatMap(wordsOf));
}

/**
 * Words with the nearest known one in place of each that isn't known.
 *
 * @returns null if all are known, or one is near none
 */
export function corrected(words: string, catalog: Catalog): string | null {
  const known = vocabulary(catalog);
  const written = wordsOf(words);
  const meant = written.map((word) => (known.has(word) ? word : nearest(word, known)));
  if (meant.includes(undefined)) return null;
  const text = meant.join(" ");
  return text === written.join(" ") ? null : text;
}

/** A sentence on what is shown instead. */
export const correctionNote = (words: string, meant: string): string =>
  `Nothing matches “${words.trim()}”. This is for “${meant}”.`;

/** A sentence on the nearest answers, of which each has something in common with the words. */
export const nearestNote = (words: string): string => `Nothing matches “${words.trim()}”. These come nearest.`;

/** How alike words and texts are, from 0 to the number of words: each counts by the pairs of letters that it shares with the most alike word. */
export function likeness(wanted: readonly string[], texts: readonly string[]): number {
  const words = texts.flatMap(wordsOf).map(pairsOf);
  return wanted
    .map(pairsOf)
    .reduce((sum, pairs) => sum + Math.max(0, ...words.map((other) => shared(pairs, other))), 0);
}

/** The pairs of neighbouring letters, its ends included. */
const pairsOf = (word: string): Set<string> =>
  new Set(Array.from({ length: word.length + 1 }, (_, i) => ` ${word} `.slice(i, i + 2)));

/** Twice what two sets share, by their sizes: 1 for equal ones. */
const shared = (a: Set<string>, b: Set<string>): number =>
  (2 * [...a].filter((pair) => b.has(pair)).length) / (a.size + b.size);
