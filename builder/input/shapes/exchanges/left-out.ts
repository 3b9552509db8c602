/** Which rows of the sources are no exchange's wallets, by rules over their names. Source: docs/labels.md#left-out. */

interface Rule {
  /** A word for the list of what is left out. */
  why: string;
  /** Folders of DefiLlama's adapters. */
  projects?: readonly string[];
  /** Names on Etherscan. */
  names?: RegExp;
}

/** The first rule that fits counts. An address that one source's name rules out is left out, whatever the others say. */
export const RULES: readonly Rule[] = [
  // Lenders and sellers of yield, which hold their customers' tokens as a product.
  {
    why: "lender",
    projects: ["cake-defi", "nexo-cex"],
  },
  // Brokers without a market of their own.
  {
    why: "broker",
    projects: ["robinhood", "swissborg"],
  },
  // Accounts that deploy contracts.
  { why: "deployer", names: /\bdeployer\b/i },
  // Charities and relief funds.
  { why: "charity", names: /\bcharity\b|\brecovery initiative\b/i },
  // Mining pools, and their tokens.
  { why: "mining", names: /\bpool\b/i },
  // Reserves of pegged tokens.
  { why: "peg", names: /-peg\b/i },
  // Routers, swaps and NFT markets.
  { why: "dex", names: /\bdex\b|\brouter\b|\bswap\b|NFT/i },
  // Contracts of tokens; not wallets for a token.
  {
    why: "token",
    names: /\btokens?\b(?! wallet)|\bold token\b|\bstablecoin\b|:undefined$|^Binance USD$/i,
  },
  // Treasuries of issuers.
  { why: "issuer", names: /\btreasury\b/i },
  // Contracts that lock, reward or administer, and those that are out of use.
  {
    why: "contract",
    names: /\bunlock\b|\bstaking\b|\bblacklister\b|\bold contract\b/i,
  },
  // Projects that only have an exchange's name in theirs.
  { why: "project", names: /^BitDiamond:/ },
];

/**
 * Kinds of contracts that an exchange may have for a wallet. Any other kind contradicts a source that calls the address
 * an exchange's.
 */
export const KINDS_OF_WALLETS: ReadonlySet<string> = new Set(["multisig"]);
