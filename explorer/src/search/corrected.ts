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
