/** Texts as contracts answer them, and what Soprano can use of them. */

import { SYMBOL_PATTERN } from "../../../data-schema/asset.ts";
import { BEGINNING_BYTES } from "../../lib/foreign-text.ts";

/**
 * A string, or the bytes32 of early tokens; of a long one, the beginning.
 *
 * @param answer hexadecimal, without 0x
 */
export function decodeText(answer: string): string | undefined {
  const bytes = Buffer.from(answer, "hex");
  if (bytes.length === 32) return utf8(bytes.subarray(0, endOfText(bytes)));
  const word = (at: number) =>
    at + 32 <= bytes.length ? BigInt(`0x${bytes.toString("hex", at, at + 32)}`) : undefined;
  const offset = word(0);
  if (offset === undefined || offset > BigInt(bytes.length)) return undefined;
  const length = word(Number(offset));
  const start = Number(offset) + 32;
  if (length === undefined || BigInt(start) + length > BigInt(bytes.length)) return undefined;
  return utf8(bytes.subarray(start, start + Number(length)));
}

const endOfText = (bytes: Buffer) => (bytes.includes(0) ? bytes.indexOf(0) : bytes.length);

const utf8 = (bytes: Buffer) => new TextDecoder().decode(bytes.subarray(0, BEGINNING_BYTES));

/** The symbol that Soprano can use, from what a contract calls itself; undefined if nothing is left of it. */
export function fitSymbol(text: string): string | undefined {
  const symbol = text
    .normalize("NFKD")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9._-]/g, "")
    .replace(/^[._-]+/, "")
    .slice(0, 20);
  return SYMBOL_PATTERN.test(symbol) ? symbol : undefined;
}
