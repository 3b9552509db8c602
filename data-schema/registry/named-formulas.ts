/** Formulas of the explorer with names of their own, for what the field calls by one. Sources: docs/methodology.md §6 and §7, docs/formulas.md#sources. */

import {
  AROUND_ONE,
  AROUND_ZERO,
  type Level,
  type LevelColor,
  MAGNITUDES,
  type NaturalLook,
  NET_OF_BUCKET,
  PLAIN,
} from "./natural-looks.ts";

export interface NamedFormula {
  name: string;
  title: string;
  /** In terms of metrics. A selector of the name goes to each of them: `mvrv:users`. So does an asset. */
  text: string;
  description: string;
  /** Whether it is shown in per cent. */
  isShare?: true;
  look: NaturalLook;
}

const above = (from: number, color: LevelColor, name: string): Level => ({ from: `${from}`, to: "", color, name });
const below = (to: number, color: LevelColor, name: string): Level => ({ from: "", to: `${to}`, color, name });
const between = (from: number, to: number, color: LevelColor, name: string): Level => ({
  ...above(from, color, name),
  to: `${to}`,
});
const lineAt = (at: number, color: LevelColor, name: string): Level => ({ from: `${at}`, to: null, color, name });

export const NAMED_FORMULAS: readonly NamedFormula[] = [
  {
    name: "mvrv",
    title: "MVRV",
    text: "market_cap / realised_cap",
    description: "Market value to realised value. Above 1, coins are worth more than was paid for them.",
    look: { ...AROUND_ONE, levels: [below(1, "green", "Undervalued"), above(3.7, "red", "Overvalued")] },
  },
  {
    name: "mvrv_zscore",
    title: "MVRV z-score",
    text: "(market_cap - realised_cap) / std(market_cap)",
    description: "How far market value is from realised value, in standard deviations of all market values so far.",
    look: { ...AROUND_ZERO, levels: [below(0, "green", "Below cost"), above(3, "red", "Far above cost")] },
  },
  {
    name: "nupl",
    title: "NUPL",
    text: "(unrealised_profit - unrealised_loss) / market_cap",
    description: "Net unrealised profit or loss, as a share of market capitalisation.",
    look: {
      ...AROUND_ZERO,
      levels: [
        below(0, "red", "Capitulation"),
        between(0, 0.25, "orange", "Hope and fear"),
        between(0.25, 0.5, "yellow", "Optimism and anxiety"),
        between(0.5, 0.75, "green", "Belief and denial"),
        above(0.75, "blue", "Euphoria and greed"),
      ],
    },
  },
  {
    name: "share_in_profit",
    title: "Share of supply in profit",
    text: "supply_profit / supply",
    description: "The part of the supply that is held above its purchase price.",
    isShare: true,
    look: PLAIN,
  },
  {
    name: "addresses_in_profit",
    title: "Share of addresses in profit",
    text: "num_addresses_profit / num_addresses",
    description: "The part of the addresses that hold the coin above its purchase price.",
    isShare: true,
    look: PLAIN,
  },
  {
    name: "netflow",
    title: "Netflow to exchanges",
    text: "cex_inflow - cex_outflow",
    description: "Coins that exchanges received, less those that they sent out.",
    look: NET_OF_BUCKET,
  },
  {
    name: "netflow_dollar",
    title: "Netflow to exchanges in dollars",
    text: "cex_inflow_dollar - cex_outflow_dollar",
    description: "Dollar value of the coins that exchanges received, less that of those they sent out.",
    look: NET_OF_BUCKET,
  },
  {
    name: "sopr_smoothed",
    title: "SOPR, smoothed",
    text: "smooth(sopr, 7)",
    description: "SOPR of seven rows together: of a week, by day.",
    look: AROUND_ONE,
  },
  {
    name: "net_realised_profit",
    title: "Net realised profit",
    text: "realised_profit - realised_loss",
    description: "Realised profit less realised loss.",
    look: NET_OF_BUCKET,
  },
  {
    name: "profit_loss_ratio",
    title: "Realised profit to loss",
    text: "realised_profit / realised_loss",
    description: "Dollars of realised profit for each dollar of realised loss.",
    look: AROUND_ONE,
  },
  {
    name: "nvt",
    title: "NVT",
    text: "market_cap / volume_dollar",
    description: "Network value to transactions: market capitalisation for each dollar of on-chain volume.",
    look: MAGNITUDES,
  },
  {
    name: "nvt_signal",
    title: "NVT signal",
    text: "market_cap / sma(volume_dollar, 90)",
    description: "Market capitalisation for each dollar of mean volume over 90 rows.",
    look: { ...MAGNITUDES, levels: [below(45, "green", "Oversold"), above(150, "red", "Overbought")] },
  },
  {
    name: "velocity",
    title: "Velocity",
    text: "volume / supply",
    description: "How often the supply changes hands.",
    look: PLAIN,
  },
  {
    name: "velocity_1y",
    title: "Velocity, 1 year",
    text: "sum(volume, 365) / supply",
    description: "How often the supply has changed hands in the last 365 rows: in a year, by day.",
    look: PLAIN,
  },
  {
    name: "mean_transfer",
    title: "Mean transfer",
    text: "volume / num_transfers",
    description: "Coins of the average transfer. Few large ones make it much larger than the median.",
    look: PLAIN,
  },
  {
    name: "mayer_multiple",
    title: "Mayer multiple",
    text: "price / sma(price, 200)",
    description: "The price, compared with its mean over 200 rows.",
    look: { ...AROUND_ONE, levels: [lineAt(2.4, "red", "Speculative bubble")] },
  },
  {
    name: "volatility",
    title: "Volatility, 30 rows",
    text: "std(log(price / lag(price)), 30) * sqrt(365)",
    description: "Standard deviation of the logarithmic returns of 30 rows, for a year of 365: of days, by day.",
    isShare: true,
    look: PLAIN,
  },
  {
    name: "bollinger_middle",
    title: "Bollinger band, middle",
    text: "sma(price, 20)",
    description: "The mean price of 20 rows.",
    look: PLAIN,
  },
  {
    name: "bollinger_upper",
    title: "Bollinger band, upper",
    text: "sma(price, 20) + 2 * sqrt(0.95) * std(price, 20)",
    description: "Two standard deviations of the population above the mean price of 20 rows.",
    look: PLAIN,
  },
  {
    name: "bollinger_lower",
    title: "Bollinger band, lower",
    text: "sma(price, 20) - 2 * sqrt(0.95) * std(price, 20)",
    description: "Two standard deviations of the population below the mean price of 20 rows.",
    look: PLAIN,
  },
  {
    name: "bollinger_b",
    title: "Bollinger %b",
    text: "(price - sma(price, 20)) / (4 * sqrt(0.95) * std(price, 20)) + 0.5",
    description: "Where the price is between the lower Bollinger band, 0, and the upper one, 1.",
    look: {
      ...PLAIN,
      levels: [below(0, "green", "Below the bands"), above(1, "red", "Above the bands")],
    },
  },
  {
    name: "rsi",
    title: "RSI, 14 rows",
    text: "100 * ema(if(change(price) > 0, change(price), 0), 27) / ema(abs(change(price)), 27)",
    description: "Relative strength index: of what the price moved, how much went up, from 0 to 100.",
    look: {
      ...PLAIN,
      levels: [below(30, "green", "Oversold"), above(70, "red", "Overbought")],
    },
  },
  {
    name: "drawdown",
    title: "Drawdown",
    text: "price / max(price) - 1",
    description: "How far the price is below its all-time high, the ATH.",
    isShare: true,
    look: AROUND_ZERO,
  },
  {
    name: "sth_sopr",
    title: "SOPR of short-term holders",
    text: "sopr:sth",
    description: "SOPR of the coins of addresses that had held for less than 155 days, on average.",
    look: AROUND_ONE,
  },
  {
    name: "lth_sopr",
    title: "SOPR of long-term holders",
    text: "sopr:lth",
    description: "SOPR of the coins of addresses that had held for 155 days or more, on average.",
    look: AROUND_ONE,
  },
  {
    name: "sth_mvrv",
    title: "MVRV of short-term holders",
    text: "market_cap:sth / realised_cap:sth",
    description: "Market value to realised value of the coins of short-term holders.",
    look: AROUND_ONE,
  },
  {
    name: "lth_mvrv",
    title: "MVRV of long-term holders",
    text: "market_cap:lth / realised_cap:lth",
    description: "Market value to realised value of the coins of long-term holders.",
    look: AROUND_ONE,
  },
  {
    name: "inflation",
    title: "Inflation",
    text: "(minted - burned) / supply",
    description: "Net issuance of the bucket, as a share of the supply at its close. It is not annualised.",
    isShare: true,
    look: AROUND_ZERO,
  },
  {
    name: "sell_side_risk",
    title: "Sell-side risk",
    text: "(realised_profit + realised_loss) / realised_cap",
    description: "Profit and loss that were realised, as a share of realised capitalisation.",
    isShare: true,
    look: PLAIN,
  },
  {
    name: "supply_shock",
    title: "Supply shock",
    text: "supply:lth / supply:sth",
    description: "Coins of long-term holders for each coin of short-term holders.",
    look: AROUND_ONE,
  },
  {
    name: "exchange_share",
    title: "Share of supply on exchanges",
    text: "cex_reserve / supply",
    description: "The part of the supply that exchanges hold.",
    isShare: true,
    look: PLAIN,
  },
];
