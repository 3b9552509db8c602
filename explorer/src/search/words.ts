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
  const texts = places.map(wordsOf);
  if (texts[0]?.join(" ") === wanted.join(" ")) return 0;
  return wanted.reduce((sum, word) => {
    const place = texts.findIndex((words) => words.some((text) => text.startsWith(word)));
    if (place >= 0) return sum + place + 1;
    return isElsewhere(word) ? sum + texts.length + 1 : Number.POSITIVE_INFINITY;
  }, 0);
}
