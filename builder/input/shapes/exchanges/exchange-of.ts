/** Which exchange a row of somebody's labels means. Source: docs/labels.md#names. */

import { EXCHANGE_OF_BEGINNING, EXCHANGE_OF_LABEL } from "./exchange-names.ts";
import { RULES } from "./left-out.ts";

/** What a row says of an address; empty where its file has no such column. */
export interface SaidOfAddress {
  /** The name of an exchange, in a list of exchanges. */
  exchange?: string;
  /** Etherscan's label, or several of them. */
  label?: string;
  /** Etherscan's name, such as `Binance 14`. */
  name?: string;
  /** What kind of owner it is, in Dune's lists. */
  category?: string;
}

/** By Etherscan's name and label. */
export function exchangeOnEtherscan(name: string, label: string | undefined): string | undefined {
  return beginningOf(name) ?? (label === undefined ? undefined : EXCHANGE_OF_LABEL[label]);
}

const beginningOf = (name: string): string | undefined =>
  EXCHANGE_OF_BEGINNING.find(([text]) => name.toLowerCase().startsWith(text))?.[1];

const slugOf = (label: string) =>
  label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_.]+/g, "-");

/** Kinds of owners whose names begin with the exchange's. */
const EXCHANGES = /\b(cex|exchanges?|institutions?)\b/i;

/** The exchange that a row means; undefined if it means none, such as a token or a router with an exchange's name. */
export function exchangeOf({ exchange = "", label = "", name = "", category = "" }: SaidOfAddress): string | undefined {
  if (exchange.trim() !== "") {
    return beginningOf(exchange.trim()) ?? EXCHANGE_OF_LABEL[slugOf(exchange)] ?? exchange.trim().toLowerCase();
  }
  if (RULES.some(({ names }) => names?.test(name))) return undefined;
  const labels = label.split(/[,;|[\]"{}]+/).map(slugOf);
  const first = EXCHANGES.test(category) ? [slugOf(name.split(/[\s:]/, 1)[0] ?? "")] : [];
  return (
    beginningOf(name) ?? [...labels, ...first].map((one) => EXCHANGE_OF_LABEL[one]).find((found) => found !== undefined)
  );
}
