/** Names of EVM chains, for the catalog. */

const NAMES: Readonly<Record<number, string>> = {
  1: "ethereum",
  10: "optimism",
  56: "bsc",
  100: "gnosis",
  130: "unichain",
  137: "polygon",
  146: "sonic",
  250: "fantom",
  324: "zksync",
  1101: "polygon-zkevm",
  5000: "mantle",
  8453: "base",
  42161: "arbitrum",
  42220: "celo",
  43114: "avalanche",
  59144: "linea",
  81457: "blast",
  534352: "scroll",
};

/** Such as `ethereum`, or `chain-31337`. */
export const chainName = (chainId: number): string => NAMES[chainId] ?? `chain-${chainId}`;
