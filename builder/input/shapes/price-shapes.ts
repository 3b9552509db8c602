/** The shapes of prices that are recognised. A candle counts at its end. Source: docs/building.md#files-of-other-tools. */

import { renamed, type Shape } from "./shape.ts";

export interface PriceShape extends Shape {
  /**
   * What `timestamp` is of a candle: its open, whose length the distances of times tell, or are given in seconds. Left out:
   * each price was known at its time.
   */
  candle?: "open" | number;
  /** Columns that must say the same in all rows, as prices of two tokens are never mixed. */
  one?: readonly string[];
}

const opens = (name: string, what: string, time: readonly string[], tells: readonly string[]): PriceShape => ({
  name,
  what,
  tells,
  columns: { timestamp: renamed(...time), price_usd: renamed("close") },
  candle: "open",
  one: ["symbol", "ticker"],
});

const OHLC = ["open", "high", "low"];
const TOKEN_COLUMNS = ["contract_address", "blockchain", "symbol"];

/** The first that fits counts: those that need more stand before those that need less. */
export const PRICE_SHAPES: readonly PriceShape[] = [
  {
    name: "coingecko-csv",
    what: "a CSV of CoinGecko",
    columns: { timestamp: renamed("snapped_at"), price_usd: renamed("price") },
  },
  {
    name: "coinmarketcap-csv",
    what: "a CSV of CoinMarketCap",
    tells: ["timeOpen", ...OHLC],
    columns: { close_time: renamed("timeClose"), price_usd: renamed("close") },
    one: ["name"],
  },
  {
    name: "coinmarketcap-ohlcv",
    what: "an answer of CoinMarketCap's ohlcv/historical",
    columns: { close_time: renamed("time_close"), price_usd: renamed("quote.USD.close") },
  },
  {
    name: "coinmarketcap-quotes",
    what: "an answer of CoinMarketCap's quotes/historical",
    columns: { timestamp: renamed("timestamp"), price_usd: renamed("quote.USD.price") },
  },
  {
    name: "binance",
    what: "klines of Binance",
    tells: OHLC,
    columns: { close_time: renamed("close_time"), price_usd: renamed("close") },
    one: ["symbol"],
  },
  opens("cryptodatadownload", "a CSV of CryptoDataDownload", ["unix"], [...OHLC, "date"]),
  opens("yahoo", "prices of Yahoo Finance", ["date", "datetime"], OHLC),
  opens("ccxt", "OHLCV of CCXT, or candles with their open as timestamp", ["timestamp", "time"], OHLC),
  opens("yahoo-chart", "an answer of Yahoo's chart", ["timestamp"], []),
  {
    name: "binance-klines",
    what: "klines of Binance without a header",
    tells: ["11"],
    columns: { close_time: renamed("6"), price_usd: renamed("4") },
  },
  {
    name: "ohlcv",
    what: "OHLCV as lists (CCXT, GeckoTerminal)",
    tells: ["5"],
    columns: { timestamp: renamed("0"), price_usd: renamed("4") },
    candle: "open",
  },
  {
    name: "coingecko",
    what: "an answer of CoinGecko's market_chart",
    columns: { timestamp: renamed("0"), price_usd: renamed("1") },
  },
  {
    name: "dune-prices-minute",
    what: "rows of Dune's prices.usd",
    columns: { timestamp: renamed("minute"), price_usd: renamed("price") },
    candle: 60,
    one: TOKEN_COLUMNS,
  },
  {
    name: "dune-prices",
    what: "rows of Dune's prices.hour, prices.day or another table of prices",
    tells: ["blockchain|contract_address"],
    columns: { timestamp: renamed("timestamp", "hour", "day", "block_date"), price_usd: renamed("price") },
    candle: "open",
    one: TOKEN_COLUMNS,
  },
  {
    name: "defillama",
    what: "prices of DefiLlama",
    columns: { timestamp: renamed("timestamp"), price_usd: renamed("price") },
    one: ["symbol"],
  },
];

/** The lengths of candles that are told by the distances of their times, in seconds. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const CANDLE_LENGTHS: ReadonlySet<number> = new Set([
  ...[1, 3, 5, 10, 15, 30, 45].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR),
  ...[1, 3, 7].map((days) => days * DAY),
]);
