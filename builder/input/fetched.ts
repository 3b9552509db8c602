/**
 * What `soprano fetch` has brought: `inputs/<SYMBOL>/fetch.json`. A build takes its as-of time from it, and refuses an
 * asset whose last check failed. Source: docs/chain.md#layout.
 */

/** A file of transfers. */
export interface FetchedFile {
  /** Relative to the folder of fetch.json, such as `transfers/2026-11-20.parquet`. */
  file: string;
  /** Blocks, both ends inclusive. */
  from: number;
  to: number;
  /** Of block `to`. */
  lastHash: string;
  rows: number;
  bytes: number;
  sha256: string;
  source: "rpc" | "portal";
}

/** Balances and supply of the replayed files, compared with the chain's at a finalized block. */
export interface FetchCheck {
  status: "passed" | "failed";
  block: number;
  hash: string;
  /** Holders that were compared, of all. */
  holders: number;
  of: number;
  /** The contract's totalSupply, raw units. */
  supply: string;
  /** When, ISO 8601. */
  at: string;
  /** If it failed: sentences for the user, the first says what to do. */
  problems?: string[];
}

export interface Fetched {
  schema: 1;
  chainId: number;
  contract: string;
  /** Everything before is complete: ISO 8601, the end of a UTC day. */
  asOf: string;
  files: FetchedFile[];
  /** Version of the shipped exchange labels; absent without. */
  labels?: string;
  /** The last one; absent after --no-check on a first fetch. */
  check?: FetchCheck;
}
