/** Characters of random texts. */

import fc from "fast-check";

const SURROGATES = { from: 0xd800, count: 0x800 };

function numberOf(character: unknown): number {
  const code = String(character).codePointAt(0) ?? 0;
  if (String.fromCodePoint(code) !== character) throw new Error(`${character} is no character.`);
  return code < SURROGATES.from ? code : code - SURROGATES.count;
}

/** Any but half a surrogate pair: fast-check's own "binary" first lists them all, which takes more than a second. */
export const ANY_CHARACTER = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((number) => String.fromCodePoint(number < SURROGATES.from ? number : number + SURROGATES.count), numberOf);
