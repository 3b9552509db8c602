/** Which rows of the sources are no exchange's wallets, by rules over their names. Source: docs/labels.md#left-out. */

interface Rule {
  /** A word for the list of what is left out. */
  why: string;
  /** What it leaves out, for docs/labels.md. */
  what: string;
  /** Folders of DefiLlama's adapters. */
  projects?: readonly string[];
  /** Names on Etherscan. */
  names?: RegExp;
}

/** The first rule that fits counts. An address that one source's name rules out is left out, whatever the others say. */
export const RULES: readonly Rule[] = [
  {
    why: "lender",
    what: "lenders and sellers of yield, which hold their customers' tokens as a product",
    projects: ["cake-defi", "nexo-cex"],
  },
  {
    why: "broker",
    what: "brokers without a market of their own",
    projects: ["robinhood", "swissborg"],
  },
  { why: "deployer", what: "accounts that deploy contracts", names: /\bdeployer\b/i },
  { why: "charity", what: "charities and relief funds", names: /\bcharity\b|\brecovery initiative\b/i },
  { why: "mining", what: "mining pools, and their tokens", names: /\bpool\b/i },
  { why: "peg", what: "reserves of pegged tokens", names: /-peg\b/i },
  { why: "dex", what: "routers, swaps and NFT markets", names: /\bdex\b|\brouter\b|\bswap\b|NFT/i },
  {
    why: "token",
    what: "contracts of tokens; not wallets for a token",
    names: /\btokens?\b(?! wallet)|\bold token\b|\bstablecoin\b|:undefined$|^Binance USD$/i,
  },
  { why: "issuer", what: "treasuries of issuers", names: /\btreasury\b/i },
  {
    why: "contract",
    what: "contracts that lock, reward or administer, and those that are out of use",
    names: /\bunlock\b|\bstaking\b|\bblacklister\b|\bold contract\b/i,
  },
  { why: "project", what: "projects that only have an exchange's name in theirs", names: /^BitDiamond:/ },
];

/**
 * Kinds of contracts that an exchange may have for a wallet. Any other kind contradicts a source that calls the address
 * an exchange's.
 */
export const KINDS_OF_WALLETS: ReadonlySet<string> = new Set(["multisig"]);
