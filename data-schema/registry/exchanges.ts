/** The exchange selector of the `cex_*` metrics: `all`, `other`, and 51 named centralised exchanges. */

/** Exchanges with their own series. A label outside this list counts as `other`. */
export const NAMED_EXCHANGES = [
  "ascendex",
  "bibox",
  "bigone",
  "bilaxy",
  "binance",
  "binance_us",
  "bingx",
  "bitfinex",
  "bitflyer",
  "bitget",
  "bithumb",
  "bitkub",
  "bitmart",
  "bitpanda",
  "bitso",
  "bitstamp",
  "bittrex",
  "bitvavo",
  "btcturk",
  "bybit",
  "coinbase",
  "coindcx",
  "coinex",
  "coinhako",
  "coinone",
  "coinw",
  "crypto.com",
  "deribit",
  "digifinex",
  "exmo",
  "ftx",
  "gate.io",
  "gemini",
  "gopax",
  "hitbtc",
  "hotbit",
  "htx",
  "indodax",
  "korbit",
  "kraken",
  "kucoin",
  "kuna.io",
  "latoken",
  "lbank",
  "mexc",
  "okx",
  "paribu",
  "poloniex",
  "upbit",
  "whitebit",
  "yobit.net",
] as const;

/** All values of the exchange selector, in the order of the series in an object. */
export const EXCHANGE_SELECTORS = ["all", "other", ...NAMED_EXCHANGES] as const;

/** The exchanges together, and one by one. */
export const EXCHANGE_FAMILIES = [
  { title: "Together", values: ["all", "other"] },
  {
    title: "Named exchanges",
    values: NAMED_EXCHANGES,
    division: { by: "exchange", of: "all", isOrdered: false },
  },
] as const;

export type ExchangeSelector = (typeof EXCHANGE_SELECTORS)[number];
