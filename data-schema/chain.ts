/** Addresses of chains as texts, and their pages in block explorers. */

/** An address, in any case. */
export const ADDRESS_PATTERN = /^0x[0-9a-f]{40}$/i;

/** Hosts of block explorers, all of which have the same paths, by the name of the chain as ASSET.json has it. */
const HOSTS: Readonly<Record<string, string>> = {
  ethereum: "etherscan.io",
  optimism: "optimistic.etherscan.io",
  bsc: "bscscan.com",
  gnosis: "gnosisscan.io",
  unichain: "uniscan.xyz",
  polygon: "polygonscan.com",
  sonic: "sonicscan.org",
  zksync: "era.zksync.network",
  mantle: "mantlescan.xyz",
  base: "basescan.org",
  arbitrum: "arbiscan.io",
  celo: "celoscan.io",
  avalanche: "snowscan.xyz",
  linea: "lineascan.build",
  blast: "blastscan.io",
  scroll: "scrollscan.com",
};

/** The page of a transaction, block or address; null on a chain whose explorer is not known. */
export function chainPage(chain: string, of: "tx" | "block" | "address", id: string | number): string | null {
  const host = HOSTS[chain.toLowerCase()];
  return host === undefined ? null : `https://${host}/${of}/${id}`;
}
