/** Terms that people search for although no metric is named so, and the series that answer them. */

/** A term of the field, or of everyday language. */
export interface Term {
  /** In lower case and British spelling, singular and plural. */
  names: readonly string[];
  /** How the series answer it; empty where they plainly do. */
  note: string;
  /** Each `metric`, which leaves the selector open, or `metric:selector`. */
  series: readonly string[];
}

export const TERMS: readonly Term[] = [
  {
    names: ["mvrv"],
    note: "MVRV is market capitalisation divided by realised capitalisation.",
    series: ["market_cap", "realised_cap"],
  },
  {
    names: ["nupl"],
    note: "NUPL is unrealised profit minus unrealised loss, divided by market capitalisation.",
    series: ["unrealised_profit", "unrealised_loss", "market_cap"],
  },
  {
    names: ["nvt"],
    note: "NVT is market capitalisation divided by on-chain volume in dollars.",
    series: ["market_cap", "volume_dollar"],
  },
  {
    names: ["velocity"],
    note: "Velocity is on-chain volume divided by supply.",
    series: ["volume", "supply"],
  },
  {
    names: ["netflow", "net flow", "netflows", "net flows"],
    note: "Netflow is inflow minus outflow.",
    series: ["cex_inflow", "cex_outflow", "cex_inflow_dollar", "cex_outflow_dollar"],
  },
  {
    names: ["whale", "whales"],
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
    names: ["holder", "holders"],
    note: "Holders are counted by address.",
    series: ["num_addresses", "num_addresses_profit", "num_addresses_loss"],
  },
  {
    names: ["active address", "active addresses", "daily active addresses", "active user", "active users", "daa"],
    note: "Active addresses are not counted. The closest are the addresses that hold the coin, and the transfers.",
    series: ["num_addresses", "num_transfers"],
  },
  {
    names: ["hodl", "hodl wave", "hodl waves", "age bands", "long-term holders", "lth", "sth"],
    note: "Holders are grouped by how long they have held: see the cohorts by holding age.",
    series: ["supply:6m-1y", "sopr:6m-1y", "num_addresses:6m-1y"],
  },
  {
    names: ["tvl"],
    note: "The closest metric is the dollar value of the tokens that smart contracts hold.",
    series: ["sc_volume_locked_dollar", "sc_volume_locked"],
  },
  {
    names: ["cost basis"],
    note: "The cost basis of all coins is the realised capitalisation; per coin, it is the realised price.",
    series: ["realised_price", "realised_cap", "moved_coins_cost_basis", "moved_coins_realised_price"],
  },
  {
    names: ["exchange balance", "exchange balances"],
    note: "",
    series: ["cex_reserve", "cex_reserve_dollar"],
  },
  {
    names: ["transaction", "transactions", "transaction count", "tx count"],
    note: "Transfers of the token are counted, not transactions.",
    series: ["num_transfers"],
  },
  { names: ["mcap", "marketcap"], note: "", series: ["market_cap"] },
];
