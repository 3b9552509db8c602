/** The files beside the transfers: prices, labels and asset.json. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { isoTime } from "../../../data-schema/text.ts";
import { type Accounts, SIMULATED_EXCHANGES } from "./accounts.ts";
import { MAX_SUPPLY } from "./grants.ts";
import { type Market, PRICE_DECIMALS } from "./market.ts";
import { startOf, type TokenParameters } from "./parameters.ts";
import { type AddressBook, TOKEN_CONTRACT } from "./simulated-addresses.ts";
import { DECIMALS } from "./simulated-ledger.ts";

export function pricesCsv(parameters: TokenParameters, { usd }: Market): string {
  const start = startOf(parameters);
  const lines = Array.from(
    usd,
    (price, hour) => `${start + hour * BUCKET_SECONDS.hour},${price.toFixed(PRICE_DECIMALS)}`,
  );
  return toCsv(["timestamp,price_usd", ...lines]);
}

export function exchangesCsv({ exchangeOf, next }: Accounts, addresses: AddressBook): string {
  const lines = ["address,exchange"];
  for (let account = 1; account < next; account++) {
    const exchange = SIMULATED_EXCHANGES[exchangeOf[account]!];
    if (exchange) lines.push(`${addresses.text(account)},${exchange.name}`);
  }
  return toCsv(lines);
}

export function contractsCsv({ isContract, next }: Accounts, addresses: AddressBook): string {
  const lines = ["address"];
  for (let account = 1; account < next; account++) {
    if (isContract[account] === 1) lines.push(addresses.text(account));
  }
  return toCsv(lines);
}

/** ASSET.json; `files` holds the paths of its inputs. */
export function assetJson(
  { symbol, name, asOf }: TokenParameters,
  addresses: AddressBook,
  files: { transfers: string; prices: string; exchanges: string; contracts: string },
): string {
  return tableJson({
    symbol,
    name,
    chain: "ethereum",
    contract: addresses.text(TOKEN_CONTRACT),
    decimals: DECIMALS,
    maxSupply: String(MAX_SUPPLY),
    asOf: isoTime(asOf),
    ...files,
  });
}

export function tableJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function toCsv(lines: string[]): string {
  return `${lines.join("\n")}\n`;
}
