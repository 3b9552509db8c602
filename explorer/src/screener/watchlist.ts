/** The starred assets, which the browser keeps. Another tab may have changed them: they are read each time. */

import { readItem, writeItem } from "../browser-storage.ts";

const ITEM = "soprano-watchlist";
/** Where the browser keeps nothing, the page does. */
let held: readonly string[] = [];

export function starred(): readonly string[] {
  const text = readItem(ITEM);
  return text === null ? held : parseSymbols(text);
}

/** @returns why the browser can't keep them, in one sentence; null if it does */
export function star(symbols: readonly string[]): string | null {
  held = symbols;
  return writeItem(ITEM, symbols.length === 0 ? null : JSON.stringify(symbols));
}

/** The texts of a JSON array; none of any other text. */
function parseSymbols(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((symbol) => typeof symbol === "string") : [];
  } catch {
    return [];
  }
}
