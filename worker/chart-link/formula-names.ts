/** Names in formulas that aren't metrics. Those of explorer/src/formula; a test compares them. */

import type { MetricName } from "../../data-schema/metrics.ts";

export interface NamedFormula {
  title: string;
  /** Those that it is computed from: a selector of its name goes to each of them. */
  metrics: readonly MetricName[];
}

export const NAMED_FORMULAS: ReadonlyMap<string, NamedFormula> = new Map(
  Object.entries({
    mvrv: { title: "MVRV", metrics: ["market_cap", "realised_cap"] },
    mvrv_zscore: { title: "MVRV z-score", metrics: ["market_cap", "realised_cap"] },
    nupl: { title: "NUPL", metrics: ["unrealised_profit", "unrealised_loss", "market_cap"] },
    share_in_profit: { title: "Share of supply in profit", metrics: ["supply_profit", "supply"] },
    addresses_in_profit: { title: "Share of addresses in profit", metrics: ["num_addresses_profit", "num_addresses"] },
    netflow: { title: "Netflow to exchanges", metrics: ["cex_inflow", "cex_outflow"] },
    netflow_dollar: { title: "Netflow to exchanges in dollars", metrics: ["cex_inflow_dollar", "cex_outflow_dollar"] },
    sopr_smoothed: { title: "SOPR, smoothed", metrics: ["sopr"] },
    net_realised_profit: { title: "Net realised profit", metrics: ["realised_profit", "realised_loss"] },
    profit_loss_ratio: { title: "Realised profit to loss", metrics: ["realised_profit", "realised_loss"] },
    nvt: { title: "NVT", metrics: ["market_cap", "volume_dollar"] },
    nvt_signal: { title: "NVT signal", metrics: ["market_cap", "volume_dollar"] },
    velocity: { title: "Velocity", metrics: ["volume", "supply"] },
    mayer_multiple: { title: "Mayer multiple", metrics: ["price"] },
  } satisfies Record<string, NamedFormula>),
);

/** What a function takes beside its column: a number of rows, of which `least` is the smallest; null: none. */
export interface FormulaFunction {
  least: number | null;
  /** Whether the number may be left out. */
  isOptional: boolean;
}

export const FUNCTIONS: ReadonlyMap<string, FormulaFunction> = new Map(
  Object.entries({
    sma: { least: 1, isOptional: true },
    ema: { least: 1, isOptional: false },
    median: { least: 1, isOptional: true },
    std: { least: 2, isOptional: true },
    zscore: { least: 2, isOptional: true },
    change: { least: 1, isOptional: true },
    pct: { least: 1, isOptional: true },
    cumsum: { least: null, isOptional: true },
    lag: { least: 1, isOptional: true },
  } satisfies Record<string, FormulaFunction>),
);

/** The largest number of rows. */
export const MOST_ROWS = 100_000;
