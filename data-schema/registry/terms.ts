/** Terms that people search for although no metric is named so, and the series that answer them. */

/** A term of the field, or of everyday language. */
export interface SearchTerm {
  /** The term's names, in lower case and British spelling, singular and plural. */
  names: readonly string[];
  /** How the series answer it; empty where they plainly do. */
  note: string;
  /** Each `metric`, which leaves the selector open, or `metric:selector`. */
  series: readonly string[];
  /** The named formula that is what the term means. */
  formula?: string;
  /** A metric and the division of it that answers them in one picture: `supply:age`. */
  family?: string;
}

export const SEARCH_TERMS: readonly SearchTerm[] = [
  {
    names: ["mvrv", "mvrv ratio", "market value to realised value"],
    note: "MVRV is market capitalisation divided by realised capitalisation.",
    formula: "mvrv",
    series: ["market_cap", "realised_cap"],
  },
  {
    names: ["nupl", "net unrealised profit", "net unrealised profit and loss", "unrealised pnl", "paper gains"],
    note: "NUPL is unrealised profit minus unrealised loss, divided by market capitalisation.",
    formula: "nupl",
    series: ["unrealised_profit", "unrealised_loss", "market_cap"],
  },
  {
    names: ["net realised profit", "net realised profit and loss", "realised pnl", "pnl", "profit taking"],
    note: "Net realised profit is realised profit minus realised loss.",
    formula: "net_realised_profit",
    series: ["realised_profit", "realised_loss"],
  },
  {
    names: ["spent output profit ratio", "spent profit ratio"],
    note: "",
    series: ["sopr", "asopr", "sopr_profit", "sopr_loss"],
  },
  {
    names: ["who is selling", "who sells", "seller", "sellers", "selling", "sell pressure", "selling pressure"],
    note: "Who sells, and whether at a profit: a SOPR above 1 is a profit. What goes to exchanges may be sold there.",
    series: [
      "sopr:lth",
      "sopr:sth",
      "realised_profit",
      "realised_loss",
      "cex_inflow_cohort:lth",
      "cex_inflow_cohort:sth",
    ],
  },
  {
    names: ["ath", "all-time high", "all time high", "peak"],
    note: "The formula Drawdown is how far the price is below its all-time high.",
    formula: "drawdown",
    series: ["price"],
  },
  {
    names: ["capitulation"],
    note: "In a capitulation, many coins move at a loss.",
    series: ["realised_loss", "sopr_loss", "realised_loss_asset"],
  },
  {
    names: ["percent supply in profit", "supply in profit", "share of supply in profit", "coins in profit"],
    note: "",
    series: ["supply_profit", "supply_loss", "supply"],
  },
  {
    names: ["nvt", "nvt ratio", "network value to transactions"],
    note: "NVT is market capitalisation divided by on-chain volume in dollars.",
    formula: "nvt",
    series: ["market_cap", "volume_dollar"],
  },
  {
    names: ["velocity", "turnover"],
    note: "Velocity is on-chain volume divided by supply.",
    formula: "velocity",
    series: ["volume", "supply"],
  },
  { names: ["usd volume", "dollar volume", "volume in dollars"], note: "", series: ["volume_dollar"] },
  {
    names: [
      "transfer volume",
      "trading volume",
      "daily volume",
      "transaction volume",
      "transacted value",
      "throughput",
    ],
    note: "",
    series: ["volume", "volume_dollar"],
  },
  {
    names: [
      "netflow",
      "net flow",
      "netflows",
      "net flows",
      "exchange netflow",
      "exchange net flow",
      "net inflow",
      "net outflow",
    ],
    note: "Netflow is inflow minus outflow.",
    formula: "netflow",
    series: ["cex_inflow", "cex_outflow", "cex_inflow_dollar", "cex_outflow_dollar"],
  },
  {
    names: ["exchange deposits", "deposits"],
    note: "",
    series: ["cex_inflow", "cex_inflow_dollar", "cex_inflow_cohort"],
  },
  {
    names: ["exchange withdrawals", "withdrawals"],
    note: "",
    series: ["cex_outflow", "cex_outflow_dollar", "cex_outflow_cohort"],
  },
  {
    names: ["exchange balance", "exchange balances", "exchange reserve", "exchange reserves", "exchange supply"],
    note: "",
    series: ["cex_reserve", "cex_reserve_dollar"],
  },
  {
    names: ["whale", "whales", "large holders", "smart money"],
    note: "Whales are addresses that hold $10 million or more.",
    series: [
      "num_addresses:$10M+",
      "supply:$10M+",
      "inflow_cohort:$10M+",
      "outflow_cohort:$10M+",
      "cex_inflow_cohort:$10M+",
    ],
  },
  {
    names: ["shark", "sharks", "dolphin", "dolphins"],
    note: "Sharks and dolphins are taken as addresses that hold $1 million to $10 million.",
    series: ["num_addresses:$1M-10M", "supply:$1M-10M", "inflow_cohort:$1M-10M", "outflow_cohort:$1M-10M"],
  },
  {
    names: ["shrimp", "shrimps", "retail", "small holders"],
    note: "Small holders are taken as addresses that hold less than $1,000.",
    series: ["num_addresses:$0-100", "num_addresses:$100-1k", "supply:$0-100", "supply:$100-1k"],
  },
  {
    names: ["wealth", "distribution", "supply by wealth", "supply distribution"],
    note: "Holders are grouped by what their balance is worth: see the cohorts by value.",
    series: ["supply:$10M+", "num_addresses:$10M+"],
    family: "supply:value",
  },
  {
    names: ["concentration", "rich list", "top holders", "largest holders", "hhi", "gini", "gini coefficient"],
    note: "",
    series: ["supply_top_100", "supply_top_10", "supply_top_1000", "herfindahl"],
  },
  {
    names: [
      "holder",
      "holders",
      "wallets",
      "holder count",
      "holders count",
      "number of holders",
      "total holders",
      "unique holders",
      "wallet count",
    ],
    note: "Holders are counted by address.",
    series: ["num_addresses", "num_addresses_profit", "num_addresses_loss"],
  },
  {
    names: [
      "daily active addresses",
      "active user",
      "active users",
      "daa",
      "dau",
      "daily active users",
      "unique addresses",
      "daily users",
    ],
    note: "",
    series: ["active_addresses", "new_addresses"],
  },
  {
    names: [
      "wau",
      "mau",
      "weekly active addresses",
      "monthly active addresses",
      "weekly active users",
      "monthly active users",
    ],
    note: "",
    series: ["active_addresses_7d", "active_addresses_30d", "active_addresses"],
  },
  {
    names: ["median transaction", "median transfer size", "typical transfer", "transfer size", "average transfer"],
    note: "Half of the transfers are smaller than the median. The formula Mean transfer is the average.",
    series: ["median_transfer", "median_transfer_dollar"],
  },
  {
    names: ["new users", "new holders", "adoption", "network growth"],
    note: "",
    series: ["new_addresses", "addresses_funded"],
  },
  {
    names: ["hodl", "hodl wave", "hodl waves", "age bands", "coin age", "supply by age"],
    note: "HODL waves are the supply by holding age, as shares.",
    series: ["supply:6m-1y", "sopr:6m-1y", "num_addresses:6m-1y"],
    family: "supply:age",
  },
  {
    names: ["long-term holders", "long term holders", "lth", "short-term holders", "short term holders", "sth"],
    note: "The long term begins at 155 days of holding, on average.",
    series: ["supply:lth", "supply:sth", "sopr:lth", "sopr:sth"],
    family: "supply:term",
  },
  {
    names: ["cdd", "coin days", "old coins"],
    note: "",
    series: ["coin_days_destroyed", "dormancy", "liveliness", "coin_days_held"],
  },
  {
    names: ["mca", "average coin age", "average age", "holding time"],
    note: "",
    series: ["mean_age", "mean_dollar_age"],
  },
  {
    names: ["tvl", "total value locked", "defi", "staking", "staked"],
    note: "The closest metric is the dollar value of the tokens that smart contracts hold.",
    series: ["sc_volume_locked_dollar", "sc_volume_locked"],
  },
  {
    names: [
      "where the supply is",
      "where is the supply",
      "kinds of contracts",
      "dex",
      "lending",
      "bridges",
      "treasury",
    ],
    note: "Kinds of contracts are cohorts that an asset may have, such as @dex: where it has some, there is a family by kind.",
    series: ["supply:users", "supply:sc", "supply:cex", "sc_volume_locked"],
    family: "supply:group",
  },
  {
    names: ["cost basis", "average cost", "average purchase price"],
    note: "The cost basis of all coins is the realised capitalisation; per coin, it is the realised price.",
    series: ["realised_price", "realised_cap", "moved_coins_cost_basis", "moved_coins_realised_price"],
  },
  {
    names: [
      "cost basis band",
      "cost basis bands",
      "cost basis percentile",
      "cost basis percentiles",
      "cost basis quantiles",
    ],
    note: "Half of the supply was bought below the median cost basis. Above it, more than half is in profit.",
    series: ["cost_basis_p50", "cost_basis_p25", "cost_basis_p75"],
    family: "cost_basis_p50:percentile",
  },
  {
    names: ["circulating supply", "total supply", "issuance", "emission"],
    note: "Mints raise the supply, and burns lower it.",
    series: ["supply", "minted", "burned"],
  },
  {
    names: ["transaction", "transactions", "transaction count", "tx count", "transfer count"],
    note: "Transfers of the token are counted, not transactions.",
    series: ["num_transfers"],
  },
  { names: ["mcap", "marketcap", "network value"], note: "", series: ["market_cap"] },
  { names: ["rcap", "realised market cap"], note: "", series: ["realised_cap"] },
];
