/** What init asks of a token, with a node or from files alone: its symbol, its decimals and its maximum supply. */

import { MAX_DECIMALS, MAX_SUPPLY_PATTERN, parseSymbol } from "../../../../data-schema/asset.ts";
import { Failure } from "../../../lib/failure.ts";
import { decimalText } from "../../../lib/terminal/amount-text.ts";
import type { Prompt } from "../prompt.ts";

export const askSymbol = (ask: Prompt, text: string, proposal: string | undefined): Promise<string> =>
  ask({
    text,
    proposal,
    option: "--symbol",
    parse(text) {
      const symbol = parseSymbol(text);
      if (symbol !== undefined) return symbol;
      throw new Failure("A symbol is 1 to 20 of A–Z, 0–9, “.”, “_”, “-”, beginning with a letter or digit.");
    },
  });

export const askDecimals = (ask: Prompt, text: string): Promise<number> =>
  ask({
    text,
    proposal: undefined,
    option: "--decimals",
    parse(text) {
      const decimals = Number(text);
      if (/^\d{1,2}$/.test(text) && decimals <= MAX_DECIMALS) return decimals;
      throw new Failure(`Decimals are a whole number from 0 to ${MAX_DECIMALS}.`);
    },
  });

/** @param supply what there is, or was at most, in raw units: it is proposed */
export const askMaxSupply = (ask: Prompt, supply: bigint, decimals: number): Promise<string> =>
  ask({
    text: "Maximum supply in whole tokens",
    proposal: supply > 0n ? wholeTokens(supply, decimals) : undefined,
    option: "--max-supply N",
    parse: parseMaxSupply,
  });

/** @throws {Failure} */
export function parseMaxSupply(text: string): string {
  const plain = text.replaceAll(/[_,]/g, "");
  if (MAX_SUPPLY_PATTERN.test(plain)) return plain;
  throw new Failure('The maximum supply is a positive decimal number of whole tokens, such as "21000000".');
}

/** Rounded up; exact if it is less than one token. */
export function wholeTokens(raw: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals);
  if (raw >= unit) return String((raw + unit - 1n) / unit);
  return decimalText(raw, decimals);
}
