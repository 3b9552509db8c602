/** How well words match texts. Each word must be the start of a word of a text, so `profit usd` finds dollars of profit. */

export const wordsOf = (text: string): string[] =>
  plain(text)
    .split(/[\s_,.:;()]+/)
    .filter((word) => word !== "");

/** Lower case in British spelling, so that “realized” finds “realised”. */
export const plain = (text: string): string => text.toLowerCase().replaceAll("iz", "is");

/**
 * The sum, over the words, of the places from 1 where they are found. 0 if the words are exactly the first text; infinite
 * if one isn't found.
 *
 * @param places texts in which to look, the most important first
 * @param isElsewhere whether a word that is in none of the texts is found in the place after them
 */
export function rankOf(
  wanted: readonly string[],
  places: readonly string[],
  isElsewhere: (word: string) => boolean = () => false,
): number {
  const texts = places.map((text) => wordsOf(text).flatMap(withParts));
  if (places[0] !== undefined && wordsOf(places[0]).join(" ") === wanted.join(" ")) return 0;
  return wanted.reduce((sum, word) => {
    const place = texts.findIndex((words) => words.some((text) => isBegunBy(text, word)));
    if (place >= 0) return sum + place + 1;
    return isElsewhere(word) ? sum + texts.length + 1 : Number.POSITIVE_INFINITY;
  }, 0);
}

/** A word, and what is behind its hyphens: `z-score` is found by `score`, too. */
const withParts = (word: string): string[] => [word, ...word.split("-").slice(1)];

/** Whether a word, or its singular, is the start of one of a text. */
const isBegunBy = (text: string, word: string): boolean =>
  text.startsWith(word) || (word.length > 3 && word.endsWith("s") && text === word.slice(0, -1));

/** Words of questions that name nothing. */
const FILLERS = new Set(
  "a an and are at chart for graph how i is many metric much of on show the there to was what".split(" "),
);

/** The words of a text that may name something; all of them if none does. */
export function namingWords(text: string): string {
  const words = wordsOf(text);
  const naming = words.filter((word) => !FILLERS.has(word));
  return (naming.length > 0 ? naming : words).join(" ");
}
