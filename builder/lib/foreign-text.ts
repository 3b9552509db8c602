/**
 * Texts that others wrote, where they enter: what nodes, contracts and servers say. Before they are shown, `escapes.ts` makes
 * them harmless for the place.
 */

import { MAX_NAME, UNSAFE_CHARACTER } from "../../data-schema/asset.ts";
import { printable } from "./failure.ts";

/** UTF-16 units of a text that are looked at: an answer may have millions. */
export const LONGEST_FOREIGN = 500;

/**
 * The beginning of a text, which is cut before anything else is done with it. One unit more than is looked at tells that
 * there was more.
 */
export const beginningOf = (text: string): string => text.slice(0, LONGEST_FOREIGN + 1);

/** The bytes that make so much of UTF-8: three for a unit, at most. */
export const BEGINNING_BYTES = 3 * (LONGEST_FOREIGN + 1);

/** Characters without a width of their own, such as U+200B, that hide in a word. Those of bidirectional text are unsafe. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}--\p{Bidi_Control}]/gv;
/** The first half of a pair whose second was cut off. */
const HALF = /[\ud800-\udbff]$/;

const UNSAFE = new RegExp(UNSAFE_CHARACTER.source, "gu");

const atMost = (most: number, text: string) => (text.length > most ? text.slice(0, most).replace(HALF, "") : text);
const onOneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** The beginning of a text, without invisible characters: whatever is done with a text is done with this. Empty for what is no text. */
export const excerptOf = (text: unknown): string =>
  typeof text === "string" ? atMost(LONGEST_FOREIGN, text).replace(INVISIBLE, "") : "";

/** A text as a part of a message: one line, in which unsafe characters are written out. */
export const foreignText = (text: unknown): string => printable(onOneLine(excerptOf(text)));

/** A name or symbol as its contract writes it, on one line. Invisible characters stay: what becomes of them is told. */
export const foreignLine = (text: string): string =>
  atMost(MAX_NAME, onOneLine(atMost(LONGEST_FOREIGN, text).replace(UNSAFE, " "))).trim();

/** A name that an asset may have: one line of visible characters. */
export const foreignName = (text: string): string => onOneLine(foreignLine(text).replace(INVISIBLE, ""));
