/** Long texts that take a careless reader quadratic time or more, and whether one does. */

/** What is repeated, to any length. */
const REPEATED = [
  ...[" ", "\t", "0", "a", "_", "-", ".", ",", ";", ":", "=", "/", "(", "%", "@", "$"],
  ...['"', "'", "\"'", '"a",', 'W/"', "a.", "a-", "a b ", "a=", "../", "%41", "q=1,", "xn--a.", ".localhost", "1e"],
];

/** What follows the repetition: nothing, or what makes a pattern that has come so far give up. */
const ENDS = ["", "!", "x"];

export interface Pattern {
  repeated: string;
  end: string;
}

export const PATTERNS: readonly Pattern[] = REPEATED.flatMap((repeated) => ENDS.map((end) => ({ repeated, end })));

/** The text of a pattern, of so many characters. */
export function longText({ repeated, end }: Pattern, length: number): string {
  return repeated.repeat(Math.ceil(length / repeated.length)).slice(0, length - end.length) + end;
}

/** The longer text is so many times as long as the other one. */
const TIMES = 10;
/** It may take so many times as long. A quadratic reader takes a hundred times. */
const MOST_TIMES = 20;
/** What starts, compiles or collects garbage may take so long by chance, in milliseconds. */
const CHANCE_MS = 100;
/** The least of so many attempts counts: other programs only add to it. */
const ATTEMPTS = 5;

/**
 * What is wrong with the time that a text takes; undefined if ten times its length takes at most twenty times as long.
 *
 * @param length of the longer text
 * @param timeOf milliseconds that a text of a length takes
 */
export async function tooSlow(
  length: number,
  timeOf: (length: number) => number | Promise<number>,
): Promise<string | undefined> {
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    long = Math.min(long, await timeOf(length));
    if (long <= CHANCE_MS) return undefined;
    short = Math.min(short, await timeOf(length / TIMES));
    if (long <= MOST_TIMES * short) return undefined;
  }
  return `${length} characters take ${Math.round(long)} ms, ${length / TIMES} take ${Math.round(short)} ms`;
}
