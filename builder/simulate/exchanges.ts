/** The centralised exchanges of the simulated economy. */

interface ExchangeTraits {
  /** The label in exchanges.csv. */
  name: string;
  /** Relative amount of business. */
  business: number;
  hotWallets: number;
  /** Whether its cold wallet is a multi-signature contract, with both labels. */
  contractVault?: boolean;
}

/** Ten exchanges with their own series, and a made-up one that counts as `other`. */
export const EXCHANGES: readonly ExchangeTraits[] = [
  { name: "binance", business: 30, hotWallets: 3 },
  { name: "coinbase", business: 16, hotWallets: 2 },
  { name: "okx", business: 10, hotWallets: 2 },
  { name: "kraken", business: 8, hotWallets: 1 },
  { name: "upbit", business: 8, hotWallets: 1 },
  { name: "kucoin", business: 6, hotWallets: 1 },
  { name: "bybit", business: 5, hotWallets: 1 },
  { name: "gate.io", business: 5, hotWallets: 1 },
  { name: "crypto.com", business: 4, hotWallets: 1 },
  { name: "bithumb", business: 3, hotWallets: 1 },
  { name: "harbourside", business: 5, hotWallets: 1, contractVault: true },
];

/** The accounts of one exchange. */
export interface Exchange {
  position: number;
  business: number;
  hot: number[];
  cold: number;
  /** Deposit addresses of its customers, in order of opening. */
  deposits: number[];
}
