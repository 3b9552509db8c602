/** The addresses of one shard: exact balances and average cost, in columns. Source: methodology §3. */

import { addAmount, subtractAmount, TokenUnit, toBigInt } from "./amounts.ts";
import { BalanceCohorts, holdingAge, packStanding, type Side, type Standing, sideOf, valueRange } from "./classify.ts";
import type { AssetTerms } from "./history.ts";

/** Columns are indexed by an address's position in its shard. */
export class Holders {
  /** Exact balances q in raw units: `words` little-endian words each. */
  readonly balance: Uint32Array;
  readonly words: number;
  /** Balances in whole tokens, correctly rounded; 0 exactly when the address holds nothing. */
  readonly held: Float64Array;
  /** Average purchase price a, USD per token. */
  readonly basis: Float64Array;
  /** Average purchase time h, Unix seconds. */
  readonly since: Float64Array;
  /** Index into `BALANCE_COHORTS`. */
  readonly balanceCohort: Uint8Array;
  /** Bit set of the addresses that hold something, 32 a word. */
  readonly live: Uint32Array;

  readonly #unit: TokenUnit;
  readonly #cohorts: BalanceCohorts;

  constructor(count: number, words: number, terms: AssetTerms) {
    this.balance = new Uint32Array(count * words);
    this.words = words;
    this.held = new Float64Array(count);
    this.basis = new Float64Array(count);
    this.since = new Float64Array(count);
    this.balanceCohort = new Uint8Array(count);
    this.live = new Uint32Array(Math.ceil(count / 32));
    this.#unit = new TokenUnit(terms.decimals);
    this.#cohorts = new BalanceCohorts(terms.balanceEdges, words);
  }

  /**
   * Adds x tokens, bought at a price and time, to a holder's balance and averages.
   *
   * @param values raw amounts; this one is the `valueWords` words at `valueAt`
   */
  receive(
    holder: number,
    values: Uint32Array,
    valueAt: number,
    valueWords: number,
    x: number,
    price: number,
    seconds: number,
  ): void {
    const fresh = this.held[holder] === 0;
    addAmount(this.balance, holder * this.words, this.words, values, valueAt, valueWords);
    this.#rebalance(holder);
    if (fresh) {
      this.basis[holder] = price;
      this.since[holder] = seconds;
      this.live[holder >>> 5] |= 1 << (holder & 31);
      return;
    }
    const held = this.held[holder];
    this.basis[holder] += ((price - this.basis[holder]) * x) / held;
    this.since[holder] += ((seconds - this.since[holder]) * x) / held;
  }

  /** Takes an amount off a holder's balance; false, and nothing done, when the holder has less. */
  send(holder: number, values: Uint32Array, valueAt: number, valueWords: number): boolean {
    if (!subtractAmount(this.balance, holder * this.words, this.words, values, valueAt, valueWords)) return false;
    this.#rebalance(holder);
    if (this.held[holder] === 0) this.live[holder >>> 5] &= ~(1 << (holder & 31));
    return true;
  }

  /** Where the holder stands at a time and price. */
  standing(holder: number, seconds: number, price: number): Standing {
    return packStanding(
      valueRange(this.held[holder] * price),
      this.balanceCohort[holder],
      holdingAge(seconds, this.since[holder]),
      this.side(holder, price),
    );
  }

  side(holder: number, price: number): Side {
    return sideOf(price, this.basis[holder]);
  }

  /** The sum of all balances, exact. */
  totalBalance(): bigint {
    let total = 0n;
    for (let holder = 0; holder < this.held.length; holder++) {
      if (this.held[holder] !== 0) total += toBigInt(this.balance, holder * this.words, this.words);
    }
    return total;
  }

  #rebalance(holder: number): void {
    const at = holder * this.words;
    this.held[holder] = this.#unit.tokens(this.balance, at, this.words);
    this.balanceCohort[holder] = this.#cohorts.cohort(this.balance, at);
  }
}
