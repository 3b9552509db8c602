/** Writes the same daily closes as each tool would. */

import { csv, Folder, HEADER, row, TOKEN } from "../folder.ts";
import { csvOf } from "./transfer-writers.ts";

/** A day's candle: `close` is known at `end`, Unix seconds, a day after it opens. */
export interface Candle {
  end: number;
  close: number;
}

export interface PriceWriter {
  shape: string;
  file: string;
  write(candles: readonly Candle[]): string;
}

const DAY = 86_400;
const iso = (time: number) => new Date(time * 1000).toISOString();
const day = (time: number) => iso(time).slice(0, 10);
const blanked = (time: number) => iso(time).slice(0, 19).replace("T", " ");
const json = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;
const opened = ({ end }: Candle) => end - DAY;
const lists = (candles: readonly Candle[], scale: number) =>
  candles.map((candle) => [
    opened(candle) * scale,
    candle.close * 0.9,
    candle.close * 1.2,
    candle.close * 0.8,
    candle.close,
    1000.5,
  ]);
const klines = (candles: readonly Candle[]) =>
  candles.map((candle) => [
    opened(candle) * 1000,
    ...[0.9, 1.2, 0.8].map((part) => String(candle.close * part)),
    String(candle.close),
    "12.5",
    candle.end * 1000 - 1,
    "13.5",
    47,
    "1.5",
    "2.5",
    "0",
  ]);

export const PRICE_WRITERS: readonly PriceWriter[] = [
  {
    shape: "coingecko-csv",
    file: "coingecko.csv",
    write: (candles) =>
      csvOf(
        candles.map(({ end, close }) => ({
          snapped_at: `${blanked(end)} UTC`,
          price: close,
          market_cap: 5e6,
          total_volume: 1e5,
        })),
      ),
  },
  {
    shape: "coingecko",
    file: "coingecko.json",
    write: (candles) =>
      json({
        prices: candles.map(({ end, close }) => [end * 1000, close]),
        market_caps: candles.map(({ end }) => [end * 1000, 5e6]),
        total_volumes: candles.map(({ end }) => [end * 1000, 1e5]),
      }),
  },
  {
    shape: "coinmarketcap-csv",
    file: "coinmarketcap.csv",
    write: (candles) =>
      csvOf(
        candles.toReversed().map((candle) => ({
          timeOpen: iso(opened(candle)),
          timeClose: iso(candle.end - 0.001),
          timeHigh: iso(opened(candle) + 3600),
          timeLow: iso(opened(candle) + 7200),
          name: "2781",
          open: candle.close * 0.9,
          high: candle.close * 1.2,
          low: candle.close * 0.8,
          close: candle.close,
          volume: 1e5,
          marketCap: 5e6,
          timestamp: iso(candle.end - 0.001),
        })),
        ";",
      ),
  },
  {
    shape: "coinmarketcap-ohlcv",
    file: "coinmarketcap-ohlcv.json",
    write: (candles) =>
      json({
        status: { error_code: 0, error_message: null },
        data: {
          id: 1,
          symbol: "TST",
          quotes: candles.map((candle) => ({
            time_open: iso(opened(candle)),
            time_close: iso(candle.end - 0.001),
            quote: { USD: { open: candle.close * 0.9, close: candle.close, timestamp: iso(candle.end - 0.001) } },
          })),
        },
      }),
  },
  {
    shape: "coinmarketcap-quotes",
    file: "coinmarketcap-quotes.json",
    write: (candles) =>
      json({
        data: {
          id: 1,
          quotes: candles.map(({ end, close }) => ({
            timestamp: iso(end),
            quote: { USD: { price: close, volume_24h: 1e5 } },
          })),
        },
      }),
  },
  {
    shape: "cryptodatadownload",
    file: "cryptodatadownload.csv",
    write: (candles) =>
      `https://www.CryptoDataDownload.com\n${csvOf(
        candles.toReversed().map((candle) => ({
          unix: opened(candle) * 1000,
          date: blanked(opened(candle)),
          symbol: "TST/USDT",
          open: candle.close * 0.9,
          high: candle.close * 1.2,
          low: candle.close * 0.8,
          close: candle.close,
          "Volume TST": 1e5,
          "Volume USDT": 2e5,
          tradecount: 47,
        })),
      )}`,
  },
  {
    shape: "yahoo",
    file: "yahoo.csv",
    write: (candles) =>
      csvOf(
        candles.map((candle) => ({
          Date: day(opened(candle)),
          Open: candle.close * 0.9,
          High: candle.close * 1.2,
          Low: candle.close * 0.8,
          Close: candle.close,
          "Adj Close": candle.close,
          Volume: 100_000,
        })),
      ),
  },
  {
    shape: "yahoo-chart",
    file: "yahoo-chart.json",
    write: (candles) =>
      json({
        chart: {
          result: [
            {
              meta: { currency: "USD", symbol: "TST-USD" },
              timestamp: candles.map(opened),
              indicators: { quote: [{ open: candles.map(() => 1), close: candles.map(({ close }) => close) }] },
            },
          ],
          error: null,
        },
      }),
  },
  {
    shape: "binance-klines",
    file: "binance-klines.csv",
    write: (candles) =>
      klines(candles)
        .map((line) => `${line}\n`)
        .join(""),
  },
  { shape: "binance-klines", file: "binance-klines.json", write: (candles) => json(klines(candles)) },
  {
    shape: "binance",
    file: "binance.csv",
    write: (candles) =>
      `open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n${klines(
        candles,
      )
        .map((line) => `${line}\n`)
        .join("")}`,
  },
  {
    shape: "ccxt",
    file: "ccxt.csv",
    write: (candles) =>
      `timestamp,open,high,low,close,volume\n${lists(candles, 1000)
        .map((line) => `${line}\n`)
        .join("")}`,
  },
  { shape: "ohlcv", file: "ccxt.json", write: (candles) => json(lists(candles, 1000)) },
  {
    shape: "ohlcv",
    file: "geckoterminal.json",
    write: (candles) =>
      json({
        data: { id: "1", type: "ohlcv_request_response", attributes: { ohlcv_list: lists(candles, 1).toReversed() } },
        meta: { base: { address: TOKEN, symbol: "TST" } },
      }),
  },
  {
    shape: "defillama",
    file: "defillama.json",
    write: (candles) =>
      json({
        coins: {
          [`ethereum:${TOKEN}`]: {
            symbol: "TST",
            confidence: 0.99,
            prices: candles.map(({ end, close }) => ({ timestamp: end, price: close })),
          },
        },
      }),
  },
  {
    shape: "dune-prices-minute",
    file: "dune-prices-usd.csv",
    write: (candles) =>
      csvOf(
        candles.map(({ end, close }) => ({
          blockchain: "ethereum",
          contract_address: TOKEN,
          decimals: 18,
          minute: `${blanked(end - 60)}.000 UTC`,
          price: close,
          symbol: "TST",
        })),
      ),
  },
  {
    shape: "dune-prices",
    file: "dune-prices-day.csv",
    write: (candles) =>
      csvOf(
        candles.map((candle) => ({
          blockchain: "ethereum",
          contract_address: TOKEN,
          symbol: "TST",
          timestamp: `${blanked(opened(candle))}.000 UTC`,
          price: candle.close,
          decimals: 18,
          volume: 1e5,
          source: "coinpaprika",
        })),
      ),
  },
];

/** The plain form: a price counts from its time on. */
export const plainPrices = (candles: readonly Candle[]): string =>
  csvOf(candles.map(({ end, close }) => ({ timestamp: end, price_usd: close })));

/** Reads a file of prices beside a transfer. */
export const readPrices = async (file: string, content: string, prices: unknown = file) =>
  (await new Folder().write("transfers.csv", csv(HEADER, row())).write(file, content).read({ prices })).prices;
