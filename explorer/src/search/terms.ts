/** Terms that aren't the name of a metric, with the metrics that answer them. */

interface Term {
  /** In lower case. */
  names: string[];
  note: string;
  series: { metric: string; selector?: string }[];
}

export const TERMS: readonly Term[] = [
  {
    names: ["mvrv"],
    note: "MVRV is market capitalisation divided by realised capitalisation.",
    series: [{ metric: "market_cap" }, { metric: "realised_cap" }],
  },
  {
    names: ["nupl"],
    note: "NUPL is unrealised profit minus unrealised loss, divided by market capitalisation.",
    series: [{ metric: "unrealised_profit" }, { metric: "unrealised_loss" }, { metric: "market_cap" }],
  },
  {
    names: ["nvt"],
    note: "NVT is market capitalisation divided by on-chain volume in dollars.",
    series: [{ metric: "market_cap" }, { metric: "volume_dollar" }],
  },
  {
    names: ["velocity"],
    note: "Velocity is on-chain volume divided by supply.",
    series: [{ metric: "volume" }, { metric: "supply" }],
  },
  {
    names: ["netflow", "net flow", "netflows"],
    note: "Netflow is inflow minus outflow.",
    series: [
      { metric: "cex_inflow" },
      { metric: "cex_outflow" },
      { metric: "cex_inflow_dollar" },
      { metric: "cex_outflow_dollar" },
    ],
  },
  {
    names: ["whale", "whales"],
    note: "Whales are addresses that hold $10 million or more.",
    series: [
      { metric: "num_addresses", selector: "$10M+" },
      { metric: "supply", selector: "$10M+" },
      { metric: "inflow_cohort", selector: "$10M+" },
      { metric: "outflow_cohort", selector: "$10M+" },
      { metric: "cex_inflow_cohort", selector: "$10M+" },
    ],
  },
  {
    names: ["holder", "holders"],
    note: "Holders are counted by address.",
    series: [{ metric: "num_addresses" }, { metric: "num_addresses_profit" }, { metric: "num_addresses_loss" }],
  },
  {
    names: ["hodl", "hodl waves", "long-term holders", "lth", "sth"],
    note: "Holders are grouped by how long they have held: see the cohorts by holding age.",
    series: [
      { metric: "supply", selector: "6m-1y" },
      { metric: "sopr", selector: "6m-1y" },
      { metric: "num_addresses", selector: "6m-1y" },
    ],
  },
  {
    names: ["tvl"],
    note: "The closest metric is the dollar value of the tokens that smart contracts hold.",
    series: [{ metric: "sc_volume_locked_dollar" }, { metric: "sc_volume_locked" }],
  },
  { names: ["mcap", "marketcap"], note: "", series: [{ metric: "market_cap" }] },
];
