/** The member `source` of ASSET.json: where `soprano fetch` gets an asset's inputs. Source: docs/chain.md. */

/** How a contract records its transfers: docs/chain.md#events. */
export const EVENT_KINDS = ["erc20", "weth9", "issue-redeem"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** USD per unit of a pool's quote token: a constant, a Chainlink feed, or a pool against a stablecoin. */
export type QuoteUsd = number | { feed: string } | { pool: string };

export interface PricePool {
  /** Lower-case. */
  address: string;
  kind: "uniswap-v2" | "uniswap-v3";
  quoteUsd: QuoteUsd;
}

/** Pools on the chain, a symbol of Binance's archive, DefiLlama, or the path of a CSV relative to ASSET.json. */
export type PriceSource = { pools: PricePool[] } | { binance: string } | { defillama: true } | string;

export interface Source {
  chainId: number;
  firstBlock: number;
  events: EventKind;
  /** Path of a CSV (`address`, `value` in raw units), relative to ASSET.json. */
  openingBalances?: string;
  /** Whose balance Issue and Redeem move, from which block on; ascending. */
  owners?: { fromBlock: number; address: string }[];
  prices?: PriceSource;
  labels: "default" | "none";
}
