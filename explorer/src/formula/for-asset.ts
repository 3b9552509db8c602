/** A formula moved to another asset. */

import { assetText, FormulaError, tokenise } from "../../../data-schema/formula.ts";

/** A formula's text in which names that name no asset belong to one; null for a text that isn't a formula. */
export function forAsset(text: string, symbol: string): string | null {
  try {
    const tokens = tokenise(text);
    const places = tokens.flatMap((token, i) =>
      token.kind === "name" && token.asset === null && tokens[i + 1]?.kind !== "(" ? token.from : [],
    );
    return places.reduceRight((all, at) => `${all.slice(0, at)}${assetText(symbol)}.${all.slice(at)}`, text);
  } catch (error) {
    if (error instanceof FormulaError) return null;
    throw error;
  }
}
