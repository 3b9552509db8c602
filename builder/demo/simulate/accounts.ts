/** The exchanges, the accounts with their roles, and who was active recently. */

import type { Random } from "./random.ts";

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
export const SIMULATED_EXCHANGES: readonly ExchangeTraits[] = [
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

/** `exchangeOf` of an account that belongs to no exchange. */
export const NO_EXCHANGE = 255;

/** What an account is, from its opening on. */
export interface AccountRole {
  isUser: boolean;
  /** Position in the list of exchanges, or NO_EXCHANGE. */
  exchange: number;
  contract: boolean;
}

/** Recent activity is kept for as many transfers as a quarter of all accounts; others act again when they wake up. */
const REMEMBERED_SHARE = 1 / 4;

/** Accounts by index, in order of opening; index 0 is the zero address. */
export class Accounts {
  /** The most there can be, the zero address included. */
  readonly capacity: number;
  /** The index that the next account will have. */
  next = 1;
  readonly isUser: Uint8Array;
  readonly exchangeOf: Uint8Array;
  readonly isContract: Uint8Array;
  readonly #users: Uint32Array;
  #userCount = 0;
  readonly #active: Uint32Array;
  #activities = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.isUser = new Uint8Array(capacity);
    this.exchangeOf = new Uint8Array(capacity).fill(NO_EXCHANGE);
    this.isContract = new Uint8Array(capacity);
    this.#users = new Uint32Array(capacity);
    this.#active = new Uint32Array(Math.ceil(capacity * REMEMBERED_SHARE));
  }

  open({ isUser, exchange, contract }: AccountRole): number {
    const index = this.next++;
    this.isUser[index] = Number(isUser);
    this.exchangeOf[index] = exchange;
    this.isContract[index] = Number(contract);
    if (isUser) this.#users[this.#userCount++] = index;
    return index;
  }

  /** Records that an account took part in a transfer. */
  recordActivity(account: number): void {
    if (this.isUser[account] === 1) this.#active[this.#activities++ % this.#active.length] = account;
  }

  /** Any user. There must be one. */
  anyUser(random: Random): number {
    return this.#users[random.below(this.#userCount)]!;
  }

  /**
   * A user, in proportion to recent activity: the busy get busier, which makes activity heavy-tailed.
   * Source: Simon, "On a class of skew distribution functions", Biometrika 42 (1955).
   */
  activeUser(random: Random): number {
    return this.#active[random.below(Math.min(this.#activities, this.#active.length))]!;
  }
}
